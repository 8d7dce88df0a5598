"""`holdfast password` as somebody types it at a terminal, or does not."""

import os
import pty
import subprocess
from pathlib import Path

from tests.served import HOLDFAST

END = b"\x04"
PROMPT = "Password: "
NOTHING = "holdfast: No password was given. Nothing was changed; type one at a terminal, or pipe a line in."


def typed(home: Path, keys: bytes) -> tuple[int, str]:
    """How it ends, and what it says, at a terminal where these keys are pressed once it asks."""
    ours, theirs = pty.openpty()
    command = [*HOLDFAST, "password", "--home", str(home)]
    with subprocess.Popen(command, stdin=theirs, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr is not None
        said = process.stderr.read(len(PROMPT))
        os.write(ours, keys)
        said += process.stderr.read()
    os.close(ours)
    os.close(theirs)
    return process.returncode, said


def test_who_ends_the_input_instead_is_told_that_nothing_changed(tmp_path: Path) -> None:
    code, said = typed(tmp_path / "home", END)
    assert (code, said.splitlines()[-1].endswith(NOTHING)) == (1, True), said
    assert "Traceback" not in said
    assert not (tmp_path / "home").exists()


def test_without_an_input_it_says_so(tmp_path: Path) -> None:
    """As a service manager may start it."""
    command = f'exec {" ".join(HOLDFAST)} password --home "$0" <&-'
    done = subprocess.run(["sh", "-c", command, tmp_path / "home"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"{NOTHING}\n")
