"""A program, its arguments, and where it runs."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from holdfast.agents.builtin.danger.places import Danger
from holdfast.agents.builtin.danger.words import Redirection, Word


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Where a command runs: the workspace, the folders it may be in, whether others print into it, and how to look at
    commands that it runs in turn. `unseen` says that it gets arguments that are not written here."""

    root: Path
    folders: tuple[Path, ...]
    pipes: bool
    downloads: bool
    again: Callable[[str], list[Danger]]
    unseen: bool = False


class Use:
    """A program and its arguments."""

    def __init__(self, name: str, arguments: Sequence[Word], redirections: Sequence[Redirection]) -> None:
        self.name = name
        self.arguments = list(arguments)
        self.redirections = redirections
        texts = [word.text for word in arguments]
        self.texts = texts
        end = texts.index("--") if "--" in texts else len(texts)
        options = [text for text in texts[:end] if text.startswith("-") and text != "-"]
        self.long = {text.partition("=")[0] for text in options if text.startswith("--")}
        self.short = {letter for text in options if not text.startswith("--") for letter in text[1:]}
        self.plain = [w for w in arguments[:end] if not w.text.startswith("-") or w.text == "-"] + [
            *arguments[end + 1 :]
        ]

    def has(self, *flags: str) -> bool:
        return any((flag in self.long) if flag.startswith("--") else (flag in self.short) for flag in flags)

    def part(self) -> str:
        """The first word that is no option: what many programs call a subcommand."""
        return self.plain[0].text if self.plain else ""


Rule = Callable[[Use, Scene], Iterable[Danger]]
