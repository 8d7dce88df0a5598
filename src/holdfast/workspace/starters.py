"""What could be asked first in a folder, by what lies in it. Only names are looked at, and nothing is opened."""

from collections.abc import Iterable, Set
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

MOST = 3
LOOKED_AT = 1_000
"""Names of one folder: what lies beyond them would tell nothing else."""

Kind = Literal["readme", "tests", "history", "tasks", "look"]
TESTED = ("Makefile", "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "Gemfile")
TASKS = ("todo.md", "todo", "todo.txt", "roadmap.md")
"""In any spelling of capitals."""


class Starter(msgspec.Struct, frozen=True, kw_only=True):
    """`name` is the file that it is about, if it is about one."""

    kind: Kind
    name: str = ""


def starters(folder: str) -> list[Starter]:
    """At most three, the most telling first; none for what is empty, can't be looked into, or is no whole path."""
    try:
        place = Path(folder).expanduser()
        names = {entry.name for entry in islice(place.iterdir(), LOOKED_AT)} if place.is_absolute() else set[str]()
    except (OSError, RuntimeError, ValueError):  # not there, nobody's home, no path at all
        return []
    # A name that is no text can't be said.
    return fitting({name for name in names if name.isprintable()})


def fitting(names: Set[str]) -> list[Starter]:
    spelled = {name.lower(): name for name in sorted(names, reverse=True)}
    found = [
        *_about("readme", (name for name in sorted(names) if name.lower().partition(".")[0] == "readme")),
        *_about("tests", (name for name in TESTED if name in names)),
        *([Starter(kind="history")] if ".git" in names else []),
        *_about("tasks", (spelled[name] for name in TASKS if name in spelled)),
        *([Starter(kind="look")] if names else []),
    ]
    return found[:MOST]


def _about(kind: Kind, names: Iterable[str]) -> list[Starter]:
    return [Starter(kind=kind, name=name) for name in islice(names, 1)]
