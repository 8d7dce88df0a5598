"""A mutant: the program with one line broken on purpose, in a copy of its own. Some test must notice.

A mutant is *caught* if the tests that it names fail, *survives* if they pass, and is *invalid* if it could not be
tried: its old text does not occur exactly once, or the tests did not even run. Before any mutant is believed, the same
tests must pass on an unbroken copy; so a mutant can't be caught by a copy that is broken in itself.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec

ROOT = Path(__file__).parents[2]
LISTS = sorted(Path(__file__).parent.glob("*.toml"))
WORKERS = 2
PATIENCE = 900
WORDS = 4_000
"""Of what the tests said at last, this much is kept."""
HANGING = PATIENCE * 2 // 3
"""Before that a test that hangs says where; and a mutant that makes one hang is caught by it."""
PLUGINS = ("no:cacheprovider", "no:schemathesis", "no:faker", "tests.mutants.unshrunk")
"""Each trial is a process of its own, and a third of its time went into loading what no mutant's tests use."""
PYTEST = ("-m", "pytest", "-x", "-q", f"--timeout={HANGING}", *(part for name in PLUGINS for part in ("-p", name)))
UNNEEDED = shutil.ignore_patterns("static", "browser", "packaging")

Verdict = Literal["caught", "survived", "invalid"]


class Mutant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`old` occurs exactly once in `file`, below `src/holdfast`; `tests` are arguments for pytest, which must fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    verdict: Verdict
    seconds: float = 0.0
    why: str = ""


def load() -> list[Mutant]:
    found = [entry for path in LISTS for entry in tomllib.loads(path.read_text())["mutant"]]
    return msgspec.convert(found, list[Mutant])


def try_all(mutants: list[Mutant]) -> Iterator[Trial]:
    """The unbroken program first, then every mutant, two at a time, in the order of the list."""
    selections = list(dict.fromkeys(mutant.tests for mutant in mutants))
    with ThreadPoolExecutor(WORKERS) as pool:
        yield from pool.map(_try_unbroken, selections)
        yield from pool.map(try_one, mutants)


def try_one(mutant: Mutant) -> Trial:
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = _copy(Path(folder))
        path = copy / "src" / "holdfast" / mutant.file
        text = path.read_text() if path.exists() else ""
        if text.count(mutant.old) != 1 or mutant.old == mutant.new:
            why = f"The old text occurs {text.count(mutant.old)} times in {mutant.file}."
            return Trial(name=mutant.name, verdict="invalid", why=why)
        path.write_text(text.replace(mutant.old, mutant.new))
        _forget_compiled(path)
        return _judge(mutant.name, copy, mutant.tests)


def _forget_compiled(path: Path) -> None:
    """Compiled files are copied too, for speed; that of the broken file must not hide the breakage."""
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def _try_unbroken(tests: tuple[str, ...]) -> Trial:
    name = f"unbroken: {' '.join(tests)}"
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = _copy(Path(folder))
        trial = _judge(name, copy, tests)
        if not imported_from(copy).is_relative_to(copy.resolve()):
            return Trial(name=name, verdict="invalid", why="The tests import another holdfast than the copy.")
    if trial.verdict != "survived":
        return Trial(name=name, verdict="invalid", why=f"The tests fail without any mutant. {trial.why}")
    return Trial(name=name, verdict="caught", seconds=trial.seconds, why="It passes, as it must.")


def _judge(name: str, copy: Path, tests: tuple[str, ...]) -> Trial:
    begun = time.monotonic()
    try:
        code, said = _python(copy, *PYTEST, *tests)
    except subprocess.TimeoutExpired:
        return Trial(name=name, verdict="invalid", why=f"The tests did not end within {PATIENCE} s.")
    verdicts: dict[int, Verdict] = {0: "survived", 1: "caught"}
    seconds = time.monotonic() - begun
    return Trial(name=name, verdict=verdicts.get(code, "invalid"), seconds=seconds, why=said[-WORDS:])


def imported_from(copy: Path) -> Path:
    """Where the tests of this copy find the program: the package is also installed, and that one must not win."""
    return Path(_python(copy, "-c", "import holdfast; print(holdfast.__file__)")[1]).resolve()


def _copy(folder: Path) -> Path:
    shutil.copytree(ROOT / "src", folder / "src", ignore=UNNEEDED)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=UNNEEDED)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def _python(copy: Path, *arguments: str) -> tuple[int, str]:
    """How it ended and what it said, in a file: a pipe would stay open as long as anything that it started lives."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "HOLDFAST"))}
    environment |= {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile("w+", dir=copy) as said:
        ran = subprocess.run(
            [sys.executable, *arguments],
            cwd=copy,
            env=environment,
            timeout=PATIENCE,
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
        )
        said.seek(0)
        return ran.returncode, said.read().strip()
