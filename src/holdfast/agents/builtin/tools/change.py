"""Changing files: writing whole ones, and replacing a piece of one. Each is shown as a diff before and after.

Law: what is written is what was shown. A file that has changed since it was looked at is not touched.
"""

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec

from holdfast.agents.builtin.danger.places import runs_by_itself
from holdfast.agents.builtin.deed import Bench, Deed, Done, Say, Tool, Unable
from holdfast.agents.builtin.tools.look import text_in
from holdfast.core.events import Diff
from holdfast.workspace.files import Workspace


class Writing(msgspec.Struct, kw_only=True):
    path: str
    content: Annotated[str, msgspec.Meta(description="The whole new content.")]


async def write(arguments: Writing, bench: Bench) -> Deed:
    real = bench.workspace.resolve(arguments.path)
    if real.is_dir():
        raise Unable(f"{bench.workspace.relative(real)} is a folder.")
    before = await asyncio.to_thread(text_in, bench.workspace, real) if real.exists() else None
    return _changing("Write", real, before, arguments.content, bench)


class Editing(msgspec.Struct, kw_only=True):
    path: str
    old: Annotated[str, msgspec.Meta(min_length=1, description="The text to replace, exactly as it is in the file.")]
    new: Annotated[str, msgspec.Meta(description="What stands there afterwards.")]
    all: Annotated[bool, msgspec.Meta(description="Replace it everywhere, not just where it stands once.")] = False


async def edit(arguments: Editing, bench: Bench) -> Deed:
    real = bench.workspace.resolve(arguments.path)
    name = bench.workspace.relative(real)
    before = await asyncio.to_thread(text_in, bench.workspace, real)
    count = before.count(arguments.old)
    if count == 0:
        raise Unable(f"{name} does not hold this text. Read it again; spaces and line breaks count.")
    if count > 1 and not arguments.all:
        raise Unable(f"{name} holds this text {count} times. Give more of what is around it, or set all.")
    return _changing("Edit", real, before, before.replace(arguments.old, arguments.new), bench)


def _changing(verb: str, real: Path, before: str | None, after: str, bench: Bench) -> Deed:
    workspace = bench.workspace
    name = workspace.relative(real)
    danger = runs_by_itself(real, workspace.root)

    async def do(_: Say) -> Done:
        await asyncio.to_thread(_replace, workspace, real, before, after)
        return Done(text=f"{name} was {'written' if before is None else 'changed'}.", shown="")

    return Deed(
        title=f"{verb} {name}",
        kind="edit",
        do=do,
        changes=True,
        keys=(danger.key,) if danger else (),
        why=danger.why if danger else "",
        diffs=(Diff(path=str(real), old=_shown(before), new=_shown(after) or ""),),
    )


def _replace(workspace: Workspace, real: Path, before: str | None, after: str) -> None:
    now = text_in(workspace, real) if real.exists() else None
    if now != before:
        name = workspace.relative(real)
        raise Unable(f"{name} has changed since it was looked at, so it was left alone. Read it again.")
    workspace.write_text(real, after)


def _shown(text: str | None) -> str | None:
    """With what is no text replaced: a diff is for people."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")


WRITE = Tool(name="write", about="Write a whole file, or a new one.", arguments=Writing, prepare=write, changes=True)
EDIT = Tool(name="edit", about="Replace a piece of a file.", arguments=Editing, prepare=edit, changes=True)
