"""A whole command line: every command in it, where its output goes, what it names, and how it is written."""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from holdfast.agents.builtin.danger import places, tables
from holdfast.agents.builtin.danger.places import Danger
from holdfast.agents.builtin.danger.programs import DOWNLOADERS, Scene, dangers
from holdfast.agents.builtin.danger.words import Parsed, Simple, parse
from holdfast.workspace.files import Workspace

LONGEST = 20_000
DEEPEST = 6
BOMB = re.compile(r"(\S{1,20})\s*\(\)\s*\{[^}]*?\1\s*\|\s*\1\s*&")


def inspect(command: str, workspace: Workspace) -> list[Danger]:
    """All that is dangerous about it, each kind once; nothing if nobody needs to be asked."""
    found = [*_written(command), *_within(command, workspace, 0)]
    return list(dict.fromkeys(found))


def _written(command: str) -> Iterable[Danger]:
    """How it is written: what can't be seen, or only seems to be what it is."""
    if len(command) > LONGEST:
        yield Danger("long command", "It is too long for a person to read.")
    strange = (letter for letter in command if (letter not in "\n\t" and not letter.isascii()) or letter == "\x1b")
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cs", "Zs", "Zl", "Zp") for letter in strange):
        yield tables.CHARACTERS
    if any((letter < " " and letter not in "\n\t") or letter == "\x7f" for letter in command.replace("\r\n", "\n")):
        yield tables.CHARACTERS
    if BOMB.search(command):
        yield tables.BOMB


def _within(command: str, workspace: Workspace, depth: int) -> list[Danger]:
    if depth > DEEPEST or len(command) > 4 * LONGEST:
        return [tables.UNREADABLE]
    parsed = parse(command, {"HOME": str(Path.home()), "PWD": str(workspace.root)})
    found = [Danger(tables.UNREADABLE.key, f"It can't be read: {parsed.problem}.")] if parsed.problem else []
    folders = [workspace.root]
    scene = _scene(parsed, workspace, depth, folders)
    for simple in parsed.commands:
        found += _around(simple, workspace, folders)
        found += dangers(simple, scene)
        folders += _moved(simple, folders)
        scene = _scene(parsed, workspace, depth, folders)
    return found


def _scene(parsed: Parsed, workspace: Workspace, depth: int, folders: list[Path]) -> Scene:
    names = {simple.words[0].text.rpartition("/")[2].lower() for simple in parsed.commands if simple.words}
    return Scene(
        root=workspace.root,
        folders=tuple(folders),
        pipes=any(simple.piped for simple in parsed.commands),
        downloads=bool(names & DOWNLOADERS),
        again=lambda text: _within(text, workspace, depth + 1),
    )


def _around(simple: Simple, workspace: Workspace, folders: list[Path]) -> Iterable[Danger]:
    """The variables set for it, where its output goes, and the secrets that it names."""
    if any(name in tables.VARIABLES or name.startswith("BASH_FUNC") for name, _ in simple.assignments):
        yield tables.HIJACK
    for redirection in simple.redirections:
        target = redirection.target
        if redirection.operator in (">&", "<&") and re.fullmatch(r"[0-9]+-?|-", target.text):
            continue
        if redirection.operator.startswith("<") and redirection.operator != "<>":
            continue
        if target.hidden or target.glob:
            yield Danger("hidden target", "What it writes to is only known once it runs.")
        elif (danger := places.writing(target.text, folders, workspace.root)) is not None:
            yield danger
    told = [*simple.words, *(value for _, value in simple.assignments), *(r.target for r in simple.redirections)]
    for word in told:
        if "/dev/tcp/" in word.text or "/dev/udp/" in word.text:
            yield tables.CONNECTION
        # The workspace itself may lie in a place whose name would give it away.
        if (danger := places.reading(word.text.replace(str(workspace.root), "."), workspace.closed)) is not None:
            yield danger


def _moved(simple: Simple, folders: list[Path]) -> list[Path]:
    """Where it may be afterwards, besides where it may have been: a subshell comes back."""
    words = [word for word in simple.words if word.text not in ("-P", "-L", "-e", "-@", "--", "builtin", "command")]
    if not words or words[0].text not in ("cd", "pushd", "chdir"):
        return []
    if len(words) == 1:
        return [Path.home()]
    if words[1].hidden or words[1].glob or words[1].text in ("-", "+1", "-1"):
        return [Path("/")]  # anywhere: what is written from there is asked for
    return [folder / words[1].text for folder in folders]
