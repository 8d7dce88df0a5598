"""A crowd before one session: is everybody complete, how old are the words, and what does it cost the server?

Three kinds of rounds take turns: the crowd, the crowd beside one viewer that reads a byte a second, and the same crowd
before a bare writer of the same frames. The slow one follows the session from its first record, megabytes ago, so that
it always has something to be sent and never has room for it. Memory is that of the server's process.
"""

from time import sleep

import msgspec

from bench.hearing import Bare, Hearing, Ours, bare, hear
from bench.house import Serving, resident, serving
from bench.measure import Number
from bench.workshop import Workshop
from holdfast.core.ids import SessionId
from holdfast.server.tails import CROWD

ROUNDS = 3
BACKLOG = 8_000_000
REST = 5.0
"""Seconds before memory is looked at: connections end, and what was allocated is given back."""
GROWTH_GOAL = 60


class Crowd(msgspec.Struct, frozen=True, kw_only=True):
    """So many viewers, before whom so many words are said each second, none older than `goal` ms (p99)."""

    viewers: int
    rate: int
    goal: int

    @property
    def name(self) -> str:
        return f"{self.viewers:,} viewers x {self.rate} events/s"


SMALL, LARGE = Crowd(viewers=500, rate=50, goal=200), Crowd(viewers=1_000, rate=100, goal=250)


class Weight:
    """Resident memory of the server: before anybody came, at its highest, and when all had left."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        sleep(REST)
        self.before: float = resident(pid)
        self.highest: float = self.before
        self.after: list[float] = []

    def look(self) -> None:
        self.highest = max(self.highest, resident(self._pid))

    def rest(self) -> None:
        sleep(REST)
        self.after.append(resident(self._pid))


class Rounds:
    """The rounds, by their kind."""

    def __init__(self, house: Serving, floor: Bare, session: SessionId, crowd: Crowd, words: int) -> None:
        self._ours = Ours(house, [session])
        self._floor = floor
        self._slow = house.follow(session, 0)
        self.crowd = crowd
        self._words = words
        self.weight = Weight(house.pid)
        self.alone, self.beside_slow, self.bare = Hearing(), Hearing(), Hearing()

    def round(self, number: int, *, slow: bool) -> None:
        """Each kind once, another one first each time."""
        kinds = [self._round_alone, *([self._round_beside_slow] if slow else []), self._round_bare]
        for i in range(len(kinds)):
            kinds[(number + i) % len(kinds)]()
        self.weight.rest()

    def _round_alone(self) -> None:
        self._hear(self.alone, self._ours)

    def _round_beside_slow(self) -> None:
        self._hear(self.beside_slow, self._ours, self._slow)

    def _round_bare(self) -> None:
        self._hear(self.bare, self._floor)

    def _hear(self, hearing: Hearing, streams: Ours | Bare, *slow: str) -> None:
        heard = hear(
            streams,
            words=self._words,
            pause=1000 / self.crowd.rate,
            viewers=self.crowd.viewers,
            slow=slow,
            meanwhile=self.weight.look,
        )
        hearing.add(heard, self.crowd.viewers)


def run(workshop: Workshop) -> list[Number]:
    small, large = _play(workshop, SMALL, slow=True), _play(workshop, LARGE, slow=False)
    return [*_ages(small), _beside_slow(small), *_weights(small), *_ages(large)]


def _play(workshop: Workshop, crowd: Crowd, *, slow: bool) -> Rounds:
    if workshop.quick:
        crowd = msgspec.structs.replace(crowd, viewers=2 * CROWD)
    home = workshop.folder / f"viewers-{crowd.rate}"
    with serving(home, stamps=True) as house, bare(1) as floor:
        (session,) = house.begin("stamps")
        house.say(session, f"fill {BACKLOG}")
        house.quiet()
        rounds = Rounds(house, floor, session, crowd, crowd.rate * workshop.size(15))
        for number in range(1 if workshop.quick else ROUNDS):
            rounds.round(number, slow=slow)
    return rounds


def _ages(rounds: Rounds) -> list[Number]:
    alone, raw, goal = rounds.alone, rounds.bare, rounds.crowd.goal
    return [
        Number(
            group="viewers",
            name=f"{part}, {rounds.crowd.name}",
            value=alone.age(share),
            unit="ms",
            raw=raw.age(share),
            raw_name="a pipe into a bare SSE writer",
            ratio=alone.age(share) / raw.age(share),
            goal=f"<= {goal} ms, all complete" if share > 0.9 else "",
            met=alone.age(share) <= goal and alone.complete == alone.viewers if share > 0.9 else None,
            note=_completeness(alone) if share > 0.9 else "",
        )
        for part, share in (("p50", 0.5), ("p99", 0.99))
    ]


def _beside_slow(rounds: Rounds) -> Number:
    alone, slow, goal = rounds.alone, rounds.beside_slow, rounds.crowd.goal
    return Number(
        group="viewers",
        name="p99, the same beside one that reads 1 byte/s",
        value=slow.age(0.99),
        unit="ms",
        raw=alone.age(0.99),
        raw_name="without it",
        ratio=slow.age(0.99) / alone.age(0.99),
        goal=f"<= {goal} ms, all complete",
        met=slow.age(0.99) <= goal and slow.complete == slow.viewers,
        note=f"{_completeness(slow)}; p50 {slow.age(0.5):.1f} ms, without it {alone.age(0.5):.1f} ms; "
        f"the slow ones read {slow.slow_bytes:,} bytes",
    )


def _completeness(hearing: Hearing) -> str:
    return (
        f"{hearing.complete:,} of {hearing.viewers:,} viewers complete, {hearing.words:,} words, "
        f"{hearing.bytes / 1e6:.0f} MB; worst {hearing.age(1):.0f} ms"
    )


def _weights(rounds: Rounds) -> list[Number]:
    weight, viewers = rounds.weight, rounds.crowd.viewers
    grown, left = weight.highest - weight.before, [after - weight.before for after in weight.after]
    return [
        Number(
            group="viewers",
            name=f"growth of the server's memory under {viewers} viewers",
            value=grown,
            unit="MB",
            goal=f"<= {GROWTH_GOAL} MB",
            met=grown <= GROWTH_GOAL,
            note=f"from {weight.before:.1f} to {weight.highest:.1f} MB",
        ),
        Number(
            group="viewers",
            name=f"of that left {REST:.0f} s after they have gone",
            value=left[-1],
            unit="MB",
            note="after each round of rounds: " + ", ".join(f"{more:.1f}" for more in left) + " MB",
        ),
    ]
