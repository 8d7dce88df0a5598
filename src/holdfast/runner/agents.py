"""The agent processes of one runner: the one that the session talks to, and those that still own something.

Law: a process that owns turns which are not committed to memory is kept, whatever the session wants now, and closed
once, when they are.
"""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from holdfast import faults
from holdfast.agents.acp.client import AcpAgent
from holdfast.agents.acp.listener import AgentUnusable, Deaf, Listener
from holdfast.agents.spec import AgentSpec
from holdfast.agents.standing import located
from holdfast.core.events import AgentDescribed, AgentOpened, AgentOpening, Attachment, NoticeRaised
from holdfast.core.ids import SessionId
from holdfast.core.ledger import Ledger, Segment
from holdfast.core.session import Session
from holdfast.owned import make_folder
from holdfast.runner.early import Early
from holdfast.runner.outbox import Outbox
from holdfast.settings import Settings
from holdfast.store.blobs import Blobs
from holdfast.workspace.files import NoWorkspace, check_root

ASK = "ask"
"""The mode in which a person is asked before anything is changed on an agent's behalf."""


class Hosted(msgspec.Struct, frozen=True, kw_only=True):
    """One process: its name in the log, the agent and the model that it was opened for, and where it works."""

    instance: str
    name: str
    model: str
    workspace: Path
    agent: AcpAgent

    def suits(self, model: str, workspace: Path, reference: str) -> bool:
        """Whether it can go on as it is. A model that it can't change needs a new process."""
        same = self.workspace == workspace and self.agent.reference == reference
        return same and (self.model == model or self.agent.model_offered)


class Agents:
    """All processes that this runner has opened and not closed, by instance."""

    def __init__(
        self,
        session: SessionId,
        epoch: int,
        outbox: Outbox,
        settings: Settings,
        find_agent: Callable[[str], AgentSpec],
        early: Early | None = None,
    ) -> None:
        self._session = session
        self._epoch = epoch
        self._outbox = outbox
        self._settings = settings
        self._find_agent = find_agent
        self._opened = 0
        self._hosted: dict[str, Hosted] = {}
        self._current = ""
        self._adopting = ""
        self._closing: set[str] = set()
        self._early = early

    def living(self, instance: str) -> Hosted | None:
        """The process of that name, if it can still be asked."""
        hosted = self._hosted.get(instance)
        return hosted if hosted is not None and hosted.agent.answers else None

    async def open(
        self, session: Session, listener: Listener, unfinished: Callable[[], Awaitable[str]]
    ) -> tuple[Hosted, bool]:
        """Have the agent that the session wants; whether it knows the conversation. Raise as `Host.open`.

        One that takes up a conversation is told what it said of an answer that was `unfinished`.
        """
        spec = self._find_agent(session.agent)
        wanted = session.conversation
        reference = wanted.reference if wanted is not None and wanted.agent == spec.name else ""
        current = self.living(self._current)
        if current is None or not current.suits(session.model, self._workspace(spec, session), reference):
            self._current = ""
            await self.tidy(session.ledger)
            self._outbox.emit(AgentOpening(agent=spec.name))
            said = await unfinished() if reference else ""
            current = await self._open(session, spec, reference, listener, aside=False, unfinished=said)
        await self._choose(current, session)
        return current, current.agent.knows

    async def _choose(self, hosted: Hosted, session: Session) -> None:
        """Have it work with the model and in the mode that the session wants.

        An agent that knows nothing of asking first is asked for by us.
        """
        known = {mode.id for mode in hosted.agent.described.modes}
        model = session.model if hosted.agent.model_offered else ""
        mode = "" if session.mode == ASK and ASK not in known else session.mode
        hosted.agent.asks_first = session.mode == ASK and ASK not in known
        for failure in await hosted.agent.choose(model=model, mode=mode):
            self._outbox.emit(NoticeRaised(text=failure, turn=session.running, level="warning", code="choice"))

    async def adopter(self, session: Session, segment: Segment) -> Hosted | None:
        """An agent that may commit what a dead one left: the present one, or one opened for that alone."""
        spec = self._find_agent(segment.agent or session.agent)
        current = self.living(self._current)
        if current is None or current.name != spec.name:
            current = await self._open(session, spec, segment.reference, Deaf(), aside=True)
        self._adopting = current.instance
        return current if current.agent.can_commit_memory else None

    async def conclude(self, ledger: Ledger) -> None:
        """An attempt is over: what its agent owns now is in the ledger."""
        self._adopting = ""
        await self.tidy(ledger)

    async def _open(
        self,
        session: Session,
        spec: AgentSpec,
        reference: str,
        listener: Listener,
        *,
        aside: bool,
        unfinished: str = "",
    ) -> Hosted:
        self._opened += 1
        instance = f"{self._epoch}.{self._opened}"
        workspace = self._workspace(spec, session)
        tag = f"{self._session}:{instance}"
        early, self._early = self._early, None
        agent = None if early is None else await early.take(spec)
        if agent is None:
            home = str(self._settings.home)
            agent = await AcpAgent.start(located(spec, os.environ), workspace=workspace, tag=tag, home=home)
        await agent.enter(
            workspace=workspace,
            tag=tag,
            listener=listener,
            reference=reference,
            unfinished=unfinished,
            blobs=self._blob,
        )
        hosted = Hosted(instance=instance, name=spec.name, model=session.model, workspace=workspace, agent=agent)
        self._hosted[instance] = hosted
        if aside:
            self._adopting = instance
        else:
            self._current = instance  # before anybody can tidy: a commit of memory may end while this is written down
        opened = AgentOpened(
            agent=spec.name,
            instance=instance,
            pid=agent.pid,
            born=agent.born,
            group=agent.group,
            reference=agent.reference,
            steers=agent.can_steer,
            takes_reasons=agent.takes_reasons,
            remembers=agent.can_commit_memory,
            aside=aside,
        )
        await self._outbox.commit(opened)
        faults.point("runner.agent_opened")
        if not aside and agent.described != AgentDescribed(agent=spec.name):
            self._outbox.emit(agent.described)
        return hosted

    def _workspace(self, spec: AgentSpec, session: Session) -> Path:
        """The folder that the session names, or one of its own. Raise `AgentUnusable` if nobody can work there."""
        own = self._settings.workspaces / self._session
        try:
            check_root(session.workspace or own, self._settings.home)
            if session.workspace:
                return Path(session.workspace).expanduser()
            make_folder(own)
        except (NoWorkspace, OSError) as exc:
            raise AgentUnusable(spec.title, str(exc)) from exc
        return own

    def _blob(self, attachment: Attachment) -> Path:
        return Blobs(self._settings.blobs).path(attachment.blob)

    async def tidy(self, ledger: Ledger | None) -> None:
        """Close whoever owns nothing and is not talked to, and whoever is dead once all that it said is read."""
        needed = {self._current, self._adopting, *([] if ledger is None else ledger.owners)}
        kept = {name for name, hosted in self._hosted.items() if name in needed and hosted.agent.alive}
        for instance in self._hosted.keys() - kept:
            if instance in self._hosted and instance not in self._closing:
                await self._close(instance)

    async def _close(self, instance: str) -> None:
        """Whoever is cut off in this leaves the process to `close`."""
        self._closing.add(instance)
        try:
            await self._hosted[instance].agent.close()
            self._hosted.pop(instance, None)
        finally:
            self._closing.discard(instance)

    async def close(self) -> None:
        """Let every agent end by itself, shortly, and end what is left of it."""
        for instance in list(self._hosted):
            await self._close(instance)

    async def end(self) -> None:
        """End the one that is talked to, and all that it started, now."""
        hosted = self._hosted.pop(self._current, None)
        if hosted is not None:
            await hosted.agent.end()
