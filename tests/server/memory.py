"""How much memory a server under test holds."""

from pathlib import Path

import pytest

from tests.served import Served


def resident(server: Served) -> int:
    """Bytes of memory that the server holds."""
    status = Path(f"/proc/{server.process.pid}/status")
    if not status.exists():
        pytest.skip("This platform does not say how much memory a process holds.")
    (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024
