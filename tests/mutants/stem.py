"""Splits off a process for each trial that has loaded already what all trials load: most of them took longer for that
than for their tests.

Reads a trial from each line of its standard input, and answers it by a line that says how pytest ended. What is tried
is imported behind the fork, from the trial's own copy; this process has none of it, and no thread that would be lost.
"""

import importlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import IO, cast

import msgspec

LOADED = ("anyio", "apsw", "hypothesis.stateful", "hypothesis.strategies", "pytest", "uvloop")
"""No plugin of pytest, which wants to be the one who imports those."""
PATIENCE = 900
"""Seconds that a trial may take."""
ELSEWHERE = 97
"""How a trial ends whose tests imported another program than its copy."""

BROKEN = 98
"""How one ends in which pytest itself broke."""


class Split(msgspec.Struct, frozen=True):
    """One trial: where the copy is, the file for what pytest says, and pytest's arguments."""

    copy: str
    said: str
    arguments: tuple[str, ...]


class Stem:
    """The process that splits off trials, for those who have some."""

    def __init__(self, folder: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "HOLDFAST"))}
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            cwd=folder,
            env=environment | {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def split(self, split: Split) -> int | None:
        """How pytest ended, or none if it did not within `PATIENCE`. All that it started ends with it then."""
        stdin, stdout = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        watch = threading.Timer(PATIENCE, self.kill)
        watch.start()
        stdin.write(msgspec.json.encode(split) + b"\n")
        stdin.flush()
        line = stdout.readline()
        watch.cancel()
        return int(line) if line else None

    def kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        self._process.communicate()


Stems = SimpleQueue[Stem]
"""Those that have nothing to do."""


@contextmanager
def grown(count: int) -> Generator[Stems]:
    """So many for the length of the block."""
    stems: Stems = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="stems-") as folder:
        made = [Stem(Path(folder)) for _ in range(count)]
        for stem in made:
            stems.put(stem)
        try:
            yield stems
        finally:
            for stem in made:
                stem.close()


def main() -> None:
    for name in LOADED:
        importlib.import_module(name)
    for line in sys.stdin.buffer:
        split = msgspec.json.decode(line, type=Split)
        pid = os.fork()
        if pid == 0:
            code = BROKEN
            try:
                code = attempt(split)
            except BaseException:  # noqa: BLE001  the edge of a process
                traceback.print_exc()
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def attempt(split: Split) -> int:
    """Run the tests as `python -m pytest` in the copy would."""
    import pytest
    from hypothesis.configuration import set_hypothesis_home_dir

    said = os.open(split.said, os.O_WRONLY | os.O_CREAT, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (said, 1), (said, 2)):
        os.dup2(source, target)
    copy = Path(split.copy)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "src")
    sys.path[:0] = [str(copy), str(copy / "src")]
    set_hypothesis_home_dir(copy / ".hypothesis")
    code = int(pytest.main(list(split.arguments)))
    program = importlib.import_module("holdfast").__file__
    sys.stdout.flush()
    sys.stderr.flush()
    return code if program and Path(program).is_relative_to(copy / "src") else ELSEWHERE


if __name__ == "__main__":
    main()
