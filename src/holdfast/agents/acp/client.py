"""An agent, opened: a child process that speaks ACP and works for one session.

Here is its life, from the start to the end of all that it left; what is said in its session is the `conversation`.
Whoever owns the agent decides what a person's wish is; here it is put into the agent's words, once.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from holdfast.agents.acp import wire
from holdfast.agents.acp.connection import Gone, Rejected
from holdfast.agents.acp.conversation import Conversation
from holdfast.agents.acp.listener import AgentUnusable, CommitFailed, CommitLost, Listener, Result
from holdfast.agents.acp.opening import Hello, Strange, Wanted, enter, greet, why
from holdfast.agents.child import Child
from holdfast.agents.spec import AgentSpec
from holdfast.core.events import AgentDescribed, Attachment
from holdfast.core.excerpt import Message
from holdfast.core.ids import TurnId

__all__ = ["AcpAgent", "AgentUnusable", "CommitFailed", "CommitLost", "Listener", "Result"]

log = logging.getLogger(__name__)

OPENING = 60.0
"""Seconds that an agent gets to be ready."""
FAREWELL = 1.0
"""Seconds that it gets to end by itself after its input was closed, and again after SIGTERM."""


class AcpAgent:
    """Use `open`. One prompt at a time."""

    def __init__(self, spec: AgentSpec, child: Child, workspace: Path, home: str = "") -> None:
        self._spec = spec
        self._child = child
        self._conversation = Conversation(spec.name, child, workspace, home)
        self._connection = self._conversation.connection
        self._closing = False
        self._hello: Hello | None = None
        self.pid, self.born, self.group = child.pid, child.born, child.group
        self.name = spec.title
        self.version = ""
        self.warm = False
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
        looks = self._hello.capabilities.prompt_capabilities
        self._child.tag = tag
        self._conversation.work_in(workspace, blobs, pictures=bool(looks and looks.image))
        async with self._or_unusable(patience):
            run = tag if self.warm else ""
            wanted = Wanted(workspace=workspace, reference=reference, run=run, unfinished=unfinished)
            opened = await enter(self._connection, self._hello, wanted)
        self._conversation.begin(opened, listener)

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
        return self._conversation.choices.described

    @property
    def model_offered(self) -> bool:
        """Whether its model can be chosen while it lives."""
        return self._conversation.choices.model_offered

    @property
    def reference(self) -> str:
        """The agent's own name of its session; empty until it has one."""
        return self._conversation.reference

    @property
    def knows(self) -> bool:
        """Whether it has heard something of the conversation, now or in an earlier life."""
        return self._conversation.knows

    @property
    def asks_first(self) -> bool:
        """Whether a person is asked before a file is written or a command is run for the agent."""
        return self._conversation.asks_first

    @asks_first.setter
    def asks_first(self, asks_first: bool) -> None:
        self._conversation.asks_first = asks_first

    @property
    def alive(self) -> bool:
        """Whether more may be heard of it. One that has just died is alive until its last words are read."""
        return not self._connection.over

    @property
    def answers(self) -> bool:
        """Whether it can be asked: it is alive, and its process has not ended."""
        return self.alive and not self._child.gone

    # What the owner does.

    async def choose(self, *, model: str, mode: str) -> list[str]:
        """Have it work as the session wants; return what did not work, as sentences."""
        return await self._conversation.choose(model=model, mode=mode)

    async def prompt(self, turn: TurnId, text: str, attachments: Sequence[Attachment] = ()) -> Result:
        """Hand over a message and wait for the end of the turn."""
        return await self._conversation.prompt(turn, text, attachments)

    def cancel(self) -> None:
        """Tell the agent to stop, and that nobody will answer what it asked. Twice, or after the end: harmless."""
        self._conversation.cancel()

    def answer_permission(self, name: str, *, allow: bool, reason: str = "", digest: str = "") -> None:
        """Allow or reject what was asked for, this once. An id that waits no more is ignored.

        `digest` names what a person saw: an agent of ours carries out that and nothing else.
        """
        self._conversation.answer_permission(name, allow=allow, reason=reason, digest=digest)

    def answer_question(self, name: str, text: str | None) -> None:
        """Hand over a person's words; None if there are none. An id that waits no more is ignored."""
        self._conversation.answer_question(name, text)

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
        self._conversation.call_off()
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
        await self._conversation.errands.close()
        await asyncio.wait([self._reading])

    async def _read(self) -> None:
        """Read to the end, whatever it is, and leave nothing running."""
        try:
            await self._connection.run()
        finally:
            if not self._closing:
                await self._child.end()
                await self._conversation.errands.close()
                self._conversation.ended()


def _log_fault(reading: "asyncio.Task[None]") -> None:
    if not reading.cancelled() and (fault := reading.exception()) is not None:
        log.error("agent.reading_failed", exc_info=fault)
