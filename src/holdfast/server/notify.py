"""Tells a person who is not looking: something waits for an answer, or a long run is over.

Law: what was told is in the session's own log (`person.notified`), so a restart tells nothing twice; what could not be
delivered is not, so it is tried again. Nothing waits for it: no run, no request.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator

import msgspec

from holdfast.core.errors import HoldfastError
from holdfast.core.events import PersonNotified
from holdfast.core.ids import SessionId
from holdfast.core.items import Approval, Question
from holdfast.core.overview import Overview, open_asks
from holdfast.core.session import Session
from holdfast.core.state import Run
from holdfast.server.message import Message, NotDelivered, deliver
from holdfast.server.wiring import Wiring
from holdfast.settings import NotifySettings
from holdfast.store.changed import Changed

log = logging.getLogger(__name__)

TICK = 1.0
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 600.0
RECENT = 60 * 60 * 1000
"""Milliseconds after which the end of a run is no news any more."""
ENDINGS = {"completed": "is done", "failed": "failed", "interrupted": "was interrupted"}


class Due(msgspec.Struct, frozen=True):
    """Something to tell, and the record that says it was told."""

    message: Message
    told: PersonNotified


class Notifier:
    """Watches the session list, and what waits in it. `link` is where the page is."""

    def __init__(self, wiring: Wiring, link: str) -> None:
        self._wiring = wiring
        self._settings: NotifySettings = wiring.settings.file.notify
        self._link = (self._settings.link or link).rstrip("/")
        self._changed = Changed(wiring.store)
        self._rows: dict[SessionId, Overview] = {}
        self._underway: dict[tuple[SessionId, str], asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Watch until cancelled. Without anybody to tell there is nothing to do."""
        if not (self._settings.url or self._settings.command):
            return
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    await self._look(group)
                except HoldfastError as exc:
                    log.warning("notify.failed", extra={"error": str(exc)})
                await asyncio.sleep(TICK)

    async def _look(self, group: asyncio.TaskGroup) -> None:
        async for row in self._changed.rows():
            self._rows[row.id] = row.overview
        now = time.time_ns() // 1_000_000
        for session, row in list(self._rows.items()):
            async for due in self._due(session, row, now):
                name = (session, due.told.ask or due.told.turn or "")
                if name not in self._underway:
                    self._underway[name] = task = group.create_task(self._tell(session, due))
                    task.add_done_callback(lambda _, name=name: self._underway.pop(name, None))

    async def _due(self, session: SessionId, row: Overview, now: int) -> AsyncGenerator[Due]:
        """What a person should be told now, who looks at no tab."""
        if row.state == "idle" and now - row.active_at > RECENT:
            self._rows.pop(session, None)  # it comes back when it changes
            return
        if self._wiring.hub.seen or row.state not in ("waiting", "idle"):
            return
        state = (await self._wiring.store.open(session)).session
        for ask in open_asks(state):
            if not ask.notified_at and now - ask.time >= self._settings.ask_seconds * 1000:
                yield Due(self._ask(session, state, ask), PersonNotified(ask=ask.ask))
        if row.state != "idle":
            return
        if (run := state.last_run) is not None and self._is_news(run, state, now):
            words = f"“{_title(state)}” {ENDINGS[run.outcome]}."
            yield Due(self._message(session, state, "ended", words), PersonNotified(turn=run.turn))
        else:
            self._rows.pop(session, None)

    def _is_news(self, run: Run, state: Session, now: int) -> bool:
        """Whether the end of a run is worth telling: it was long, ended by itself and lately, and nobody was told."""
        long = run.ended - run.started >= self._settings.run_seconds * 1000
        return long and run.outcome in ENDINGS and run.turn != state.notified and now - run.ended < RECENT

    def _ask(self, session: SessionId, state: Session, ask: Approval | Question) -> Message:
        approval = isinstance(ask, Approval)
        words = f"“{_title(state)}” {'waits for your approval' if approval else 'asks you a question'}."
        if self._settings.details and not (isinstance(ask, Question) and ask.secret):
            words += f"\n\n{ask.command if isinstance(ask, Approval) else ask.text}"
        return self._message(session, state, "approval" if approval else "question", words)

    def _message(self, session: SessionId, state: Session, kind: str, words: str) -> Message:
        return Message(
            title=f"Holdfast: {_title(state)}",
            message=words,
            kind=kind,
            session=session,
            link=f"{self._link}/session/{session}",
        )

    async def _tell(self, session: SessionId, due: Due) -> None:
        """Deliver it, however often that takes, unless it has become no news."""
        pause = FIRST_PAUSE
        while True:
            try:
                await deliver(self._settings, due.message)
                await self._wiring.store.append(session, [due.told], key=f"notified:{due.told.ask or due.told.turn}")
            except (NotDelivered, HoldfastError) as exc:
                log.warning("notify.failed", extra={"session": session, "error": str(exc), "again": pause})
            else:
                return
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            if not await self._still(session, due.told):
                return

    async def _still(self, session: SessionId, told: PersonNotified) -> bool:
        """Whether it is still worth telling."""
        if told.ask is None:
            return True
        ask = (await self._wiring.store.open(session)).session.ask(told.ask)
        return ask is not None and ask.state == "open"


def _title(state: Session) -> str:
    return state.title or "A session"
