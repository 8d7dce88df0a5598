"""Brings every subscribed device to show what is true: asks that are open, runs that ended unseen, and nothing else.

Law: one after the other for each device, and written down once the push service took it. What is sent twice by a crash
in between carries the same name, under which a browser shows one. Nothing waits for it: no run, no request.
"""

import asyncio
import logging
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

import msgspec

from holdfast import outbound
from holdfast.core.errors import HoldfastError, NoSuchSession
from holdfast.core.ids import SessionId
from holdfast.core.overview import Overview
from holdfast.server.push.news import RECENT, News, Push, due, news_of
from holdfast.server.push.sealed import sealed
from holdfast.server.push.subscriptions import Subscription
from holdfast.server.wiring import Wiring
from holdfast.store.changed import Changed

log = logging.getLogger(__name__)

TICK = 1.0
PATIENCE = 20.0
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 600.0
KEPT_SECONDS = 24 * 60 * 60
"""How long a push service keeps what a device that is off has not fetched."""
GONE = (404, 410)
"""What a push service says of a subscription that its browser has ended."""


class Pusher:
    """Watches the session list for those who are subscribed. Without any there is nothing to do."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._settings = wiring.settings.file.notify
        self._changed = Changed(wiring.store)
        self._news: dict[SessionId, list[News]] = {}
        self._underway: set[str] = set()
        self._pauses: dict[str, tuple[float, float]] = {}
        """By device: how long it pauses after a failure, and until when."""

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    await self._look(group)
                except HoldfastError as exc:
                    log.warning("push.failed", extra={"error": str(exc)})
                await asyncio.sleep(TICK)

    async def _look(self, group: asyncio.TaskGroup) -> None:
        subscriptions = self._wiring.push.living()
        if not subscriptions:
            return
        await self._read({shown.session for each in subscriptions for shown in each.shown})
        now = time.time_ns() // 1_000_000
        self._news = {session: found for session, found in self._news.items() if found}
        news = [each for found in self._news.values() for each in found]
        for each in subscriptions:
            ready = each.device not in self._underway and self._pauses.get(each.device, (0, 0))[1] <= time.monotonic()
            if ready and (pushes := list(due(each, news, now, self._wiring.hub.sees))):
                self._underway.add(each.device)
                group.create_task(self._send(each, pushes))

    async def _read(self, shown: set[SessionId]) -> None:
        """Learn what has changed in the list, and look into what may be news."""
        now = time.time_ns() // 1_000_000
        async for row in self._changed.rows():
            matters = _matters(row.overview, now, shown=row.id in shown)
            self._news[row.id] = await self._found(row.id, row.overview) if matters else []

    async def _found(self, session: SessionId, row: Overview) -> list[News]:
        try:
            state = (await self._wiring.store.open(session)).session
        except NoSuchSession:
            return []
        return news_of(session, state, self._settings, unseen=row.unseen)

    async def _send(self, subscription: Subscription, pushes: Iterable[Push]) -> None:
        device = subscription.device
        try:
            for push in pushes:
                if self._wiring.push.of(device) is None:
                    return
                await asyncio.to_thread(self._post, subscription, push)
                self._wiring.push.mark(device, push.shown, shows=push.kind != "over")
            self._pauses.pop(device, None)
        except HoldfastError as exc:
            self._failed(subscription, exc)
        finally:
            self._underway.discard(device)

    def _post(self, subscription: Subscription, push: Push) -> None:
        body, headers = sealed(
            self._wiring.push_keys.signer,
            subscription,
            msgspec.json.encode(push),
            name=push.shown.name,
            seconds=KEPT_SECONDS,
            urgent=push.kind != "ended",
        )
        private = self._settings.push_private
        outbound.post(subscription.endpoint, body, headers, seconds=PATIENCE, private=private)

    def _failed(self, subscription: Subscription, exc: HoldfastError) -> None:
        """Try again later, unless there is nobody any more."""
        device = subscription.device
        # An address to push to is a secret, so the log names its host alone.
        said = {"device": device, "host": urlsplit(subscription.endpoint).hostname}
        if isinstance(exc, outbound.Declined) and exc.code in GONE:
            self._wiring.push.end(device)
            log.info("push.ended", extra=said)
            return
        pause = min(self._pauses.get(device, (FIRST_PAUSE / 2, 0))[0] * 2, LONGEST_PAUSE)
        self._pauses[device] = (pause, time.monotonic() + pause)
        why = " ".join(map(str, exc.details[1:])) if isinstance(exc, outbound.NotSent) else str(exc)
        log.warning("push.not_sent", extra={**said, "error": why, "again": pause})


def _matters(row: Overview, now: int, *, shown: bool) -> bool:
    """Whether a row may hold news, so that its session is worth opening."""
    if row.deleted:
        return False
    return row.state == "waiting" or (row.state == "idle" and row.unseen and (shown or now - row.active_at < RECENT))
