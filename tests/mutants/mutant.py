"""A mutant: the program with one line broken on purpose, in a copy of its own. Some test must notice.

A mutant is *caught* if the tests that it names fail, *survives* if they pass, and is *invalid* if it could not be
tried: its old text does not occur exactly once, or the tests did not even run. Before any mutant is believed, the same
tests must pass on an unbroken copy; so a mutant can't be caught by a copy that is broken in itself.
"""

import os
import shutil
import tempfile
import time
import tomllib
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from tests.mutants.stem import ELSEWHERE, PATIENCE, Split, Stems, grown

ROOT = Path(__file__).parents[2]
LISTS = sorted(Path(__file__).parent.glob("*.toml"))
WORKERS = 2
WORDS = 4_000
"""Of what the tests said at last, this much is kept."""
HANGING = PATIENCE * 2 // 3
"""Before that a test that hangs says where; and a mutant that makes one hang is caught by it."""
PLUGINS = ("anyio.pytest_plugin", "pytest_timeout", "_hypothesis_pytestplugin", "tests.mutants.unshrunk")
"""Those that a mutant's tests use; what else is installed is not looked for."""
PYTEST = (
    "-x",
    "-q",
    f"--timeout={HANGING}",
    *(part for name in ("no:cacheprovider", *PLUGINS) for part in ("-p", name)),
)
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
    with _nursery(WORKERS) as nursery, ThreadPoolExecutor(WORKERS) as pool:
        yield from pool.map(lambda tests: _try_unbroken(tests, nursery), selections)
        yield from pool.map(lambda mutant: _try_mutant(mutant, nursery), mutants)


def try_one(mutant: Mutant) -> Trial:
    if misfit := _misfit(mutant):
        return misfit
    with _nursery(1) as nursery:
        return _try_mutant(mutant, nursery)


class Nursery(NamedTuple):
    """A copy of the program, of which every trial gets links to the same files, and who splits off trials."""

    copy: Path
    stems: Stems

    @contextmanager
    def seedling(self) -> Generator[Path]:
        with tempfile.TemporaryDirectory(prefix="mutant-", dir=self.copy.parent) as folder:
            copy = Path(folder) / "copy"
            shutil.copytree(self.copy, copy, copy_function=os.link)
            yield copy


@contextmanager
def _nursery(count: int) -> Generator[Nursery]:
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, grown(count) as stems:
        copy = Path(folder).resolve() / "copy"
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=UNNEEDED)
        shutil.copy(ROOT / "pyproject.toml", copy)
        yield Nursery(copy, stems)


def _misfit(mutant: Mutant) -> Trial | None:
    """Why it can't be tried, if it can't."""
    path = ROOT / "src" / "holdfast" / mutant.file
    count = path.read_text().count(mutant.old) if path.exists() else 0
    if count == 1 and mutant.old != mutant.new:
        return None
    return Trial(name=mutant.name, verdict="invalid", why=f"The old text occurs {count} times in {mutant.file}.")


def _try_mutant(mutant: Mutant, nursery: Nursery) -> Trial:
    if misfit := _misfit(mutant):
        return misfit
    with nursery.seedling() as copy:
        path = copy / "src" / "holdfast" / mutant.file
        text = path.read_text()
        path.unlink()  # the other copies have the same file
        path.write_text(text.replace(mutant.old, mutant.new))
        _forget_compiled(path)
        return _judge(mutant.name, copy, mutant.tests, nursery.stems)


def _forget_compiled(path: Path) -> None:
    """Compiled files are copied too, for speed; that of the broken file must not hide the breakage."""
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def _try_unbroken(tests: tuple[str, ...], nursery: Nursery) -> Trial:
    name = f"unbroken: {' '.join(tests)}"
    with nursery.seedling() as copy:
        trial = _judge(name, copy, tests, nursery.stems)
    if trial.verdict != "survived":
        return Trial(name=name, verdict="invalid", why=f"The tests fail without any mutant. {trial.why}")
    return Trial(name=name, verdict="caught", seconds=trial.seconds, why="It passes, as it must.")


def _judge(name: str, copy: Path, tests: tuple[str, ...], stems: Stems) -> Trial:
    stem = stems.get()
    said = copy / "said.txt"
    begun = time.monotonic()
    # A folder of its own for what tests write: those who share one tidy it up for each other.
    arguments = (*PYTEST, f"--basetemp={copy.parent / 't'}", *tests)
    code = stem.split(Split(copy=str(copy), said=str(said), arguments=arguments))
    seconds = time.monotonic() - begun
    if code is None:
        raise RuntimeError(f"The tests of {name!r} did not end within {PATIENCE} s: {said.read_text()[-WORDS:]}")
    stems.put(stem)
    if code == ELSEWHERE:
        return Trial(name=name, verdict="invalid", why="The tests import another holdfast than the copy.")
    verdicts: dict[int, Verdict] = {0: "survived", 1: "caught"}
    return Trial(name=name, verdict=verdicts.get(code, "invalid"), seconds=seconds, why=said.read_text()[-WORDS:])
