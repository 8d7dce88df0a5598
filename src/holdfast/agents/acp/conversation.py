"""What is said in an agent's session, both ways: prompts and answers go out, facts and asks come in.

What the agent says during a turn becomes facts of that turn, handed to the listener one by one in reading order.
Updates after the end of a turn still belong to it, until the next one begins; those of a cancelled turn are dropped.

Every method is a door, of the owner or of the agent, to the state of one turn. What can stand by itself does: choices,
what waits for a person, errands, translation.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from holdfast.agents.acp import asks, wire
from holdfast.agents.acp.asks import Permission
from holdfast.agents.acp.calls import terminals
from holdfast.agents.acp.choices import Choices
from holdfast.agents.acp.connection import Connection, Gone, Rejected, explain
from holdfast.agents.acp.enclosures import enclose
from holdfast.agents.acp.errands import Answer, Errands
from holdfast.agents.acp.jsonrpc import INVALID_PARAMS, Failure, Id, Notification, Request, Response
from holdfast.agents.acp.listener import Deaf, Listener, Result
from holdfast.agents.acp.opening import Opened
from holdfast.agents.acp.translate import Meter, Translator
from holdfast.agents.acp.waiting import Waiting
from holdfast.agents.child import Child
from holdfast.core.errors import HoldfastError
from holdfast.core.events import AnyFact, Attachment
from holdfast.core.ids import CallId, TurnId
from holdfast.workspace.files import Workspace

HEARING = 1.0
"""Seconds that an agent gets to show that a cancelled turn has said its last."""
UNREADABLE = "What was attached can't be read. {0} Attach it again, or send the message without it."
STOPS = {
    "max_tokens": "The answer was cut off: the model reached its limit of tokens.",
    "max_turn_requests": "The agent stopped: it reached its limit of requests to the model in one turn.",
}


class Conversation:
    """Of one agent, for as long as it lives. One prompt at a time."""

    def __init__(self, name: str, child: Child, workspace: Path, home: str) -> None:
        self._child = child
        self._workspace = workspace
        self._home = home
        self._blobs: Callable[[Attachment], Path] | None = None
        self._pictures = False
        self._listener: Listener = Deaf()
        self._translator: Translator | None = None
        self._prompting: asyncio.Future[Result] | None = None
        self._turn = TurnId("")
        self._message = range(0)
        self._cancelled = False
        self._meter = Meter(fresh=True)
        self.connection = Connection(child, self)
        self._waiting = Waiting(self.connection, lambda words: self._notice(words, "warning"))
        self.errands = self._runs_errands()
        self.choices = Choices(name)
        self.reference = ""
        self.asks_first = False
        self.knows = False

    def work_in(self, workspace: Path, blobs: Callable[[Attachment], Path] | None, *, pictures: bool) -> None:
        """Where it works from now on, under the mark that its process has by now, and how it is shown files."""
        self._workspace, self._blobs, self._pictures = workspace, blobs, pictures
        self.errands = self._runs_errands()

    def begin(self, opened: Opened, listener: Listener) -> None:
        """The agent has begun or taken up its session."""
        self._listener = listener
        self._meter = Meter(fresh=opened.fresh)
        self.reference, self.knows = opened.reference, not opened.fresh
        self.choices.take(opened.choosable)

    def ended(self) -> None:
        """The agent's process died by itself."""
        if self.reference:
            self._listener.ended(self._child.code, self._child.stderr)

    def _runs_errands(self) -> Errands:
        """What is done for the agent: in its workspace, under the mark of its run."""
        excluded = [Path(self._home)] if self._home else []
        return Errands(self, Workspace(self._workspace, excluded), tag=self._child.tag, home=self._home)

    async def choose(self, *, model: str, mode: str) -> list[str]:
        """As `AcpAgent.choose`, and tell what became of it."""
        before = self.choices.described
        failures = await self.choices.choose(self.connection, self.reference, model=model, mode=mode)
        if self.choices.described != before:
            self._listener.emit(self.choices.described)
        return failures

    async def prompt(self, turn: TurnId, text: str, attachments: Sequence[Attachment] = ()) -> Result:
        """As `AcpAgent.prompt`."""
        self._prompting = future = asyncio.get_running_loop().create_future()
        if self._cancelled:
            self._cancelled = False
            await self._hear_out()
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
        try:
            blocks += [await self._enclose(each) for each in attachments if self._blobs]
        except (HoldfastError, OSError) as exc:
            self._prompting = None
            return Result("failed", UNREADABLE.format(exc))
        if self._cancelled:
            self._prompting = None
            return Result("cancelled")
        self._turn, self._translator = turn, Translator(turn, self._meter)
        self.knows = True
        params = {"sessionId": self.reference, "prompt": blocks, "_meta": {"holdfast": {"turn": turn}}}
        before = self._child.told
        self._message = range(before, before)  # to one that is known to be dead nothing is written
        self.connection.ask("session/prompt", params, partial(self._prompted, future))
        self._message = range(before, self._child.told)
        try:
            return await future
        except asyncio.CancelledError:
            self._translator = None  # the owner has turned away: what still comes belongs to nobody
            raise

    def cancel(self) -> None:
        """As `AcpAgent.cancel`."""
        if self._prompting is None or self._cancelled:
            return
        self._cancelled = True
        self.connection.notify("session/cancel", {"sessionId": self.reference})
        self.call_off()
        self.errands.stop()

    def answer_permission(self, name: str, *, allow: bool, reason: str = "", digest: str = "") -> None:
        """As `AcpAgent.answer_permission`."""
        if self._waiting.asks(name):
            self.errands.leaves.answer(name, allow=allow)
        self._waiting.decide(name, allow=allow, reason=reason, digest=digest)

    def answer_question(self, name: str, text: str | None) -> None:
        """As `AcpAgent.answer_question`."""
        self._waiting.say(name, text)

    async def _hear_out(self) -> None:
        """Let a cancelled turn say what it still has to say, to nobody.

        An update does not name its turn, so what comes after the next prompt is taken for that one's. Any answer, also
        that the method is unknown, shows that all that was said before it has been read.
        """
        with contextlib.suppress(Rejected, Gone, TimeoutError):
            async with asyncio.timeout(HEARING):
                await self.connection.request("_holdfast/hear_out", {})

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
            if self.choices.hear(update):
                self._listener.emit(self.choices.described)
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
                if not self.errands.take(request):
                    self.connection.unknown(request)

    def _show_terminals(self, update: wire.AnyUpdate) -> None:
        if isinstance(update, wire.ToolCall) and update.content:
            for terminal in terminals(update):
                self.errands.show(CallId(update.tool_call_id), terminal)

    def _current(self, update: wire.WithMeta) -> bool:
        """Whether an update belongs to this turn, as far as the agent says."""
        return update.raw_meta == wire.NULL or update.ours.turn in ("", self._turn)

    async def room(self) -> None:
        await self._listener.room()

    def _permission_wanted(self, request: Request) -> None:
        wanted = wire.read(request.params, wire.PermissionWanted)
        if wanted is None:
            self.connection.refuse(request.id, INVALID_PARAMS, "This is no permission request that we can read.")
        elif self._prompting is None or self._cancelled or self._translator is None:
            self.connection.respond(request.id, asks.CANCELLED)
        else:
            self._emit(self._translator.pause())
            name = self._waiting.name(wanted.ours.id)
            self._waiting.permission(name, request.id, wanted)
            call = self._translator.describe(wanted.tool_call)
            permission = asks.permission(name, wanted, call, str(self._workspace))
            self.errands.leaves.ask(permission)
            self._listener.permission_requested(permission)

    # The desk of what we do for the agent: see `Errands`.

    @property
    def working(self) -> bool:
        return self._prompting is not None and not self._cancelled and self._translator is not None

    def respond(self, request: Id, result: Any) -> None:
        self.connection.respond(request, result)

    def refuse(self, request: Id, code: int, message: str) -> None:
        self.connection.refuse(request, code, message)

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
            self.connection.refuse(request.id, INVALID_PARAMS, "Only forms can be shown, and this is none.")
        elif self._prompting is None or self._cancelled or self._translator is None:
            self.connection.respond(request.id, asks.CALLED_OFF)
        else:
            self._emit(self._translator.pause())
            self._waiting.question(name, request.id, wanted)
            self._listener.question_asked(question)

    def _prompted(self, future: "asyncio.Future[Result]", said: Response | Failure | None) -> None:
        """The turn is over. Runs where the response was read, so that what follows it is known to be late."""
        if future is not self._prompting:
            return
        self._prompting = None
        self.call_off()
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
                why = self.connection.fault or _ending(self._child.code)
                return Result("failed", why, self._child.stderr, unheard=self._unheard)

    @property
    def _unheard(self) -> bool:
        """Whether the message was the last that was written to an agent that is dead by now, and nobody has read it."""
        heard, told = self._child.heard, self._child.told
        return heard is not None and heard <= self._message.start and told == self._message.stop

    def call_off(self) -> None:
        """Nobody will answer what is open."""
        self._waiting.call_off()
        self.errands.leaves.clear()

    def _emit(self, facts: Sequence[AnyFact]) -> None:
        for fact in facts:
            self._listener.emit(fact)

    def _notice(self, text: str, level: str) -> None:
        if self._translator is not None:
            self._emit(self._translator.notice(wire.Notice(session_id=self.reference, text=text, level=level)))

    async def _enclose(self, attachment: Attachment) -> dict[str, Any]:
        assert self._blobs is not None
        return await asyncio.to_thread(enclose, attachment, self._blobs(attachment), pictures=self._pictures)


def _ending(code: int | None) -> str:
    if code is None:
        return "The agent was ended."
    return f"The agent's process was killed (signal {-code})." if code < 0 else f"The agent's process ended ({code})."
