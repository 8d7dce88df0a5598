"""Stores to measure on: the writer's side alone, as its thread uses it, and ways to fill it."""

from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path

from bench.material import batches
from holdfast.core.events import AnyFact, Event, Fact, RunnerStarted, SessionCreated
from holdfast.core.ids import SessionId
from holdfast.core.records import Position
from holdfast.core.session import Session
from holdfast.store.sqlite.connection import RUNNER_AUTOCHECKPOINT, connect, migrate
from holdfast.store.sqlite.gate import Gate
from holdfast.store.sqlite.store import DATABASE, FOUND, GATE, now, renew_lineage
from holdfast.store.sqlite.writing import Writing


def _unheard(session: SessionId, head: int) -> None:
    del session, head


@contextmanager
def writer(folder: Path, autocheckpoint: int = RUNNER_AUTOCHECKPOINT) -> Generator[Writing]:
    """The writer's side of the store in `folder`, on the caller's thread."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(Gate(folder / GATE)) as gate:
        with gate.entered():
            connection = connect(folder / DATABASE, autocheckpoint=autocheckpoint)
            with connection:
                migrate(connection)
                connection.execute(FOUND).fetchall()
                renew_lineage(connection)
        with closing(Writing(connection, gate, now=now, ring=_unheard)) as writing:
            yield writing


def _no_loss(session: Session) -> list[AnyFact]:
    del session
    return []


class Author:
    """Appends to one session as its owner: facts count on from the last, intents stand alone."""

    def __init__(self, writing: Writing, session: SessionId, title: str = "") -> None:
        self._writing = writing
        self.session: SessionId = session
        writing.create(session, SessionCreated(title=title, agent="hermes", workspace="/home/ada/project"))
        self.epoch: int = writing.claim(session, _no_loss).epoch
        self.n: int = 0

    def begin(self) -> None:
        self.append([RunnerStarted(pid=4711)])

    def append(self, events: list[Event]) -> None:
        position = self.take(events)
        self._writing.append(self.session, events, position=position, key=None)

    def take(self, events: list[Event]) -> Position | None:
        """The position of these events, if they are facts."""
        if not isinstance(events[0], Fact):
            return None
        position = Position(epoch=self.epoch, n=self.n + 1)
        self.n += len(events)
        return position

    def fill(self, events: Iterable[Event], together: int = 500) -> int:
        """Append them all and return how many they were."""
        total = 0
        for batch in batches(list(events), together):
            self.append(batch)
            total += len(batch)
        return total
