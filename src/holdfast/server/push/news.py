"""What a device should show, and what it should not show any more. Pure: no clock, no I/O.

Law: what is shown follows from what is true. An ask is shown while it is open, the end of a run until somebody has seen
it; what a device shows beyond that is taken back. Nothing is shown anew that a device shows already.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from holdfast.core.ids import SessionId
from holdfast.core.items import Approval, Question
from holdfast.core.overview import open_asks
from holdfast.core.session import Session
from holdfast.server.push.subscriptions import Shown, Subscription
from holdfast.settings import NotifySettings

RECENT = 60 * 60 * 1000
"""Milliseconds after which the end of a run is no news any more."""
ENDINGS = {"completed": "It is done.", "failed": "It failed.", "interrupted": "It was interrupted."}
TITLE, DETAIL = 120, 300
"""Characters that a notification shows; push services carry four kilobytes."""


class News(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is so now: it may be shown `after` a moment and `before` another, in milliseconds."""

    kind: Literal["approval", "question", "ended"]
    shown: Shown
    title: str
    words: str
    detail: str = ""
    outcome: str = ""
    after: int
    before: int | None = None


class Push(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent to a device. Without a title it takes back what was shown under that name.

    The first line of the body says what `kind` says, or how a run ended, which `outcome` says: in English, for a device
    that has no words of its own for it. The rest is in nobody's language but the agent's.
    """

    shown: Shown
    kind: Literal["approval", "question", "ended", "over"]
    outcome: str = ""
    title: str = ""
    body: str = ""


def news_of(id: SessionId, session: Session, settings: NotifySettings, *, unseen: bool) -> list[News]:  # noqa: A002
    """All that a person may want to be told of this session."""
    title = (session.title or "A session")[:TITLE]
    found = [_asked(id, title, ask, settings) for ask in open_asks(session)]
    run = session.last_run
    if run is None or found or session.running is not None or not unseen or run.outcome not in ENDINGS:
        return found
    if run.ended - run.started < settings.run_seconds * 1000:
        return found
    ended = News(
        kind="ended",
        shown=Shown(id, run.turn),
        title=title,
        words=ENDINGS[run.outcome],
        outcome=run.outcome,
        after=run.ended,
        before=run.ended + RECENT,
    )
    return [ended]


def due(
    subscription: Subscription, news: Sequence[News], now: int, seen: Callable[[SessionId], bool]
) -> Iterable[Push]:
    """What this device must be sent now, what is over first. What somebody looks at needs no notification."""
    true = {each.shown for each in news}
    for shown in subscription.shown:
        if shown not in true:
            yield Push(shown=shown, kind="over")
    for each in news:
        fresh = each.kind != "ended" or each.after >= subscription.since
        timely = each.after <= now and (each.before is None or now < each.before)
        if fresh and timely and each.shown not in subscription.shown and not seen(each.shown.session):
            body = each.words if not (subscription.details and each.detail) else f"{each.words}\n{each.detail}"
            yield Push(shown=each.shown, kind=each.kind, outcome=each.outcome, title=each.title, body=body)


def _asked(session: SessionId, title: str, ask: Approval | Question, settings: NotifySettings) -> News:
    approval = isinstance(ask, Approval)
    secret = isinstance(ask, Question) and ask.secret
    return News(
        kind="approval" if approval else "question",
        shown=Shown(session, ask.ask),
        title=title,
        words="Waits for your approval." if approval else "Asks you a question.",
        detail="" if secret else (ask.command if isinstance(ask, Approval) else ask.text)[:DETAIL],
        after=ask.time + int(settings.ask_seconds * 1000),
    )
