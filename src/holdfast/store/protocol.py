"""What every store does. The docstrings are the contract; one test suite holds every backend to it.

All methods may raise `StoreError`; then nothing was written. An append that was handed over is never cancelled: if
the caller is, the records are stored all the same, and a retry with the same key or position writes nothing twice.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import msgspec

from holdfast.core.errors import BadCommand, NoSuchTurn
from holdfast.core.events import AnyFact, AnyIntent, Event, SessionCreated, SessionForked
from holdfast.core.figures import Figures
from holdfast.core.ids import CallId, SessionId, TurnId
from holdfast.core.items import Item, ToolCall
from holdfast.core.overview import Overview
from holdfast.core.records import Position, Record
from holdfast.core.session import Session
from holdfast.core.window import Settled


class Appended(msgspec.Struct, frozen=True):
    """Where the events lie. `written` says how many were new; if none, `first` to `last` is where they lay before.

    New ones were stored at `time`.
    """

    first: int
    last: int
    written: int
    time: int = 0


class Claimed(msgspec.Struct, frozen=True):
    """A session's new owner: its epoch, the head of the log, what is true there, and the last fact number used."""

    epoch: int
    head: int
    session: Session
    n: int


class Owner(msgspec.Struct, frozen=True):
    """A session whose log says that a runner lives."""

    session: SessionId
    epoch: int


class Row(msgspec.Struct, frozen=True):
    """A line of the session list. `change` rises store-wide whenever any row changes."""

    id: SessionId
    change: int
    overview: Overview


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions to list. `text` is looked for in titles; a session must have each of `tags`; `cursor` continues a
    listing.

    `on_top` leaves only those that stand before all others whenever they were active: pinned ones, and ones with a
    living runner, among which are all that run or wait for an answer.
    """

    text: str = ""
    archived: bool = False
    deleted: bool = False
    project: str | None = None
    tags: tuple[str, ...] = ()
    on_top: bool = False
    limit: int = 50
    cursor: str | None = None


def before(cursor: str | None) -> tuple[int, int]:
    """The activity and number that a continued listing starts below."""
    if cursor is None:
        return 1 << 62, 1 << 62
    active_at, _, number = cursor.partition(".")
    if not (active_at.isdecimal() and number.isdecimal() and max(len(active_at), len(number)) < 19):
        raise BadCommand("This is no cursor of a session list. Start from the first page.")
    return int(active_at), int(number)


class Listing(msgspec.Struct, frozen=True):
    """Sessions by last activity, newest first. `cursor` is None on the last page; `change` is the newest seen."""

    rows: list[Row]
    cursor: str | None
    change: int


class Label(msgspec.Struct, frozen=True):
    """A project or a tag, and how many sessions of the list have it."""

    name: str
    sessions: int


class Labels(msgspec.Struct, frozen=True):
    """What the listed sessions are sorted by, the most used first."""

    projects: list[Label]
    tags: list[Label]


class Page(msgspec.Struct, frozen=True):
    """Settled items of one stretch, in reading order. Numbers count from 1; a long text may go on in the next."""

    number: int
    items: list[Settled]


class Opened(msgspec.Struct, frozen=True):
    """A session as of `session.seq`: its small state with what may still change, and its last settled page."""

    session: Session
    lineage: str
    page: Page


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A settled item that holds the words. `marks` are the places of the words in `excerpt`, as (start, end)."""

    session: SessionId
    title: str
    turn: TurnId
    k: int
    type: str
    time: int
    excerpt: str
    marks: list[tuple[int, int]]


class Found(msgspec.Struct, frozen=True):
    """A message or an answer that holds what was looked for: its name, its turn's place in the transcript, the page
    that it is settled on, 0 while it is not, and how often it holds it."""

    turn: TurnId
    k: int
    number: int
    page: int
    count: int = 1


class Finds(msgspec.Struct, frozen=True):
    """What one stretch of a session holds, newest first. `cursor` goes on before it; None if it was the first."""

    found: list[Found]
    cursor: str | None


class DailyFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent used on one day with one model. `day` counts from 1970, in the zone that was asked for."""

    day: int
    agent: str
    model: str
    figures: Figures


class SessionSize(msgspec.Struct, frozen=True):
    """How much a session's events take."""

    session: SessionId
    title: str
    bytes: int
    deleted: bool


class Shelf(Protocol):
    """Where a session's settled items lie. Used inside the transaction of an append."""

    def put(self, page: int, settled: Settled) -> None:
        """Lay down an item; one with the same place is replaced and keeps its page."""
        ...

    def turn(self, turn: TurnId) -> tuple[int, int, list[Item]] | None:
        """The number, the page of its end (0 while that is not settled), and the settled items of an ended turn (of a
        long text: the last part)."""
        ...

    def call(self, turn: TurnId, call: CallId) -> Settled | None:
        """A settled tool call."""
        ...

    def cut(self, first: int) -> None:
        """Remove the items of turn number `first` and of all that follow."""
        ...

    def last(self) -> tuple[int, int, int]:
        """The last page that has items, how many, and their size; page 1 if there are none."""
        ...


class Store(Protocol):
    """A home for sessions and their logs. `house` is always there."""

    async def lineage(self) -> str:
        """The name of this history of the store.

        It is new after a reboot and after a restore: then the last second may be missing, and whoever followed a log
        must start over from a snapshot.
        """
        ...

    async def create(self, session: SessionId, event: SessionCreated) -> Appended:
        """Begin a session's log. The same creation again writes nothing; another one raises `SessionExists`."""
        ...

    async def admit(
        self, session: SessionId, records: Sequence[Record], replacing: Callable[[Session], bool] = lambda _: False
    ) -> Appended:
        """Begin a session with a log that was written elsewhere, all or nothing, synced.

        The records are numbered anew from 1; times, epochs and positions are kept, and the session's epoch is the
        highest among them. The first record is its creation. If there is such a session already and `replacing` would
        not give it up as it is at that moment, nothing is written and the answer says how far its log reaches;
        otherwise it is purged by the same transaction. The house can't be replaced.
        """
        ...

    async def fork(
        self, session: SessionId, source: SessionId, goes_on: Callable[[Session], Sequence[AnyIntent]]
    ) -> Appended:
        """Begin a session whose log begins as that of `source` is now, all or nothing, synced, at a cost that does not
        grow with its length.

        `goes_on` is given the source's state and says what follows: first of all `SessionForked`. If that has no effect
        `NoSuchTurn` is raised. The epoch is a new one; keys are not taken over. If there is such a session already,
        nothing is written and the answer says how far its log reaches.
        """
        ...

    async def append(
        self,
        session: SessionId,
        events: Sequence[Event],
        *,
        position: Position | None = None,
        key: str | None = None,
        check: Callable[[Session], None] | None = None,
    ) -> Appended:
        """Add events at the end of the log, all or none, and return when they are committed.

        Intents carry no position. Facts carry that of the first; the others count on from it. Facts that the log has
        already (n <= last) are skipped, whatever their grouping was; a gap raises `Hole`; any epoch but the present
        one raises `Fenced`. A key belongs to the last event: if the session has it already with equal content, nothing
        is written and the answer says where the first lies; with other content `KeyTaken` is raised. `check` is shown
        the session that new events would follow, at that moment, and may raise `Refused`; then nothing is written. If
        any event is `synced`, all is on the disk before this returns; otherwise it is within a second.
        """
        ...

    async def claim(self, session: SessionId, loss: Callable[[Session], Sequence[AnyFact]]) -> Claimed:
        """Raise the epoch and append what `loss` makes of the session, in one synced transaction.

        The caller holds the session's lock and has ended the previous owner's processes. From here on facts of every
        earlier epoch are refused.
        """
        ...

    async def adopt(
        self, session: SessionId, facts: Sequence[tuple[Position, Event]], *, turn: TurnId, epoch: int
    ) -> Appended:
        """Add what a dead owner had spooled, under the present owner's `epoch`, marked as late facts of `turn`.

        Positions are those of the dead owner. What the log has already is skipped; gaps are allowed, because a damaged
        spool record costs that record alone. Raises `Fenced` if `epoch` is not the present one.
        """
        ...

    async def read(self, session: SessionId, after: int, limit: int) -> list[Record]:
        """The records after seq `after`, in order, at most `limit`. Raises `NoSuchSession`."""
        ...

    async def telling(self, session: SessionId, after: int, limit: int) -> list[Record]:
        """As `read`, but few others than those that `core.outline.tells`: most of a long turn is passed over unread."""
        ...

    async def times(self, session: SessionId, after: int, until: int) -> list[int]:
        """When the records after seq `after` were written, up to and with `until`."""
        ...

    async def keyed(self, session: SessionId, key: str) -> int:
        """The seq of the record that was appended under `key`, 0 if there is none. Raises `NoSuchSession`."""
        ...

    async def wait(self, session: SessionId, after: int, seconds: float) -> int:
        """Return the log's head as soon as it is above `after`, or after `seconds` at the latest."""
        ...

    async def open(self, session: SessionId) -> Opened:
        """What a browser needs to show the session, at a cost that does not grow with its length."""
        ...

    async def page(self, session: SessionId, number: int) -> Page:
        """An earlier page. A number that does not exist gives a page without items."""
        ...

    async def sessions(self, query: Query) -> Listing:
        """List sessions. A listing continued by its cursor shows each session that did not move meanwhile once."""
        ...

    async def labels(self, limit: int) -> Labels:
        """The projects and the tags of the sessions that are neither archived nor deleted, at most `limit` of each."""
        ...

    async def changes(self, after: int, limit: int) -> list[Row]:
        """The rows that changed after change number `after`, oldest change first."""
        ...

    async def owners(self) -> list[Owner]:
        """The sessions whose log says that a runner lives, whether or not it does."""
        ...

    async def claims(self, session: SessionId) -> int:
        """How often the session was claimed: 0 if nobody ever owned it. Raises `NoSuchSession`."""
        ...

    async def search(self, text: str, *, limit: int = 20, session: SessionId | None = None) -> list[Hit]:
        """Words and messages that hold every word of `text`, newest first; the last word may be a beginning. What a run
        says is found while it grows, too."""
        ...

    async def find(self, session: SessionId, text: str, *, cursor: str | None = None, stretch: int = 1_000) -> Finds:
        """Where people and agents said exactly this in one session, whatever the case, the accents and the emphasis.

        At most `stretch` settled items are looked at, from the newest back, and before them what is not settled yet;
        what other sessions hold costs nothing. Raises `NoSuchSession`.
        """
        ...

    async def index(self) -> None:
        """Bring what a search can find up to date. A search does so itself; done now and then, it need not wait."""
        ...

    async def figures(self, since: int, offset: int = 0) -> list[DailyFigures]:
        """What was used from day `since` on, at a cost that does not grow with the logs; days begin `offset` minutes
        before those of UTC.

        A turn that has ended is counted; what one that runs has used may be counted later. Deleted sessions count,
        purged ones don't.
        """
        ...

    async def sizes(self, limit: int) -> list[SessionSize]:
        """The largest sessions, the largest first, as far as their turns have ended."""
        ...

    async def lying(self, place: Literal["archived", "deleted"], before: int, limit: int) -> list[SessionSize]:
        """Sessions without a runner, and with nothing that is not committed to memory, that were deleted, or, if
        archived, were last active, before this time; the largest first."""
        ...

    async def blobs(self) -> set[str]:
        """The names of the files that some session speaks of."""
        ...

    async def purge(self, session: SessionId, only_if: Callable[[Session], bool] = lambda _: True) -> bool:
        """Remove a session for good, if it is as `only_if` wants it at that moment: log, keys, pages, figures; whether
        it was removed. Its id may be used again. The house can't be purged."""
        ...

    async def close(self) -> None:
        """Finish what was handed over and let go of everything. Twice is harmless."""
        ...


def begun_by(records: Sequence[Record]) -> SessionCreated:
    """The creation that a whole log begins with. Raise `BadCommand` if it does not."""
    event = records[0].event if records else None
    if not isinstance(event, SessionCreated):
        raise BadCommand("The log does not begin with the creation of its session, so it can't be taken in.")
    return event


def check_fork(events: Sequence[Event], session: Session, seq: int) -> None:
    """Raise if the record at `seq`, the first of a fork's own, is not what makes it one."""
    event = events[0] if events else None
    if not isinstance(event, SessionForked):
        raise BadCommand("What follows does not begin with the fork, so the session can't be made.")
    if session.activity != seq:
        raise NoSuchTurn(event.turn)


def tool_in(settled: Settled | None) -> ToolCall | None:
    """The settled tool call, if it is one."""
    return settled.item if settled is not None and isinstance(settled.item, ToolCall) else None
