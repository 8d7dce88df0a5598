"""An agent, opened: a child process that speaks ACP and works for one session.

What it says during a turn becomes facts of that turn, handed to the listener one by one in reading order. Updates
after the end of a turn still belong to it, until the next one begins; those of a cancelled turn are dropped. Whoever
owns the agent decides what a person's wish is; here it is put into the agent's words, once.

It is a long file with one class: every method is a door, of the owner or of the agent, to the state of one turn. What
can stand by itself does: opening, choices, what waits for a person, errands, translation.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from holdfast.agents.acp import asks, wire
from holdfast.agents.acp.asks import Elicited, Permission
from holdfast.agents.acp.calls import terminals
from holdfast.agents.acp.choices import Choices
from holdfast.agents.acp.connection import Connection, Gone, Rejected, explain
from holdfast.agents.acp.enclosures import enclose
from holdfast.agents.acp.errands import Answer, Errands
from holdfast.agents.acp.jsonrpc import INVALID_PARAMS, Failure, Id, Notification, Request, Response
from holdfast.agents.acp.listener import AgentUnusable, CommitFailed, CommitLost, Deaf, Listener, Result
from holdfast.agents.acp.opening import Hello, Strange, Wanted, enter, greet, why
from holdfast.agents.acp.translate import Meter, Translator
from holdfast.agents.acp.waiting import Waiting
from holdfast.agents.child import Child
from holdfast.agents.spec import AgentSpec
from holdfast.core.events import AgentDescribed, AnyFact, Attachment
from holdfast.core.excerpt import Message
from holdfast.core.ids import CallId, TurnId
from holdfast.workspace.files import Workspace

__all__ = ["AcpAgent", "AgentUnusable", "CommitFailed", "CommitLost", "Elicited", "Listener", "Permission", "Result"]

log = logging.getLogger(__name__)

OPENING = 60.0
"""Seconds that an agent gets to be ready."""
FAREWELL = 1.0
"""Seconds that it gets to end by itself after its input was closed, and again after SIGTERM."""
HEARING = 1.0
"""Seconds that an agent gets to show that a cancelled turn has said its last."""
STOPS = {
    "max_tokens": "The answer was cut off: the model reached its limit of tokens.",
    "max_turn_requests": "The agent stopped: it reached its limit of requests to the model in one turn.",
}


class AcpAgent:
    """Use `open`. One prompt at a time."""

    def __init__(self, spec: AgentSpec, child: Child, workspace: Path, home: str = "") -> None:
        self._spec = spec
        self._child = child
        self._listener: Listener = Deaf()
        self._workspace = workspace
        self._connection = Connection(child, self)
        self._translator: Translator | None = None
        self._prompting: asyncio.Future[Result] | None = None
        self._turn = TurnId("")
        self._cancelled = False
        self._closing = False
        self._waiting = Waiting(self._connection, lambda words: self._notice(words, "warning"))
        self.asks_first = False
        """Whether a person is asked before a file is written or a command is run for the agent."""
        self._home = home
        self._errands = self._runs_errands()
        self._blobs: Callable[[Attachment], Path] | None = None
        self._hello: Hello | None = None
        self._choices = Choices(spec.name)
        self._meter = Meter(fresh=True)
        self.pid, self.born, self.group = child.pid, child.born, child.group
        self.name = spec.title
        self.reference = ""
        self.version = ""
        self.warm = False
        self.knows = False
        """Whether it has heard something of the conversation, now or in an earlier life."""
        self.can_steer = False
        self.can_commit_memory = False
        self.takes_reasons = False
        self._reading = asyncio.create_task(self._read(), name=f"agent {spec.name}")
        self._reading.add_done_callback(_log_fault)

    @classmethod
    async def open(
        cls,
        spec: AgentSpec,
        *,
        workspace: Path,
        tag: str,
        listener: Listener,
        reference: str = "",
        home: str = "",
        blobs: Callable[[Attachment], Path] | None = None,
        patience: float = OPENING,
    ) -> "AcpAgent":
        """Start the agent and its session; take up the session `reference` if the agent can.

        Whether it could is told by the agent's own `reference`, which is another one if not. Raise `AgentUnusable`,
        with nothing left running, if it can't be started or is not ready in time.
        """
        agent = await cls.start(spec, workspace=workspace, tag=tag, home=home, patience=patience)
        await agent.enter(
            workspace=workspace, tag=tag, listener=listener, reference=reference, blobs=blobs, patience=patience
        )
        return agent

    @classmethod
    async def start(
        cls, spec: AgentSpec, *, workspace: Path, tag: str, home: str = "", patience: float = OPENING
    ) -> "AcpAgent":
        """Start the agent and hear what it can do. Its session comes with `enter`. Raise as `open`."""
        try:
            child = await Child.start(spec.command, tag=tag, cwd=workspace, env=spec.env, keep=spec.keep, home=home)
        except OSError as exc:
            raise AgentUnusable(spec.title, f"{spec.command[0]} can't be started in {workspace} ({exc}).") from exc
        agent = cls(spec, child, workspace, home)
        await agent.greet(patience)
        return agent

    async def greet(self, patience: float = OPENING) -> None:
        """Hear what it can do. Raise as `open`."""
        async with self._or_unusable(patience):
            self._hello = hello = await greet(self._connection)
        ours = hello.capabilities.ours
        self.name, self.version = hello.name or self.name, hello.version
        self.can_steer, self.can_commit_memory = ours.steer, ours.commit_memory
        self.takes_reasons, self.warm = ours.reasons, ours.warm

    async def enter(
        self,
        *,
        workspace: Path,
        tag: str,
        listener: Listener,
        reference: str = "",
        unfinished: str = "",
        blobs: Callable[[Attachment], Path] | None = None,
        patience: float = OPENING,
    ) -> None:
        """Begin or take up the agent's session. What it starts from now on carries `tag`. Raise as `open`.

        `unfinished` is what it said of an answer that was cut off, in case it did not keep that.
        """
        assert self._hello is not None
        self._workspace, self._blobs = workspace, blobs
        self._child.tag = tag
        self._errands = self._runs_errands()
        async with self._or_unusable(patience):
            run = tag if self.warm else ""
            wanted = Wanted(workspace=workspace, reference=reference, run=run, unfinished=unfinished)
            opened = await enter(self._connection, self._hello, wanted)
        self._listener = listener
        self._meter = Meter(fresh=opened.fresh)
        self.reference, self.knows = opened.reference, not opened.fresh
        self._choices.take(opened.choosable)

    def _runs_errands(self) -> Errands:
        """What is done for the agent: in its workspace, under the mark of its run."""
        excluded = [Path(self._home)] if self._home else []
        return Errands(self, Workspace(self._workspace, excluded), tag=self._child.tag, home=self._home)

    @contextlib.asynccontextmanager
    async def _or_unusable(self, patience: float) -> AsyncGenerator[None]:
        """What goes wrong in here leaves nothing running, and a sentence."""
        try:
            async with asyncio.timeout(patience):
                yield
        except (Rejected, Gone, Strange, TimeoutError) as exc:
            await self.end()
            raise AgentUnusable(self._spec.title, why(exc, self._connection, patience), self._child.stderr) from exc
        except BaseException:
            await self.end()
            raise

    @property
    def described(self) -> AgentDescribed:
        return self._choices.described

    @property
    def model_offered(self) -> bool:
        """Whether its model can be chosen while it lives."""
        return self._choices.model_offered

    async def choose(self, *, model: str, mode: str) -> list[str]:
        """Have it work as the session wants; return what did not work, as sentences."""
        before = self.described
        failures = await self._choices.choose(self._connection, self.reference, model=model, mode=mode)
        if self.described != before:
            self._listener.emit(self.described)
        return failures

    @property
    def alive(self) -> bool:
        return not self._connection.over

    # What the owner does.

    async def prompt(self, turn: TurnId, text: str, attachments: Sequence[Attachment] = ()) -> Result:
        """Hand over a message and wait for the end of the turn."""
        self._prompting = future = asyncio.get_running_loop().create_future()
        if self._cancelled:
            self._cancelled = False
            await self._hear_out()
        blocks = [{"type": "text", "text": text}, *[await self._enclose(each) for each in attachments if self._blobs]]
        if self._cancelled:
            self._prompting = None
            return Result("cancelled")
        self._turn, self._translator = turn, Translator(turn, self._meter)
        self.knows = True
        params = {"sessionId": self.reference, "prompt": blocks, "_meta": {"holdfast": {"turn": turn}}}
        self._connection.ask("session/prompt", params, partial(self._prompted, future))
        try:
            return await future
        except asyncio.CancelledError:
            self._translator = None  # the owner has turned away: what still comes belongs to nobody
            raise

    def cancel(self) -> None:
        """Tell the agent to stop, and that nobody will answer what it asked. Twice, or after the end: harmless."""
        if self._prompting is None or self._cancelled:
            return
        self._cancelled = True
        self._connection.notify("session/cancel", {"sessionId": self.reference})
        self._call_off()
        self._errands.stop()

    def answer_permission(self, name: str, *, allow: bool, reason: str = "", digest: str = "") -> None:
        """Allow or reject what was asked for, this once. An id that waits no more is ignored.

        `digest` names what a person saw: an agent of ours carries out that and nothing else.
        """
        if self._waiting.asks(name):
            self._errands.leaves.answer(name, allow=allow)
        self._waiting.decide(name, allow=allow, reason=reason, digest=digest)

    def answer_question(self, name: str, text: str | None) -> None:
        """Hand over a person's words; None if there are none. An id that waits no more is ignored."""
        self._waiting.say(name, text)

    async def steer(self, text: str) -> bool:
        """Hand over words for the turn in progress; return whether the agent took them. It may say so late.

        Raise `Gone` if it ended before it said so: then nobody knows.
        """
        if not self.can_steer:
            return False
        try:
            result = await self._connection.request("_holdfast/steer", {"sessionId": self.reference, "text": text})
        except Rejected:
            return False
        return (wire.read(result, dict[str, Any]) or {}).get("accepted") is not False

    async def commit_memory(self, token: str, first: int, last: int, messages: Sequence[Message] | None = None) -> None:
        """Have the agent commit its memory of generations `first` to `last`. Raise `CommitFailed` or `CommitLost`.

        `messages` is what was said in them, for an agent that was not there. A provider that has seen the token before
        has nothing to do.
        """
        params: dict[str, Any] = {"sessionId": self.reference, "token": token, "from": first, "to": last}
        if messages is not None:
            params["messages"] = [msgspec.structs.asdict(message) for message in messages]
        try:
            await self._connection.request("_holdfast/commit_memory", params)
        except Rejected as exc:
            raise CommitFailed(exc) from exc
        except Gone as exc:
            raise CommitLost("its process ended.") from exc

    async def close(self) -> None:
        """Let it end by itself, shortly, and end all that is left of it."""
        self._closing = True
        self._call_off()
        for ask in (self._child.hang_up, self._child.terminate):
            ask()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL):
                    await self._child.wait()
                break
        await self.end()

    async def end(self) -> None:
        """End it, its tools and all that they started, now. What it still had to say is not read."""
        self._closing = True
        self._reading.cancel()
        await self._child.end()
        await self._errands.close()
        await asyncio.wait([self._reading])

    async def _hear_out(self) -> None:
        """Let a cancelled turn say what it still has to say, to nobody.

        An update does not name its turn, so what comes after the next prompt is taken for that one's. Any answer, also
        that the method is unknown, shows that all that was said before it has been read.
        """
        with contextlib.suppress(Rejected, Gone, TimeoutError):
            async with asyncio.timeout(HEARING):
                await self._connection.request("_holdfast/hear_out", {})

    # What the agent does. Called by the connection, in reading order.

    def notified(self, notification: Notification) -> None:
        match notification.method:
            case "session/update":
                said = wire.read(notification.params, wire.Updated)
                if said is not None and said.session_id == (self.reference or said.session_id):
                    self._updated(said.update)
            case "_holdfast/notice":
                notice = wire.read(notification.params, wire.Notice)
                if notice is not None and notice.session_id == self.reference and self._translator is not None:
                    self._emit(self._translator.notice(notice))
            case "_holdfast/decided":
                decided = wire.read(notification.params, wire.Decided)
                if decided is not None and self._prompting is not None and not self._cancelled:
                    self._decided(decided)
            case _:
                pass

    def _updated(self, update: wire.AnyUpdate) -> None:
        if isinstance(update, wire.CommandsUpdate | wire.ModeUpdate | wire.OptionsUpdate):
            if self._choices.hear(update):
                self._listener.emit(self.described)
        elif self._translator is not None and self._current(update):
            # Without a turn it is the replay of an old session, or the rest of a cancelled turn.
            self._emit(self._translator.translate(update))
            self._show_terminals(update)

    def requested(self, request: Request) -> None:
        match request.method:
            case "session/request_permission":
                self._permission_wanted(request)
            case "elicitation/create":
                self._elicitation_wanted(request)
            case _:
                if not self._errands.take(request):
                    self._connection.unknown(request)

    def _show_terminals(self, update: wire.AnyUpdate) -> None:
        if isinstance(update, wire.ToolCall) and update.content:
            for terminal in terminals(update):
                self._errands.show(CallId(update.tool_call_id), terminal)

    def _current(self, update: wire.WithMeta) -> bool:
        """Whether an update belongs to this turn, as far as the agent says."""
        return update.raw_meta == wire.NULL or update.ours.turn in ("", self._turn)

    async def room(self) -> None:
        await self._listener.room()

    def _permission_wanted(self, request: Request) -> None:
        wanted = wire.read(request.params, wire.PermissionWanted)
        if wanted is None:
            self._connection.refuse(request.id, INVALID_PARAMS, "This is no permission request that we can read.")
        elif self._prompting is None or self._cancelled or self._translator is None:
            self._connection.respond(request.id, asks.CANCELLED)
        else:
            self._emit(self._translator.pause())
            name = self._waiting.name(wanted.ours.id)
            self._waiting.permission(name, request.id, wanted)
            call = self._translator.describe(wanted.tool_call)
            permission = asks.permission(name, wanted, call, str(self._workspace))
            self._errands.leaves.ask(permission)
            self._listener.permission_requested(permission)

    # The desk of what we do for the agent: see `Errands`.

    @property
    def working(self) -> bool:
        return self._prompting is not None and not self._cancelled and self._translator is not None

    def respond(self, request: Id, result: Any) -> None:
        self._connection.respond(request, result)

    def refuse(self, request: Id, code: int, message: str) -> None:
        self._connection.refuse(request, code, message)

    def new_ask(self) -> str:
        return self._waiting.name()

    def ask_leave(self, permission: Permission, answer: Answer) -> None:
        """Ask a person for something that we ourselves carry out."""
        if not self.working or self._translator is None:
            answer(None, "")
            return
        self._emit(self._translator.pause())
        self._waiting.own(permission.id, answer)
        self._listener.permission_requested(permission)

    def printed(self, call: CallId, text: str) -> None:
        if self._translator is not None:
            self._emit(self._translator.print(call, text))

    def _decided(self, decided: wire.Decided) -> None:
        """The agent has decided by itself on something that it would have asked for in another mode."""
        if self._translator is not None:
            self._emit(self._translator.pause())
            call = self._translator.describe(decided.tool_call)
            name = self._waiting.name(decided.ours.id)
            self._listener.decided(asks.permission(name, decided, call, str(self._workspace)), allow=decided.allowed)

    def _elicitation_wanted(self, request: Request) -> None:
        wanted = wire.read(request.params, wire.ElicitationWanted)
        name = self._waiting.name(wanted.ours.id if wanted else "")
        question = None if wanted is None else asks.question(name, wanted)
        if wanted is None or question is None:
            self._connection.refuse(request.id, INVALID_PARAMS, "Only forms can be shown, and this is none.")
        elif self._prompting is None or self._cancelled or self._translator is None:
            self._connection.respond(request.id, asks.CALLED_OFF)
        else:
            self._emit(self._translator.pause())
            self._waiting.question(name, request.id, wanted)
            self._listener.question_asked(question)

    def _prompted(self, future: "asyncio.Future[Result]", said: Response | Failure | None) -> None:
        """The turn is over. Runs where the response was read, so that what follows it is known to be late."""
        if future is not self._prompting:
            return
        self._prompting = None
        self._call_off()
        ended = wire.read(said.result, wire.Prompted) if isinstance(said, Response) else None
        stop = ended.stop_reason if ended else ""
        if self._translator is not None:
            self._emit(self._translator.finish(ended))
            if stop in STOPS:
                self._notice(STOPS[stop], "warning")
        if self._cancelled or stop == "cancelled":
            self._translator = None
        if not future.done():
            future.set_result(self._result(said, stop))

    def _result(self, said: Response | Failure | None, stop: str) -> Result:
        if self._cancelled or stop == "cancelled":
            return Result("cancelled")
        match said:
            case Response() if stop == "refusal":
                return Result("failed", "The agent refused to answer this message.", self._child.stderr)
            case Response():
                return Result("completed")
            case Failure():
                return Result("failed", explain(said), self._child.stderr)
            case None:
                return Result("failed", self._connection.fault or _ending(self._child.code), self._child.stderr)

    def _call_off(self) -> None:
        """Nobody will answer what is open."""
        self._waiting.call_off()
        self._errands.leaves.clear()

    def _emit(self, facts: Sequence[AnyFact]) -> None:
        for fact in facts:
            self._listener.emit(fact)

    def _notice(self, text: str, level: str) -> None:
        if self._translator is not None:
            self._emit(self._translator.notice(wire.Notice(session_id=self.reference, text=text, level=level)))

    async def _enclose(self, attachment: Attachment) -> dict[str, Any]:
        assert self._blobs is not None
        assert self._hello is not None
        looks = self._hello.capabilities.prompt_capabilities
        pictures = bool(looks and looks.image)
        return await asyncio.to_thread(enclose, attachment, self._blobs(attachment), pictures=pictures)

    async def _read(self) -> None:
        """Read to the end, whatever it is, and leave nothing running."""
        try:
            await self._connection.run()
        finally:
            if not self._closing:
                await self._child.end()
                await self._errands.close()
                if self.reference:
                    self._listener.ended(self._child.code, self._child.stderr)


def _log_fault(reading: "asyncio.Task[None]") -> None:
    if not reading.cancelled() and (fault := reading.exception()) is not None:
        log.error("agent.reading_failed", exc_info=fault)


def _ending(code: int | None) -> str:
    if code is None:
        return "The agent was ended."
    return f"The agent's process was killed (signal {-code})." if code < 0 else f"The agent's process ended ({code})."
