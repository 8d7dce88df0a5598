"""Memory and SQLite side by side, with the plain fold of the log as the referee.

Two stores share the folder, as two processes do, and each step goes through one of them: neither may trust what it
remembers. After each step all give the same answer or the same error; then the logs, the transcripts, the lists and the
hits must be equal, and what is on the pages and in the state must be what a session shows that was never settled.

The limits of a page and of a tail are tiny, so that every few records something is settled.
"""

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from holdfast.core import events as e
from holdfast.core import recovery, window
from holdfast.core.decide import end_key
from holdfast.core.errors import HoldfastError, KeyTaken
from holdfast.core.ids import AskId, CallId, SessionId, SteerId, TurnId
from holdfast.core.overview import overview
from holdfast.core.records import Position, Record
from holdfast.core.session import Session, replay
from holdfast.store.memory.store import MemoryStore
from holdfast.store.protocol import Claimed, Query, Store
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.core.dice import Dice
from tests.core.histories import key
from tests.core.shelf import joined
from tests.core.wild import DIFF, PLAN, wild_event
from tests.store.stage import EVERYTHING, shown

SESSIONS = (SessionId("s1"), SessionId("s2"), SessionId("f1"), SessionId("f2"))
"""Two to begin with, and two that are forked from any of them."""
TURNS = tuple(TurnId(f"t{number}") for number in range(1, 6))
STEERS = (SteerId("x1"), SteerId("x2"), SteerId("x3"), SteerId("t4"))
ASKS = (AskId("a1"), AskId("a2"))
CALLS = tuple(CallId(f"c{number}") for number in range(1, 5))
TEXTS = ("alpha ", "beta gamma ", "é", "", "a longer sentence of words ")
WORDS = ("alpha", "a longer", "é", "gamm", "do")
LIMITS = {
    "holdfast.store.pages.PAGE_ITEMS": 3,
    "holdfast.store.pages.PAGE_BYTES": 900,
    "holdfast.store.pages.TAIL_RECORDS": 5,
    "holdfast.store.pages.TAIL_BYTES": 1_000,
    "holdfast.core.window.PART": 8,
    "holdfast.store.sqlite.folding.CACHED": 1,
}
REACHED = (
    "user", "text", "thought", "tool", "plan", "notice", "approval", "question", "end",
    "recovered", "owner", "hit", "several pages", "answer", "Fenced", "Hole", "KeyTaken", "SessionExists",
    "NoSuchSession",
)  # fmt: skip
"""What the histories must lead to, each at least twenty times."""
QUICK = Path("/dev/shm")
"""Memory that looks like a disk: what is compared here does not depend on when it is synced."""


class Throw(Dice):
    """One throw per step. Hypothesis likes to draw the same bytes again: the number of the step makes them differ."""

    def stir(self, step: int) -> None:
        self.shake()
        self._state = (self._state + 257 * step) % 65_521


def step(method: Callable[["SideBySide", SessionId, Dice], None]) -> Any:
    """A rule that is given a session and a throw."""

    @rule(name=names, dice=dice)
    @wraps(method)
    def stirred(self: "SideBySide", name: SessionId, dice: Throw) -> None:
        dice.stir(self.steps)
        method(self, name, dice)

    return stirred


dice = st.binary(min_size=2, max_size=2).map(Throw)
names = st.sampled_from((*SESSIONS, SESSIONS[0], SESSIONS[0]))
forks = SESSIONS[2:]
Outcome = tuple[str, Any]
T = TypeVar("T")


class Books:
    """What the tests know of a session: who owns it, what was sent last, and which calls have begun."""

    def __init__(self) -> None:
        self.epoch = 0
        self.n = 0
        self.sent: tuple[int, list[e.Event]] = (1, [])
        self.calls: set[tuple[str, str]] = set()
        self.spools: dict[int, int] = {}


class Inline(Generic[T]):
    """A worker without a thread: what is compared here does not depend on who does it."""

    def __init__(self, _name: str, make: Callable[[], T], close: Callable[[T], None], **_idle: object) -> None:
        self._make = make
        self._close = close
        self._things: list[T] = []

    async def start(self) -> None:
        self._things.append(self._make())

    async def do(self, job: Callable[[T], Any]) -> Any:
        return job(self._things[0])

    async def share(self, job: Callable[[T], Any], **_synced: bool) -> Any:
        return job(self._things[0])

    async def stop(self) -> None:
        for thing in self._things:
            self._close(thing)


class SideBySide(RuleBasedStateMachine):
    """`self.do` sends one step to both kinds of store and compares what they answer."""

    reached: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.time = 1_000
        self.steps = 0
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-side-by-side-", dir=QUICK if QUICK.is_dir() else None))
        self.memory = self.now(self._make_memory())
        self.disks = [self.now(self._open()) for _ in range(2)]
        self.books = {name: Books() for name in SESSIONS}

    async def _make_memory(self) -> MemoryStore:
        return MemoryStore(now=lambda: self.time)

    async def _open(self) -> SqliteStore:
        return await SqliteStore.open_folder(self.folder, Options(now=lambda: self.time))

    def teardown(self) -> None:
        try:
            self.compare()
            self.count()
        finally:
            for store in self.disks:
                self.now(store.close())
            self.loop.close()
            shutil.rmtree(self.folder)

    def now(self, step: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(step)

    def do(self, dice: Dice, step: Callable[[Store], Awaitable[Any]]) -> Outcome:
        """Take the step in memory and in one of the two stores on the disk, at the same time."""
        self.time += dice.below(3)
        expected = self.now(_outcome(step, self.memory))
        assert self.now(_outcome(step, dice.pick(self.disks))) == expected
        self.reached[expected[0]] += 1
        return expected

    # Steps.

    @initialize(dice=dice)
    def begin(self, dice: Throw) -> None:
        """Most histories need a session, a runner and a turn to get anywhere."""
        dice.stir(1)
        for name in SESSIONS[:2]:
            self.create(name, dice)
            self.submit(name, dice)
            self.submit(name, dice)
            self.claim(name, dice)
            self.run(name, dice)

    @step
    def do_something_rare(self, name: SessionId, dice: Dice) -> None:
        rare = (self.read, self.reopen, self.create, self.reopen, self.purge)
        dice.pick(rare)(name, dice)

    def create(self, name: SessionId, dice: Dice) -> None:
        event = e.SessionCreated(title=dice.pick(("Über Alles", "plain")), project=dice.pick(("", "p")))
        self.do(dice, lambda store: store.create(name, event))

    @step
    def ask_for_more(self, name: SessionId, dice: Dice) -> None:
        self.submit(name, dice)

    def submit(self, name: SessionId, dice: Dice) -> None:
        event = e.TurnSubmitted(turn=dice.pick(TURNS), text=dice.pick(("do alpha", "do beta")), ahead=dice.once_in(4))
        self.do(dice, lambda store: store.append(name, [event], key=key(event)))

    @step
    def intend(self, name: SessionId, dice: Dice) -> None:
        turn = self.now(_state(self.memory, name)).running or dice.pick(TURNS)
        ask = dice.pick(ASKS)
        steer = e.TurnSteered(turn=turn, steer=dice.pick(STEERS), text="steer alpha")
        intents: list[e.Event] = [
            e.TurnCancelRequested(turn=turn),
            e.TurnWithdrawn(turn=turn),
            e.TurnReleased(),
            steer,
            steer,
            e.ApprovalAnswered(ask=ask, choice="once"),
            e.QuestionAnswered(ask=ask, text="yes"),
            e.Unknown(kind="weather.changed", fields={"rain": [1, {"hard": None}]}),
        ]
        event = dice.pick(intents)
        self.do(dice, lambda store: store.append(name, [event], key=key(event)))

    @step
    def manage(self, name: SessionId, dice: Dice) -> None:
        changes: list[e.Event] = [
            e.SessionRenamed(title=dice.pick(("Renamed é", "plain"))),
            e.SessionChanged(tags=dice.pick(((), ("x",), ("x", "y")))),
            e.SessionChanged(archived=dice.once_in(2), project="p"),
            e.SessionChanged(seen=dice.below(40)),
            e.SessionDeleted(),
            e.SessionRestored(),
        ]
        events = [dice.pick(changes) for _ in range(1 + dice.below(2))]
        self.do(dice, lambda store: store.append(name, events))

    @step
    def truncate(self, name: SessionId, dice: Dice) -> None:
        turn = None if dice.once_in(5) else dice.pick(TURNS)
        self.do(dice, lambda store: store.append(name, [e.HistoryTruncated(turn=turn)]))

    @step
    def fork(self, name: SessionId, dice: Dice) -> None:
        """Go another way, from a turn that is over if there is one; now and then from one that is not."""
        new, state = dice.pick(forks), self.now(_state(self.memory, name))
        if dice.once_in(3):
            self.do(dice, lambda store: store.purge(new))
            self.books[new] = Books()
        _, items = self.now(_outcome(lambda store: shown(store, name), self.memory))
        there = list(dict.fromkeys(TurnId(entry[2]["turn"]) for entry in items if len(entry) == 3))
        turn = dice.pick(there) if there and dice.below(8) else dice.pick(TURNS)
        told = [e.SessionForked(source=name, turn=turn), e.SessionChanged(seen=state.seq + 2)]
        kind, appended = self.do(dice, lambda store: store.fork(new, name, lambda _: told))
        if kind == "answer" and appended.written:
            books, self.books[new] = self.books[name], Books()
            self.books[new].epoch = books.epoch + 1
            self.books[new].calls = set(books.calls)
            self.books[new].spools = books.spools | {books.epoch: books.n}
            self.reached["fork"] += 1

    @step
    def take_over(self, name: SessionId, dice: Dice) -> None:
        self.claim(name, dice)

    def claim(self, name: SessionId, dice: Dice) -> None:
        books, told, started = self.books[name], dice.below(3) > 0, dice.below(4) > 0
        count: list[int] = []

        def loss(session: Session) -> list[e.AnyFact]:
            facts: list[e.AnyFact] = [
                *(recovery.loss(session) if told else ()),
                *([e.RunnerStarted()] if started else ()),
            ]
            count.append(len(facts))
            return facts

        kind, claimed = self.do(dice, lambda store: store.claim(name, loss))
        if kind == "answer":
            books.spools[books.epoch] = books.n
            books.epoch, books.n = claimed[0], count[-1]

    def run(self, name: SessionId, dice: Dice) -> None:
        """The owner writes facts; or somebody does who is not the owner, or who left out one."""
        books, state = self.books[name], self.now(_state(self.memory, name))
        free = [turn for turn in state.queue if not state.turns[turn].held]
        turn = state.running or (free[0] if free else dice.pick(TURNS))
        start = state.running is None and bool(free) and dice.below(4) > 0
        facts: list[e.Event] = [e.TurnStarted(turn=turn)] if start else []
        facts += [self.fact(name, turn, dice) for _ in range(1 + dice.below(5))]
        stray = dice.below(24)
        epoch, n = books.epoch + (stray == 21) - (stray == 22), books.n + 1 + (stray == 23)
        last = facts[-1]
        name_it = end_key(last.turn) if isinstance(last, e.TurnEnded) and dice.once_in(3) else None
        self.send(name, dice, epoch, n, facts, name_it)

    @step
    def go_on(self, name: SessionId, dice: Dice) -> None:
        self.run(name, dice)

    @step
    def run_on(self, name: SessionId, dice: Dice) -> None:
        self.run(name, dice)

    @step
    def run_further(self, name: SessionId, dice: Dice) -> None:
        self.run(name, dice)

    def send(self, name: SessionId, dice: Dice, epoch: int, n: int, facts: list[e.Event], key: str | None) -> None:
        books, position = self.books[name], Position(epoch=epoch, n=n)
        kind, _ = self.do(dice, lambda store: store.append(name, facts, position=position, key=key))
        if kind == "answer":
            books.sent = (n, facts)
            books.n = max(books.n, n + len(facts) - 1)

    @precondition(lambda self: any(books.sent[1] for books in self.books.values()))
    @step
    def retry(self, name: SessionId, dice: Dice) -> None:
        """What was sent last, from anywhere in it, with more behind it: the commit was ambiguous."""
        books = self.books[name]
        n, facts = books.sent
        if facts:
            skip = dice.below(len(facts))
            more = (
                [self.fact(name, dice.pick(TURNS), dice) for _ in range(dice.below(3))]
                if n + len(facts) == books.n + 1
                else []
            )
            self.send(name, dice, books.epoch, n + skip, [*facts[skip:], *more], None)

    @step
    def adopt(self, name: SessionId, dice: Dice) -> None:
        """Facts of a dead owner, some of them stored already, some missing, now and then by somebody who may not."""
        if self.now(_state(self.memory, name)).running is not None and dice.below(3):
            self.claim(name, dice)
        books, latest = self.books[name], self.now(_state(self.memory, name)).latest
        dead = dice.pick(sorted(books.spools)) if books.spools and dice.once_in(3) else max(1, books.epoch - 1)
        turn = latest if latest is not None and dice.below(4) else dice.pick(TURNS)
        first = max(1, books.spools.get(dead, 0) - 1)
        places = [n for n in range(first, first + 5) if not dice.once_in(5)]
        facts = [(Position(epoch=dead, n=n), self.late(name, turn, dice)) for n in places]
        epoch = books.epoch - dice.once_in(10)
        kind, _ = self.do(dice, lambda store: store.adopt(name, facts, turn=turn, epoch=epoch))
        if kind == "answer" and places:
            books.spools[dead] = max(books.spools.get(dead, 0), places[-1])

    def purge(self, name: SessionId, dice: Dice) -> None:
        if dice.once_in(3):
            self.do(dice, lambda store: store.purge(name))
            self.books[name] = Books()

    def reopen(self, _name: SessionId, dice: Dice) -> None:
        """One of the processes ends and comes back."""
        place = dice.below(2)
        self.now(self.disks[place].close())
        self.disks[place] = self.now(self._open())

    def read(self, name: SessionId, dice: Dice) -> None:
        after, limit = dice.below(20), dice.below(9)
        self.do(dice, lambda store: store.read(name, after, limit))
        self.do(dice, lambda store: store.wait(name, 0, 0))
        self.do(dice, lambda store: store.page(name, after))
        self.do(dice, lambda store: store.changes(after, limit))

    # Facts.

    def fact(self, name: SessionId, turn: TurnId, dice: Dice) -> e.Event:
        """Something that a run may report."""
        ask = dice.pick(ASKS)
        match dice.below(24):
            case 0:
                return e.TurnEnded(turn=turn, outcome=dice.pick(("completed", "failed", "interrupted", "cancelled")))
            case 2:
                return e.ApprovalRequested(ask=ask, turn=turn, command="rm alpha")
            case 3:
                return e.QuestionAsked(ask=ask, turn=turn, text="which?")
            case 4:
                return dice.pick(
                    (e.ApprovalDelivered(ask=ask), e.QuestionDelivered(ask=ask), e.ApprovalExpired(ask=ask))
                )
            case 5:
                started = e.RunnerStarted()
                return dice.pick((e.RunnerStopped(), started, started, e.RunnerLost(), e.AgentFailed(error="no")))
            case 6:
                return e.SteerDelivered(turn=turn, steer=dice.pick(STEERS))
            case 7:
                return dice.pick((e.RecoveryPending(turn=turn), e.RecoveryFinished(turn=turn, result="recovered")))
            case 8:
                return self.first(name, wild_event(dice))
            case _:
                return self.late(name, turn, dice)

    def late(self, name: SessionId, turn: TurnId, dice: Dice) -> Any:
        """Output: what may also lie in a spool."""
        parent = dice.pick(CALLS) if dice.once_in(6) else None
        match dice.below(10):
            case 0 | 1 | 2:
                return e.TextAppended(turn=turn, text=dice.pick(TEXTS), parent=parent)
            case 3:
                return e.ThoughtAppended(turn=turn, text=dice.pick(TEXTS), parent=parent)
            case 4:
                return e.PlanReplaced(turn=turn, entries=PLAN)
            case 5:
                return e.NoticeRaised(turn=turn, text="Look.")
            case 6:
                return e.UsageReported(turn=turn, input=1, cost=2)
            case _:
                status = dice.pick(("running", "completed", "completed", "failed"))
                diffs = (DIFF,) if dice.once_in(4) else ()
                changed = e.ToolChanged(
                    turn=turn, call=dice.pick(CALLS), parent=parent, status=status, appended="out ", diffs=diffs
                )
                return self.first(name, changed)

    def first(self, name: SessionId, event: e.Event) -> e.Event:
        """Mark the first event of a call, as a runner does."""
        if not isinstance(event, e.ToolChanged):
            return event if key(event) is None else e.TitleSuggested(title="wild")
        calls = self.books[name].calls
        event = msgspec.structs.replace(event, first=(event.turn, event.call) not in calls)
        calls.add((event.turn, event.call))
        return event

    # What must hold after every step.

    @invariant()
    def the_pages_and_the_state_are_what_was_never_settled(self) -> None:
        """Judged after every step in memory, and after every sixth on the disk."""
        self.steps += 1
        for name in SESSIONS:
            self.now(_judge(self.memory, name))
        if self.steps % 6 == 0:
            self.compare()

    def count(self) -> None:
        """Keep a tally of what the histories led to: stores that are compared while empty prove nothing."""
        self.reached["owner"] += len(self.now(self.memory.owners()))
        self.reached["hit"] += len(self.now(self.memory.search("alpha", limit=EVERYTHING)))
        for name in self.memory._logs:
            pages = self.now(self.memory.open(name)).page.number
            self.reached["several pages"] += pages > 2
            for _, _, item in self.now(shown(self.memory, name)):
                self.reached[item["type"]] += 1
                self.reached["recovered"] += item.get("recovered", False)

    def compare(self) -> None:
        """All that the stores can be asked, of all of them."""
        expected = self.now(_everything(self.memory))
        for store in self.disks:
            assert self.now(_everything(store)) == expected


async def _outcome(step: Callable[[Store], Awaitable[Any]], store: Store) -> Outcome:
    try:
        answer = await step(store)
    except KeyTaken as refusal:
        return "KeyTaken", refusal.details
    except HoldfastError as refusal:
        return type(refusal).__name__, refusal.details
    return "answer", _plain(answer)


def _plain(answer: Any) -> Any:
    if isinstance(answer, Claimed):
        return answer.epoch, answer.head, window.dump(answer.session)
    return answer


async def _state(store: Store, name: SessionId) -> Session:
    try:
        return (await store.open(name)).session
    except HoldfastError:
        return Session()


async def _everything(store: Store) -> list[Any]:
    queries = (
        Query(),
        Query(archived=True),
        Query(deleted=True),
        Query(text="uber"),
        Query(tags=("x",)),
        Query(on_top=True),
        Query(project="p"),
    )
    hits = [await store.search(text, limit=EVERYTHING) for text in WORDS]
    return [
        [await _outcome(lambda store, name=name: store.read(name, 0, EVERYTHING), store) for name in SESSIONS],
        [await _outcome(lambda store, name=name: shown(store, name), store) for name in SESSIONS],
        [await _outcome(lambda store, name=name: _opened(store, name), store) for name in SESSIONS],
        [await store.sessions(query) for query in queries],
        await store.changes(0, EVERYTHING),
        await store.owners(),
        [await _outcome(lambda store, name=name: store.claims(name), store) for name in SESSIONS],
        [sorted(found, key=msgspec.json.encode) for found in hits],
        [await _outcome(lambda store, name=name: store.find(name, "a", stretch=7), store) for name in SESSIONS],
    ]


async def _opened(store: Store, name: SessionId) -> tuple[bytes, Any]:
    opened = await store.open(name)
    return window.dump(opened.session), opened.page


async def _judge(store: Store, name: SessionId) -> None:
    try:
        records: list[Record] = await store.read(name, 0, EVERYTHING)
    except HoldfastError:
        return
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    whole = replay(records)
    assert await shown(store, name) == joined(window.transcript(whole))
    session = (await store.open(name)).session
    assert overview(session) == overview(whole)
    assert _beside_turns(session) == _beside_turns(whole)


def _beside_turns(session: Session) -> dict[str, object]:
    fields: dict[str, object] = msgspec.json.decode(window.dump(session))
    fields.pop("turns", None)
    return fields


@pytest.mark.slow
def test_memory_and_sqlite_are_one_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred histories of thirty steps each, the same on every machine."""
    for name, value in LIMITS.items():
        monkeypatch.setattr(name, value)
    monkeypatch.setattr("holdfast.store.sqlite.store.Worker", Inline)
    run_state_machine_as_test(
        SideBySide,
        settings=settings(
            max_examples=200,
            stateful_step_count=30,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],  # a shorter history would cost minutes; the first one names the step that failed
            report_multiple_bugs=False,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        ),
    )
    never = [name for name in REACHED if SideBySide.reached[name] < 5]
    assert not never, f"the histories hardly ever lead to {never}: {SideBySide.reached}"
