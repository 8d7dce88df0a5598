"""Is somebody there: anybody is told so. How things are is told to whoever asks deeper and has a credential."""

import time
from typing import Any, Literal

from starlette.responses import Response

from holdfast.core.errors import StoreError
from holdfast.server.auth import NotSignedIn
from holdfast.server.dialect.addressed import Flag, on
from holdfast.server.endpoint import READ, Answers, route
from holdfast.server.packed import packed
from holdfast.server.routes.health import count
from holdfast.server.schema.base import Answer
from holdfast.server.schema.house import Health
from holdfast.server.wired import Visiting, Wired
from holdfast.store.protocol import Query

TOP = 500


class ActiveRun(Answer, frozen=True, kw_only=True):
    """A run that goes on. Times are seconds."""

    session_id: str
    started_at: int
    phase: str
    model: str
    provider: str | None
    backend: str
    age_seconds: int


class Vitals(Answer, frozen=True, kw_only=True):
    """How things are, and whether each part works. Times are seconds. While a run goes on nobody is idle."""

    status: Literal["ok", "degraded"]
    sessions: int
    active_streams: int
    active_runs: int
    runs: list[ActiveRun]
    server_started_at: int
    uptime_seconds: float
    oldest_run_age_seconds: int
    last_run_finished_at: int | None
    idle_seconds_since_last_run: int | None
    checks: dict[str, str]


VALUES: tuple[type, ...] = (ActiveRun, Vitals)


@route("/health", *READ, summary="Somebody answers", answers={200: Answers(Health | Vitals)})
async def health(wiring: Wired, visitor: Visiting, deep: Flag = "0") -> Response:
    if not on(deep):
        return packed(Health())
    if visitor.device is None:
        raise NotSignedIn
    try:
        vitals = await _vitals(wiring)
    except StoreError as exc:
        wiring.hub.report(exc)
        vitals = _broken(wiring, str(exc))
    return packed(vitals, 200 if vitals.status == "ok" else 503)


async def _vitals(wiring: Wired) -> Vitals:
    now = int(time.time())
    sessions, running = await count(wiring.store)
    top = await wiring.store.sessions(Query(on_top=True, limit=TOP))
    runs = [
        ActiveRun(
            session_id=row.id,
            started_at=row.overview.turn_started // 1000,
            phase=row.overview.doing or row.overview.state,
            model=row.overview.model,
            provider=None,
            backend=row.overview.agent,
            age_seconds=max(0, now - row.overview.turn_started // 1000),
        )
        for row in top.rows
        if row.overview.turn_started
    ]
    last = await _last_end(wiring)
    writable = wiring.hub.conditions.store
    return Vitals(
        status="ok" if writable.writable else "degraded",
        sessions=sessions,
        active_streams=running,
        active_runs=running,
        runs=runs,
        **_since(wiring, now),
        oldest_run_age_seconds=max((run.age_seconds for run in runs), default=0),
        last_run_finished_at=last,
        idle_seconds_since_last_run=None if last is None or runs else max(0, now - last),
        checks={"store": writable.error or "ok"},
    )


async def _last_end(wiring: Wired) -> int | None:
    """When the last run was over, as far as the sessions that were active last say; None if none was."""
    newest = await wiring.store.sessions(Query())
    ends = [row.overview.active_at for row in newest.rows if row.overview.outcome and row.overview.state == "idle"]
    return max(ends) // 1000 if ends else None


def _broken(wiring: Wired, error: str) -> Vitals:
    since = _since(wiring, int(time.time()))
    checks = {"store": error}
    return Vitals(
        status="degraded",
        sessions=0,
        active_streams=0,
        active_runs=0,
        runs=[],
        oldest_run_age_seconds=0,
        last_run_finished_at=None,
        idle_seconds_since_last_run=None,
        **since,
        checks=checks,
    )


def _since(wiring: Wired, now: int) -> dict[str, Any]:
    return {"server_started_at": int(now - wiring.uptime), "uptime_seconds": round(wiring.uptime, 3)}


ROUTES = (health,)
