"""What a session is asked, and what it answers: itself, its list, its pages, its turns, its memory."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from holdfast.core.events import Attachment
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.items import Item
from holdfast.core.overview import Overview
from holdfast.core.session import Session
from holdfast.server.schema.base import Answer, Body, Folder, Id, Name, Tags, Text, Title
from holdfast.server.schema.records import WireRecord
from holdfast.store.protocol import Found, Hit, Label, Page, Row


class NewSession(Body, frozen=True, kw_only=True):
    """`id` may be chosen by the client: the same request again changes nothing.

    What the `predecessor` (also: `prev_session_id`) completed is committed to memory behind it. `reference` names a
    conversation that the agent had before, elsewhere; the session goes on with it.
    """

    id: Id | None = None
    title: Title = ""
    agent: Name = ""
    model: Name = ""
    mode: Name = ""
    workspace: Folder = ""
    project: Name = ""
    tags: Tags = ()
    predecessor: Id | None = None
    prev_session_id: Id | None = None
    reference: Annotated[str, Meta(max_length=200)] = ""


class SessionChange(Body, frozen=True, kw_only=True):
    """What is given is changed; the rest stays. `seen` is the highest seq that was on screen.

    `tags` are all that the session is to have; `add_tags` and `remove_tags` leave the others as they are.
    """

    title: Title | UnsetType = UNSET
    agent: Name | UnsetType = UNSET
    model: Name | UnsetType = UNSET
    mode: Name | UnsetType = UNSET
    workspace: Folder | UnsetType = UNSET
    project: Name | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    add_tags: Tags = ()
    remove_tags: Tags = ()
    pinned: bool | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    seen: int | UnsetType = UNSET


class NewTurn(Body, frozen=True, kw_only=True):
    """`id` is chosen by the client: the same message sent twice is recorded once.

    `queue` waits for its place, `steer` speaks to the run in progress, `interrupt` cancels it and comes next.
    `replaces` names a turn that leaves the transcript with all that follows it: this is said in its place, or, while
    a turn runs, neither happens.
    """

    id: Id
    text: Text = ""
    attachments: Annotated[tuple[Attachment, ...], Meta(max_length=50)] = ()
    mode: Literal["queue", "steer", "interrupt"] = "queue"
    continues: Id | None = None
    replaces: Id | None = None


class Continuation(Body, frozen=True, kw_only=True):
    """A new turn that takes up an interrupted one."""

    id: Id
    text: Text = "Go on where you were interrupted."


class QueueOrder(Body, frozen=True, kw_only=True):
    """Turns that wait, in the order in which they are to run. Those that are not named stay where they are."""

    turns: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=1000)]


class Truncation(Body, frozen=True, kw_only=True):
    """This turn and all that follows it leave the transcript; without a turn, everything does."""

    turn: Id | None = None


class Fork(Body, frozen=True, kw_only=True):
    """The last turn that the new session has. `id` may be chosen: the same wish again then makes no second one."""

    turn: Id
    id: Id | None = None


class SessionRow(Overview, frozen=True, kw_only=True, omit_defaults=False):
    """A line of the session list."""

    id: SessionId
    change: int
    is_unseen: bool = msgspec.field(name="unseen")


class SessionList(Answer, frozen=True, kw_only=True):
    """By last activity, newest first. `cursor` is null on the last page; `change` is where to follow the list from."""

    sessions: list[SessionRow]
    cursor: str | None
    change: int
    lineage: str


class Created(Answer, frozen=True, kw_only=True):
    """`created` is false if the session was there already, by the same request."""

    id: SessionId
    seq: int
    created: bool


class PageItem(Answer, frozen=True, kw_only=True):
    """An item, and the number of its turn in the transcript."""

    number: int
    item: Item


class SettledPage(Answer, frozen=True, kw_only=True):
    """Settled items in reading order. Pages count from 1."""

    number: int
    items: list[PageItem]


class Snapshot(Answer, frozen=True, kw_only=True):
    """A session as of `seq`: its state, with the items that may still change, and its last page of settled ones."""

    id: SessionId
    seq: int
    lineage: str
    session: Session
    page: SettledPage
    pages: int


class TurnOutline(Answer, frozen=True, kw_only=True):
    """A turn without its words: `first` is the seq of its first record, `said` what it answers, `epoch` who ran it.

    `times` has the time of its first record, then how many milliseconds later each of the others was written.
    `decisive` are its records that show nothing but decide something: asks, answers, its end. `failures` are seqs.
    """

    first: int
    said: WireRecord
    epoch: int
    times: list[int]
    decisive: list[WireRecord]
    failures: list[int]
    whole: bool


class Done(Answer, frozen=True, kw_only=True):
    """The command took effect; `seq` is the record that says so. 0: the run was told, and will record it itself."""

    session: SessionId
    seq: int


class Submitted(Answer, frozen=True, kw_only=True):
    """The turn is recorded. `state` is what was true of it then; a steer speaks to the run in progress."""

    session: SessionId
    turn: TurnId
    seq: int
    state: Literal["queued", "running", "ended", "steering"]


class MemoryState(Answer, frozen=True, kw_only=True):
    """Completed turns count as generations; all up to `committed` are committed to memory.

    `may_be_doubled`: a commit was in flight when its process ended, so it is made again and may count twice.
    """

    generation: int
    committed: int
    uncommitted: bool
    commits: int
    in_flight: bool
    may_be_doubled: bool
    last_error: str | None


class MemoryCommit(Answer, frozen=True, kw_only=True):
    """Whether something was committed, and if not, why."""

    committed: bool
    reason: Literal["nothing", "failed", "in_flight", "no_agent"] | None = None


class Hits(Answer, frozen=True, kw_only=True):
    """What was found, newest first."""

    hits: list[Hit]


class FoundInSession(Answer, frozen=True, kw_only=True):
    """What a stretch of a session holds, newest first. `cursor` leads to the stretch before it, if there is one."""

    found: list[Found]
    cursor: str | None = None


class LabelList(Answer, frozen=True, kw_only=True):
    """What the listed sessions are sorted by, the most used first."""

    projects: list[Label]
    tags: list[Label]


def row_of(row: Row) -> SessionRow:
    fields: dict[str, Any] = msgspec.structs.asdict(row.overview)
    return SessionRow(id=row.id, change=row.change, is_unseen=row.overview.unseen, **fields)


def page_of(page: Page) -> SettledPage:
    items = [PageItem(number=entry.number, item=entry.item) for entry in page.items]
    return SettledPage(number=page.number, items=items)
