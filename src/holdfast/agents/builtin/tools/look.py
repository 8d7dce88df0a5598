"""Looking: reading files, listing folders, searching through them. Nothing here changes anything."""

import asyncio
import fnmatch
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from holdfast.agents.builtin.deed import LONGEST, Bench, Deed, Done, Say, Tool, Unable, bounded
from holdfast.agents.builtin.tools.process import run
from holdfast.workspace.files import SECRET_ENDINGS, SECRET_FILES, SECRET_FOLDERS, Workspace

LARGEST = 10 * 1024 * 1024
"""Bytes of a file that can be looked at."""
LINES = 2000
ENTRIES = 1000
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
        return sorted(f"{each.name}/" if each.is_dir() else each.name for each in real.iterdir())[: ENTRIES + 1]
    return list(_matching(workspace, real, glob))


def _matching(workspace: Workspace, real: Path, glob: str) -> Iterable[str]:
    count = 0
    pattern = glob.removeprefix("**/")
    for folder, below, files in os.walk(real):
        below[:] = sorted(each for each in below if each not in SKIPPED)
        for each in sorted(files):
            name = workspace.relative(Path(folder) / each)
            if fnmatch.fnmatch(each, pattern) or fnmatch.fnmatch(name, glob):
                count += 1
                yield name
                if count > ENTRIES:
                    return


class Searching(msgspec.Struct, kw_only=True):
    pattern: Annotated[str, msgspec.Meta(min_length=1, description="An extended regular expression (grep -E).")]
    path: str = "."
    glob: Annotated[str, msgspec.Meta(description="Only files named like this; e.g. *.py")] = ""
    ignore_case: bool = False


async def search(arguments: Searching, bench: Bench) -> Deed:
    real = bench.workspace.resolve(arguments.path)
    name = bench.workspace.relative(real)
    folders = [f"--exclude-dir={each}" for each in sorted(SKIPPED | SECRET_FOLDERS)]
    secrets = [
        f"--exclude={each}" for each in (*sorted(SECRET_FILES), ".env.*", *(f"*{end}" for end in SECRET_ENDINGS))
    ]
    only = [f"--include={arguments.glob}"] if arguments.glob else []
    case = ["-i"] if arguments.ignore_case else []
    # grep, because a pattern that takes for ever is then a process that can be ended.
    command = ["grep", "-rnIE", *case, *folders, *only, *secrets, "-e", arguments.pattern, "--", name]

    async def do(_: Say) -> Done:
        done = await run(command, SECONDS, bench, _unheard)
        if "exit code 1.]" in done.text[-40:]:
            return Done(text="Nothing was found.")
        return msgspec.structs.replace(done, text=bounded(done.text, LONGEST // 2), shown=None)

    return Deed(title=f"Search {arguments.pattern!r} in {name}", kind="search", do=do)


async def _unheard(_: str) -> None:
    """A search is shown when it is over."""


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


READ = Tool(name="read", about="Read a text file of the workspace, with line numbers.", arguments=Reading, prepare=read)
LIST = Tool(name="list", about="List a folder, or find files by name below it.", arguments=Listing, prepare=list_folder)
SEARCH = Tool(
    name="search", about="Search the text of files with a regular expression.", arguments=Searching, prepare=search
)
