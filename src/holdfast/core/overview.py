"""One session as a row in a list: what a sidebar shows without opening it.

Derived from the session alone, and unchanged by a word that streams: the store writes a row only when it differs
from the one before.
"""

from typing import Literal

import msgspec

from holdfast.core.events import Outcome, TextAppended, ThoughtAppended
from holdfast.core.items import Approval, Plan, Question
from holdfast.core.records import Record
from holdfast.core.session import Session

ASK = 300
"""Characters of an ask that a row shows; the whole of it is in the session."""
Activity = Literal["idle", "queued", "running", "waiting"]


class Overview(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`waiting` counts open asks; `ask`, `ask_id`, `ask_kind` and `asked_at` are the oldest one's text, id, kind and
    time. `unseen` if anything above `seen` is new.

    `turns` counts the messages that ever entered the transcript, `uncommitted` completed turns that are not committed
    to memory; if that failed, it is tried again at `memory_again`.
    """

    title: str = ""
    state: Activity = "idle"
    outcome: Outcome | None = None
    agent: str = ""
    model: str = ""
    workspace: str = ""
    project: str = ""
    tags: tuple[str, ...] = ()
    pinned: bool = False
    archived: bool = False
    deleted: int = 0
    created: int = 0
    active_at: int = 0
    activity: int = 0
    seen: int = 0
    waiting: int = 0
    ask: str = ""
    ask_id: str = ""
    ask_kind: Literal["", "approval", "question"] = ""
    asked_at: int = 0
    doing: str = ""
    plan_done: int = 0
    plan_total: int = 0
    turn_started: int = 0
    queued: int = 0
    turns: int = 0
    cost: int = 0
    recovering: bool = False
    uncommitted: int = 0
    memory_again: int = 0

    @property
    def unseen(self) -> bool:
        return self.activity > self.seen


def overview(session: Session) -> Overview:
    asks = open_asks(session)
    turn = None if session.running is None else session.turns.get(session.running)
    plan = None if turn is None or turn.plan is None else turn.items.get(turn.plan)
    return Overview(
        title=session.title,
        state=_state(session, waiting=bool(asks)),
        outcome=session.last_outcome,
        agent=session.agent,
        model=session.model,
        workspace=session.workspace,
        project=session.project,
        tags=session.tags,
        pinned=session.pinned,
        archived=session.archived,
        deleted=session.deleted,
        created=session.created,
        active_at=session.active_at,
        activity=session.activity,
        seen=session.seen,
        waiting=len(asks),
        ask=_words(asks[0]) if asks else "",
        ask_id=asks[0].ask if asks else "",
        ask_kind="" if not asks else "approval" if isinstance(asks[0], Approval) else "question",
        asked_at=asks[0].time if asks else 0,
        doing="" if turn is None else turn.doing,
        plan_done=plan.done if isinstance(plan, Plan) else 0,
        plan_total=len(plan.entries) if isinstance(plan, Plan) else 0,
        turn_started=0 if turn is None else turn.started,
        queued=len(session.queue),
        turns=session.numbered,
        cost=session.usage.cost,
        recovering=bool(session.recovering),
        uncommitted=0 if session.ledger is None else session.ledger.uncommitted,
        memory_again=0 if session.ledger is None else session.ledger.again,
    )


def unmoved(row: Overview, session: Session, record: Record) -> bool:
    """Whether it is plain that the record, just folded, left the row as it was: words that go on do."""
    turn = None if session.running is None else session.turns.get(session.running)
    words = isinstance(record.event, TextAppended | ThoughtAppended)
    return words and row.doing == ("" if turn is None else turn.doing)


def open_asks(session: Session) -> list[Approval | Question]:
    """What waits for a person, oldest first."""
    asks = [session.ask(ask_id) for ask_id in session.asks]
    return [ask for ask in asks if ask is not None and ask.state == "open"]


def _state(session: Session, *, waiting: bool) -> Activity:
    if waiting:
        return "waiting"
    if session.running is not None:
        return "running"
    return "queued" if any(not session.turns[turn].held for turn in session.queue) else "idle"


def _words(ask: Approval | Question) -> str:
    words = ask.command if isinstance(ask, Approval) else ask.text
    return words if len(words) <= ASK else f"{words[:ASK]}…"
