"""Looking: reading files, listing folders, searching through them. Nothing here changes anything."""

import asyncio
import fnmatch
import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from holdfast.agents.builtin.deed import LONGEST, Bench, Deed, Done, Say, Tool, Unable, bounded
from holdfast.agents.builtin.tools.process import run
from holdfast.workspace.files import Workspace, is_folder

LARGEST = 10 * 1024 * 1024
"""Bytes of a file that can be looked at."""
LINES = 2000
ENTRIES = 1000
FILES = 50_000
"""How many files are searched through."""
ARGUMENTS = 200_000
"""Characters of names that one grep is given. Systems take more."""
SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".mypy_cache", ".tox"})
SECONDS = 30


def text_in(workspace: Workspace, real: Path) -> str:
    """A file as text. Raise `Unable` if it is none."""
    if real.is_dir():
        raise Unable(f"{workspace.relative(real)} is a folder. Use list.")
    if not real.exists():
        raise Unable(f"{workspace.relative(real)} does not exist.")
    data = workspace.read_bytes(real, LARGEST + 1)
    if len(data) > LARGEST:
        raise Unable(f"{workspace.relative(real)} is larger than {LARGEST:,} bytes. Look at parts of it with shell.")
    if b"\0" in data[:8192]:
        raise Unable(f"{workspace.relative(real)} is no text.")
    return data.decode("utf-8", "surrogateescape")


class Reading(msgspec.Struct, kw_only=True):
    path: str
    first: Annotated[int, msgspec.Meta(ge=1, description="The first line to read.")] = 1
    lines: Annotated[int, msgspec.Meta(ge=1, le=LINES, description="How many lines.")] = LINES


async def read(arguments: Reading, bench: Bench) -> Deed:
    real = bench.workspace.resolve(arguments.path)
    name = bench.workspace.relative(real)

    async def do(_: Say) -> Done:
        lines = (await asyncio.to_thread(text_in, bench.workspace, real)).splitlines()
        last = min(len(lines), arguments.first - 1 + arguments.lines)
        shown = "\n".join(f"{n:6}\t{lines[n - 1]}" for n in range(arguments.first, last + 1))
        more = f"\n[{len(lines) - last} more lines]" if last < len(lines) else ""
        return Done(text=_printable(bounded(shown) + more) or "(empty)")

    return Deed(title=f"Read {name}", kind="read", do=do)


class Listing(msgspec.Struct, kw_only=True):
    path: str = "."
    glob: Annotated[str, msgspec.Meta(description="Only names like this, in all folders below; e.g. *.py")] = ""


async def list_folder(arguments: Listing, bench: Bench) -> Deed:
    real = bench.workspace.resolve(arguments.path)
    name = bench.workspace.relative(real)

    async def do(_: Say) -> Done:
        if not real.is_dir():
            raise Unable(f"{name} is no folder.")
        found = await asyncio.to_thread(_entries, bench.workspace, real, arguments.glob)
        more = f"\n[there are more than {ENTRIES}]" if len(found) > ENTRIES else ""
        return Done(text=_printable("\n".join(found[:ENTRIES]) + more) or "(nothing)")

    return Deed(title=f"List {name}" + (f" ({arguments.glob})" if arguments.glob else ""), kind="read", do=do)


def _entries(workspace: Workspace, real: Path, glob: str) -> list[str]:
    if not glob:
        return sorted(f"{each.name}/" if is_folder(each) else each.name for each in real.iterdir())[: ENTRIES + 1]
    return list(itertools.islice(_matching(workspace, real, glob), ENTRIES + 1))


def _matching(workspace: Workspace, real: Path, glob: str) -> Iterator[str]:
    """The files below that may be looked at, and whose name, or path in the workspace, is like the glob."""
    pattern = glob.removeprefix("**/")
    for path in workspace.below(real, SKIPPED):
        name = workspace.relative(path)
        if not glob or fnmatch.fnmatch(path.name, pattern) or fnmatch.fnmatch(name, glob):
            yield name


class Searching(msgspec.Struct, kw_only=True):
    pattern: Annotated[str, msgspec.Meta(min_length=1, description="An extended regular expression (grep -E).")]
    path: str = "."
    glob: Annotated[str, msgspec.Meta(description="Only files named like this; e.g. *.py")] = ""
    ignore_case: bool = False


async def search(arguments: Searching, bench: Bench) -> Deed:
    real = bench.workspace.resolve(arguments.path)
    name = bench.workspace.relative(real)
    case = ["-i"] if arguments.ignore_case else []
    # grep, because a pattern that takes for ever is then a process that can be ended. It is handed files one by one:
    # what may be looked at is for the workspace to say.
    command = ["grep", "-HnIE", *case, "-e", arguments.pattern, "--"]

    async def do(_: Say) -> Done:
        names = await asyncio.to_thread(_searched, bench.workspace, real, arguments.glob)
        done = await _grep(command, names[:FILES], bench)
        more = f"\n[only the first {FILES:,} files were searched]" if len(names) > FILES else ""
        return msgspec.structs.replace(done, text=bounded(done.text, LONGEST // 2) + more)

    return Deed(title=f"Search {arguments.pattern!r} in {name}", kind="search", do=do)


def _searched(workspace: Workspace, real: Path, glob: str) -> list[str]:
    if not real.exists():
        raise Unable(f"{workspace.relative(real)} does not exist.")
    if real.is_file():
        return [workspace.relative(real)]
    return list(itertools.islice(_matching(workspace, real, glob), FILES + 1))


async def _grep(command: Sequence[str], names: Iterable[str], bench: Bench) -> Done:
    """What it finds in the files, in as many goes as their names take, and all together within the time."""
    found: list[Done] = []
    deadline = time.monotonic() + SECONDS
    for some in _batches(names):
        done = await run([*command, *some], max(deadline - time.monotonic(), 0.0), bench, _unheard)
        if "exit code 1.]" not in done.text[-40:]:  # it found something, or could not look
            found.append(done)
        if time.monotonic() >= deadline or sum(len(each.text) for each in found) > LONGEST:
            break
    text = "\n".join(each.text.rstrip("\n") for each in found)
    return Done(text=text or "Nothing was found.", failed=any(each.failed for each in found))


def _batches(names: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for name in names:
        if batch and size + len(name) > ARGUMENTS:
            yield batch
            batch, size = [], 0
        batch.append(name)
        size += len(name) + 1
    if batch:
        yield batch


async def _unheard(_: str) -> None:
    """A search is shown when it is over."""


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


READ = Tool(name="read", about="Read a text file of the workspace, with line numbers.", arguments=Reading, prepare=read)
LIST = Tool(name="list", about="List a folder, or find files by name below it.", arguments=Listing, prepare=list_folder)
SEARCH = Tool(
    name="search", about="Search the text of files with a regular expression.", arguments=Searching, prepare=search
)
