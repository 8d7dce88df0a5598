"""What an agent asks us to do: read and write files, run commands. All of it inside the workspace.

Reading is done at once. What changes something is done while a turn runs and is not cancelled; in mode *ask*, only
after a person has allowed it, unless the agent itself asked for exactly that. What is refused is refused in a sentence.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import msgspec

from holdfast.agents.acp import wire
from holdfast.agents.acp.asks import Permission
from holdfast.agents.acp.deeds import Deed, Leaves, Run, Write, digest_of
from holdfast.agents.acp.files import NoFile, read_text, write_text
from holdfast.agents.acp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, Id, Request
from holdfast.agents.acp.terminals import NotStarted, Terminal, shell_line
from holdfast.core.errors import HoldfastError, Refused
from holdfast.core.ids import CallId
from holdfast.workspace.files import Workspace, is_folder

log = logging.getLogger(__name__)

NOT_FOUND = -32002
NOT_ALLOWED = -32003
MOST = 100
"""Terminals that an agent may hold at once."""

Answer = Callable[[str | None, str], None]
"""Called with the digest of what was allowed, or with None and the reason why it was not."""


class NotAllowed(Refused):
    """A person did not allow this.{0}"""


class NoTurn(Refused):
    """No turn is running, so nothing is changed now."""


class Stale(Refused):
    """{0} is not what it was when a person allowed to write it. Read it again."""


class NoTerminal(Refused):
    """There is no terminal {0!r}, or it was released."""

    status = 404


class TooMany(Refused):
    """{0} terminals are open. Release some first."""


class Desk(Protocol):
    """Where requests come from and answers go to."""

    @property
    def working(self) -> bool:
        """Whether a turn runs that nobody has cancelled."""
        ...

    @property
    def asks_first(self) -> bool:
        """Whether a person is asked before something is changed."""
        ...

    def respond(self, request: Id, result: Any) -> None: ...
    def refuse(self, request: Id, code: int, message: str) -> None: ...
    def ask_leave(self, permission: Permission, answer: Answer) -> None: ...
    def new_ask(self) -> str: ...
    def printed(self, call: CallId, text: str) -> None: ...
    async def room(self) -> None: ...


class ReadWanted(wire.Wire, frozen=True, kw_only=True):
    path: str
    line: int | None = None
    limit: int | None = None


class WriteWanted(wire.Wire, frozen=True, kw_only=True):
    path: str
    content: str


class Variable(wire.Wire, frozen=True, kw_only=True):
    name: str
    value: str


class TerminalWanted(wire.Wire, frozen=True, kw_only=True):
    command: str
    args: tuple[str, ...] | None = None
    env: tuple[Variable, ...] | None = None
    cwd: str | None = None
    output_byte_limit: int | None = None


class TerminalNamed(wire.Wire, frozen=True, kw_only=True):
    terminal_id: str


class Shown(msgspec.Struct):
    """A terminal, the call that shows it, and the task that reads it."""

    terminal: Terminal
    call: CallId | None = None
    reading: "asyncio.Task[None] | None" = None


class Errands:
    """Of one agent, for as long as it lives."""

    def __init__(self, desk: Desk, workspace: Workspace, *, tag: str, home: str = "") -> None:
        self._desk = desk
        self._workspace = workspace
        self._tag = tag
        self._home = home
        self._terminals: dict[str, Shown] = {}
        self._opened = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.leaves = Leaves()

    def take(self, request: Request) -> bool:
        """Carry the request out; false if it is none of ours. The answer comes when it is done."""
        doing = self._begin(request)
        if doing is None:
            return False
        self._do(self._answer(request.id, doing))
        return True

    def show(self, call: CallId, terminal: str) -> None:
        """The call shows what the terminal prints, from its beginning on."""
        shown = self._terminals.get(terminal)
        if shown is not None and shown.call is None:
            shown.call = call
            self._desk.printed(call, str(shown.terminal.output))

    def stop(self) -> None:
        """The turn was cancelled: no command of it goes on. What was printed can still be read."""
        self.leaves.clear()
        for shown in self._terminals.values():
            self._do(shown.terminal.kill())

    async def close(self) -> None:
        """The agent is gone: end all that runs for it."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        for shown in self._terminals.values():
            await shown.terminal.kill()
        self._terminals.clear()
        if tasks:
            await asyncio.wait(tasks)

    def _begin(self, request: Request) -> "Coroutine[Any, Any, Any] | None":
        match request.method:
            case "fs/read_text_file":
                return self._read(_read(request, ReadWanted))
            case "fs/write_text_file":
                return self._write(_read(request, WriteWanted))
            case "terminal/create":
                return self._create(_read(request, TerminalWanted))
            case "terminal/output":
                return self._output(_read(request, TerminalNamed))
            case "terminal/wait_for_exit":
                return self._wait(_read(request, TerminalNamed))
            case "terminal/kill":
                return self._kill(_read(request, TerminalNamed))
            case "terminal/release":
                return self._release(_read(request, TerminalNamed))
            case _:
                return None

    async def _answer(self, request: Id, doing: "Coroutine[Any, Any, Any]") -> None:
        try:
            result = await doing
        except HoldfastError as exc:
            self._desk.refuse(request, _code(exc), str(exc))
        except Exception:  # the edge to a foreign program: it must not wait for ever
            log.exception("agent.errand_failed")
            self._desk.refuse(request, INTERNAL_ERROR, "Something went wrong in Holdfast; its log says what.")
        else:
            self._desk.respond(request, result)

    # Files.

    async def _read(self, wanted: ReadWanted | None) -> dict[str, Any]:
        wanted = _given(wanted)
        text = await asyncio.to_thread(read_text, self._workspace, wanted.path, wanted.line, wanted.limit)
        return {"content": text}

    async def _write(self, wanted: WriteWanted | None) -> dict[str, Any]:
        wanted = _given(wanted)
        self._check()
        if self._desk.asks_first:
            before = await asyncio.to_thread(_before, self._workspace, wanted.path)
            deed = Write(path=wanted.path, content=wanted.content, before=before, workspace=str(self._workspace.root))
            await self._leave(deed)
            if await asyncio.to_thread(_before, self._workspace, wanted.path) != before:
                raise Stale(wanted.path)
        await asyncio.to_thread(write_text, self._workspace, wanted.path, wanted.content)
        return {}

    # Terminals.

    async def _create(self, wanted: TerminalWanted | None) -> dict[str, Any]:
        wanted = _given(wanted)
        self._check()
        cwd = self._workspace.resolve(wanted.cwd or self._workspace.root)
        deed = Run(
            command=wanted.command,
            args=wanted.args or (),
            env={each.name: each.value for each in wanted.env or ()},
            cwd=str(cwd),
            limit=wanted.output_byte_limit,
        )
        if not is_folder(cwd):
            raise NotStarted(deed.line, deed.cwd, "there is no such folder")
        if self._desk.asks_first:
            await self._leave(deed)
        if len(self._terminals) >= MOST:
            raise TooMany(MOST)
        self._opened += 1
        name = f"terminal-{self._opened}"
        terminal = Terminal.start(
            shell_line(deed.command, deed.args),
            cwd=cwd,
            env=deed.env,
            tag=self._tag,
            name=name,
            home=self._home,
            limit=deed.limit,
        )
        shown = self._terminals[name] = Shown(terminal)
        shown.reading = self._do(terminal.run(lambda text: self._printed(shown, text)))
        return {"terminalId": name}

    async def _output(self, wanted: TerminalNamed | None) -> dict[str, Any]:
        terminal = self._named(wanted).terminal
        answer: dict[str, Any] = {"output": str(terminal.output), "truncated": terminal.output.cut}
        return answer | ({"exitStatus": _status(terminal)} if terminal.exit is not None else {})

    async def _wait(self, wanted: TerminalNamed | None) -> dict[str, Any]:
        terminal = self._named(wanted).terminal
        await terminal.over.wait()
        return _status(terminal)

    async def _kill(self, wanted: TerminalNamed | None) -> dict[str, Any]:
        await self._named(wanted).terminal.kill()
        return {}

    async def _release(self, wanted: TerminalNamed | None) -> dict[str, Any]:
        shown = self._named(wanted)
        self._terminals.pop(_given(wanted).terminal_id, None)
        await shown.terminal.kill()
        return {}

    def _named(self, wanted: TerminalNamed | None) -> Shown:
        name = _given(wanted).terminal_id
        if name not in self._terminals:
            raise NoTerminal(name)
        return self._terminals[name]

    async def _printed(self, shown: Shown, text: str) -> None:
        if shown.call is not None and text:
            self._desk.printed(shown.call, text)
            await self._desk.room()

    # Leave.

    def _check(self) -> None:
        if not self._desk.working:
            raise NoTurn

    async def _leave(self, deed: Deed) -> None:
        """Return when it may be done. Raise `NotAllowed` if a person said no, or something else was allowed."""
        if self.leaves.use(deed):
            return
        answered: asyncio.Future[tuple[str | None, str]] = asyncio.get_running_loop().create_future()

        def answer(allowed: str | None, reason: str) -> None:
            if not answered.done():
                answered.set_result((allowed, reason))

        self._desk.ask_leave(deed.permission(self._desk.new_ask()), answer)
        allowed, reason = await answered
        self._check()
        if allowed is None:
            raise NotAllowed(f" They say: {reason}" if reason else "")
        if allowed != digest_of(deed):
            raise NotAllowed(" What they saw is not what was asked.")

    def _do(self, doing: "Coroutine[Any, Any, None]") -> "asyncio.Task[None]":
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _read(request: Request, kind: type[wire.T]) -> wire.T | None:
    return wire.read(request.params, kind)


class _Unreadable(Refused):
    """This request is not what the protocol says."""

    status = 400


def _given(wanted: wire.T | None) -> wire.T:
    if wanted is None:
        raise _Unreadable
    return wanted


def _before(workspace: Workspace, path: str) -> str | None:
    with contextlib.suppress(NoFile):
        return read_text(workspace, path)
    return None


def _status(terminal: Terminal) -> dict[str, Any]:
    ended = terminal.exit
    return {} if ended is None else {"exitCode": ended.code, "signal": ended.signal}


def _code(error: HoldfastError) -> int:
    match error.status:
        case 404:
            return NOT_FOUND
        case 400:
            return INVALID_PARAMS
        case _:
            return NOT_ALLOWED
