"""What every measurement is given: a folder, material, the size of the run, and the stores that several share."""

from functools import cached_property
from pathlib import Path

from bench.material import Material
from bench.stores import Author, writer
from holdfast.core.events import SessionCreated
from holdfast.core.ids import SessionId


class Workshop:
    """`quick` makes everything ten times smaller: a check that it runs, not a number to keep."""

    def __init__(self, folder: Path, *, quick: bool = False) -> None:
        self.folder: Path = folder
        self.quick: bool = quick
        self.material: Material = Material()

    def size(self, full: int) -> int:
        return max(1, full // 10) if self.quick else full

    @property
    def pairs(self) -> int:
        return self.size(50)

    @cached_property
    def crowd(self) -> Path:
        """A store of 10,000 sessions, every fifth with a turn in it."""
        folder = self.folder / "crowd"
        with writer(folder) as writing:
            for number in range(self.size(10_000)):
                session = SessionId(f"s{number}")
                if number % 5 == 0:
                    Author(writing, session, self.material.text(20, 60)).fill(self.material.session(turns=1))
                else:
                    event = SessionCreated(title=self.material.text(20, 60), project="garden", tags=("later",))
                    writing.create(session, event)
        return folder
