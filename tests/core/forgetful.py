"""What the ledger must say, the slow and obvious way: one entry for each completed turn, and nothing clever.

It shares no line with `holdfast.core.ledger`. A generation is known to be committed, or it has an owner that lives, is
dead or is unknown.
"""

from dataclasses import dataclass, field


@dataclass
class Generation:
    number: int
    owner: str
    epoch: int
    adopted: bool = False
    dead: bool = False
    committed: bool = False


@dataclass
class Model:
    """The world as somebody sees it who remembers every turn."""

    turns: list[Generation] = field(default_factory=list)
    flight: tuple[str, list[int]] | None = None
    doubt: tuple[str, list[int]] | None = None
    wanted: set[int] = field(default_factory=set)
    commits: int = 0
    doubled: bool = False

    def complete(self, owner: str, epoch: int) -> None:
        self.turns.append(Generation(len(self.turns) + 1, owner, epoch))

    def left(self) -> list[Generation]:
        return [turn for turn in self.turns if not turn.committed]

    def oldest(self) -> list[Generation]:
        """The oldest turns that are not committed and have one owner."""
        left = self.left()
        keys = [(turn.owner, turn.epoch, turn.adopted, turn.dead) for turn in left]
        return [turn for i, turn in enumerate(left) if keys[: i + 1] == keys[:1] * (i + 1)]

    def begin(self, token: str, owner: str, numbers: list[int]) -> bool:
        oldest = self.oldest() if self.left() else []
        known = bool(oldest) and bool(oldest[0].owner) and not oldest[0].dead
        theirs = known and oldest[0].owner != owner
        within = bool(numbers) and numbers == [turn.number for turn in oldest][: len(numbers)]
        other = self.doubt is not None and self.doubt != (token, numbers)
        if self.flight is not None or theirs or not within or other:
            return False
        for turn in oldest:
            turn.owner, turn.dead, turn.adopted = owner, False, turn.adopted or not known
        self.flight, self.doubled = (token, numbers), self.doubled or self.doubt is not None
        return True

    def end(self, *, well: bool, in_doubt: bool = False) -> None:
        assert self.flight is not None
        for turn in self.turns:
            turn.committed = turn.committed or (well and turn.number in self.flight[1])
        self.wanted |= set() if well else set(self.flight[1])
        self.commits += well
        self.doubt = None if well else self.flight if in_doubt else self.doubt
        self.flight = None

    def die(self, owner: str) -> None:
        for turn in self.left():
            turn.dead = turn.dead or turn.owner == owner

    def lose(self) -> None:
        for turn in self.left():
            turn.dead = True
        self.doubt, self.flight = self.flight or self.doubt, None
