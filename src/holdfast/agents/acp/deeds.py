"""What an agent has us do that changes something: write a file, run a command. And what a person's leave covers.

Law: a deed is a value. What a person sees is made of it, and it alone is carried out: `digest` names both. A leave that
the agent got for a tool call covers a deed only if it named exactly that, and once.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path

import msgspec

from holdfast.agents.acp.asks import Permission
from holdfast.core.events import Diff
from holdfast.core.policy import digest


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Run a command; one without arguments is a line for the shell."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    cwd: str
    limit: int | None = None

    @property
    def line(self) -> str:
        """The whole of it in one line, what is set for it included: rules that a person makes name this."""
        command = shlex.join((self.command, *self.args)) if self.args else self.command
        return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in self.env.items()), command])

    def permission(self, name: str) -> Permission:
        said = {"command": self.command, "args": self.args, "env": dict(self.env), "cwd": self.cwd}
        return Permission(
            id=name,
            call=None,
            title=self.line,
            command=self.line,
            tool="terminal",
            action="execute",
            arguments=msgspec.json.encode(said).decode(),
            directory=self.cwd,
            description="The agent wants to run this command.",
        )

    def covered_by(self, leave: Permission) -> bool:
        """An environment of its own is never covered: nobody saw it."""
        return not self.env and self.line == leave.command and Path(self.cwd) == Path(leave.directory)


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """Make the file at `path` hold `content`, in place of `before`."""

    path: str
    content: str
    before: str | None
    workspace: str

    def permission(self, name: str) -> Permission:
        return Permission(
            id=name,
            call=None,
            title=f"Write {self.path}",
            command=f"Write {self.path}",
            tool="write file",
            action="edit",
            arguments=msgspec.json.encode({"path": self.path}).decode(),
            directory=self.workspace,
            description="The agent wants to write this file.",
            diffs=(Diff(path=self.path, old=self.before, new=self.content),),
        )

    def covered_by(self, leave: Permission) -> bool:
        """A leave shows the whole file, or one place in it that is to be changed."""
        return any(Path(diff.path) == Path(self.path) and self._made_by(diff) for diff in leave.diffs)

    def _made_by(self, diff: Diff) -> bool:
        if diff.new == self.content and (diff.old or "") == (self.before or ""):
            return True
        before = self.before or ""
        once = bool(diff.old) and before.count(diff.old or "") == 1
        return once and before.replace(diff.old or "", diff.new) == self.content


Deed = Run | Write


def digest_of(deed: Deed) -> str:
    """The name of exactly this deed, as the record of its approval has it."""
    shown = deed.permission("")
    return digest(shown.command, shown.arguments, shown.directory, shown.diffs)


class Leaves:
    """What the agent was allowed in this turn and has not used."""

    def __init__(self) -> None:
        self._asked: dict[str, Permission] = {}
        self._given: list[Permission] = []

    def ask(self, permission: Permission) -> None:
        self._asked[permission.id] = permission

    def answer(self, name: str, *, allow: bool) -> None:
        permission = self._asked.pop(name, None)
        if permission is not None and allow:
            self._given.append(permission)

    def use(self, deed: Deed) -> bool:
        """Whether a leave covers it; that one is used up."""
        for leave in self._given:
            if deed.covered_by(leave):
                self._given.remove(leave)
                return True
        return False

    def clear(self) -> None:
        """The turn is over."""
        self._asked.clear()
        self._given.clear()
