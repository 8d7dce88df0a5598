"""Which completed turns are not committed to memory yet, and who may commit them. No clock, no I/O, never raises.

The completed turns of a session are its *generations*, 1, 2, 3. Those that are not committed lie in *segments*, oldest
first and without a gap; a segment is a row of generations that one agent process, its *owner*, has completed.

Laws (held against a model in `tests/core/test_ledger.py`):
1. At most one commit is in flight. It covers generations of the oldest segment only, from its first on.
2. While an owner lives nobody else commits its segment; a segment whose owner is dead or unknown belongs to whoever
   begins to commit it, also if that fails.
3. A commit that ends well takes away what it began with and nothing more; one that fails takes nothing away.
4. A commit whose end nobody saw is in doubt: the next one covers exactly the same generations, with the same token.
5. A boundary says up to which generation a commit is wanted. Nothing beyond it is committed because of it.
6. What a clean session keeps is a few numbers.
"""

import msgspec

SEGMENTS = 32
"""Segments of dead owners beyond these are joined: whoever adopts one adopts its neighbour next."""
PAUSE = 30_000
LONGEST_PAUSE = 3_600_000
"""Milliseconds between a failed commit and its repetition: the first, doubled by each failure, up to the longest."""
ERROR = 1_000
"""Characters that are kept of what a provider says."""
LOST = "The process that was committing ended."


class Segment(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Generations `first` to `last`, completed by `owner`, a process of `agent` that knew its talk as `reference`.

    Its messages are in the log: those of generation `base`, which ended at seq `begun`, and of its followers. None of
    them was submitted before seq `since`. An owner that `adopted` it was not there when they were said.
    """

    owner: str
    first: int
    last: int
    base: int
    since: int
    begun: int
    agent: str = ""
    reference: str = ""
    dead: bool = False
    adopted: bool = False


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """A commit that was begun."""

    token: str
    owner: str
    first: int
    last: int


class Completed(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that ended well: where it was submitted and where it ended, and which process did it, if that is known."""

    since: int
    seq: int
    owner: str = ""
    agent: str = ""
    reference: str = ""


class Ledger(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`wanted`: boundaries ask for commits up to here. `attempt` is in flight, `doubt` was when its process ended.

    `tries` counts all attempts, `failures` those in a row that failed, the last with `error`, or because there was
    `no_agent` to ask; before `again` none is repeated by itself. `doubled`: some commit was made again although its
    first call may have succeeded.
    """

    generation: int = 0
    commits: int = 0
    tries: int = 0
    wanted: int = 0
    segments: list[Segment] = []
    attempt: Attempt | None = None
    doubt: Attempt | None = None
    doubled: bool = False
    failures: int = 0
    error: str = ""
    no_agent: bool = False
    again: int = 0

    @property
    def committed(self) -> int:
        """All generations up to this one are committed."""
        return self.segments[0].first - 1 if self.segments else self.generation

    @property
    def uncommitted(self) -> int:
        return self.generation - self.committed

    @property
    def may_be_doubled(self) -> bool:
        return self.doubled or self.doubt is not None

    def due(self, now: int, *, everything: bool = False, at_once: bool = False) -> tuple[int, int] | None:
        """The generations to commit next, or None: what boundaries want, or `everything`; after a failure, later."""
        if self.attempt is not None or not self.segments or (now < self.again and not at_once):
            return None
        oldest = self.segments[0]
        last = oldest.last if everything else min(oldest.last, self.wanted)
        if self.doubt is not None and last >= oldest.first:
            last = self.doubt.last
        return (oldest.first, last) if last >= oldest.first else None

    @property
    def owners(self) -> list[str]:
        """The processes that have something which is not committed."""
        return [segment.owner for segment in self.segments if not segment.dead]

    # What happens.

    def complete(self, turn: Completed) -> None:
        """A turn ended well: the mark is its end record."""
        self.generation += 1
        newest = self.segments[-1] if self.segments else None
        if newest is not None and newest.owner == turn.owner and not (newest.dead or newest.adopted):
            newest.last = self.generation
            newest.since = min(newest.since, turn.since)
            return
        segment = Segment(
            owner=turn.owner,
            first=self.generation,
            last=self.generation,
            base=self.generation,
            since=turn.since,
            begun=turn.seq,
            agent=turn.agent,
            reference=turn.reference,
        )
        self.segments.append(segment)
        self._join()

    def want(self, last: int) -> None:
        """A boundary asks for a commit up to this generation, and does not wait for the next repetition."""
        if self.segments:
            self.wanted, self.again = max(self.wanted, last), 0

    def want_oldest(self) -> None:
        """As `want`, of the oldest owner's generations."""
        self.want(self.segments[0].last if self.segments else 0)

    def start(self) -> None:
        """A runner has come up: what was left is wanted. A repetition still waits for its time."""
        self.wanted = self.generation if self.segments else 0

    def begin(self, attempt: Attempt) -> None:
        """A commit begins. What does not fit has no effect, so whoever wrote it looks whether it is in flight."""
        oldest = self.segments[0] if self.segments else None
        if oldest is None or self.attempt is not None or not self._fits(oldest, attempt):
            return
        oldest.adopted = oldest.adopted or oldest.dead or not oldest.owner
        oldest.owner, oldest.dead = attempt.owner, False
        self.attempt, self.tries = attempt, self.tries + 1
        self.doubled = self.doubled or self.doubt is not None

    def _fits(self, oldest: Segment, attempt: Attempt) -> bool:
        free = oldest.dead or not oldest.owner or oldest.owner == attempt.owner
        within = oldest.first == attempt.first <= attempt.last <= oldest.last
        again = self.doubt is None or (self.doubt.token, self.doubt.last) == (attempt.token, attempt.last)
        return bool(attempt.owner) and free and within and again

    def finish(self, token: str) -> None:
        """The commit in flight ended well."""
        if self.attempt is None or self.attempt.token != token:
            return
        oldest = self.segments[0]
        oldest.first = self.attempt.last + 1
        if oldest.first > oldest.last:
            del self.segments[0]
        self.attempt = self.doubt = None
        self.commits += 1
        self.failures, self.error, self.no_agent, self.again = 0, "", False, 0
        self.wanted = self.wanted if self.wanted > self.committed else 0

    def fail(self, token: str, error: str, time: int, *, in_doubt: bool) -> None:
        """The commit in flight failed, or, without a token, there was nobody who could begin one."""
        attempt = self.attempt
        if not self.segments or token != ("" if attempt is None else attempt.token):
            return
        last = self.segments[0].last if attempt is None else attempt.last
        self.tries += attempt is None
        self.wanted = max(self.wanted, last)
        self.doubt = attempt if in_doubt and attempt is not None else self.doubt
        self.attempt, self.no_agent = None, attempt is None
        self._pause(time, error)

    def bury(self, owner: str) -> None:
        """A process is known to be dead."""
        for segment in self.segments:
            segment.dead = segment.dead or segment.owner == owner

    def lose(self, time: int) -> None:
        """The runner is gone, and every agent with it. Nobody saw the end of what was in flight.

        It is repeated at once, but if the repetition ends like that too, it is in no hurry any more.
        """
        for segment in self.segments:
            segment.dead = True
        if self.attempt is not None and self.doubt is not None:
            self._pause(time, LOST)
        self.doubt, self.attempt = self.attempt or self.doubt, None
        self._join()

    def _pause(self, time: int, error: str) -> None:
        self.again = time + min(PAUSE << min(self.failures, 10), LONGEST_PAUSE)
        self.failures, self.error = self.failures + 1, error[:ERROR]

    def _join(self) -> None:
        """Bookkeeping does not grow without bound."""
        i = 0
        while len(self.segments) > SEGMENTS and i + 1 < len(self.segments):
            older, newer = self.segments[i], self.segments[i + 1]
            if older.dead and newer.dead:
                older.last, older.since = newer.last, min(older.since, newer.since)
                del self.segments[i + 1]
            else:
                i += 1
