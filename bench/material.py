"""What a working session really holds, made from a seed: words that stream, thoughts, tools, diffs, plans, asks.

The words follow Zipf's law over an invented vocabulary, so that an index meets common and rare ones as in real text.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count

from holdfast.core import events as e
from holdfast.core.ids import AskId, CallId, TurnId, mint
from holdfast.core.records import Record

STARTED = 1_700_000_000_000
_SYLLABLES = [consonant + vowel for consonant in "bcdfghklmnprstv" for vowel in "aeio"]


class Material:
    """A source of events. Two with the same seed give the same ones."""

    def __init__(self, seed: int = 1, sentences: int = 20_000) -> None:
        self._dice = random.Random(seed)
        self.vocabulary: list[str] = self._words(20_000)
        weights = list(accumulate(1 / (rank + 3) for rank in range(len(self.vocabulary))))
        picked = iter(self._dice.choices(self.vocabulary, cum_weights=weights, k=sentences * 12))
        self._sentences: list[str] = [
            " ".join(next(picked) for _ in range(12)).capitalize() + "." for _ in range(sentences)
        ]

    def _words(self, wanted: int) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < wanted:
            found["".join(self._dice.choices(_SYLLABLES, k=self._dice.choice((1, 2, 2, 3, 3, 4))))] = None
        return list(found)

    def text(self, smallest: int = 1_000, largest: int = 4_000) -> str:
        """Prose of a size between the two, in characters."""
        wanted, parts, size = self._dice.randint(smallest, largest), [""], 0
        while size < wanted:
            parts.append(self._dice.choice(self._sentences))
            size += len(parts[-1]) + 1
        return " ".join(parts)[1 : wanted + 1]

    def name(self) -> str:
        return mint(self._dice.randbytes(10))

    def session(self, turns: int | None = None) -> Iterator[e.Event]:
        """A session's life after its creation: intents and facts in the order of their log."""
        yield e.RunnerStarted(pid=4711, version="0.1.0")
        yield e.AgentOpened(agent="hermes", instance=self.name(), pid=4712, born=91_823, group=4712)
        for _ in count() if turns is None else range(turns):
            yield from self.turn()

    def exchanges(self, turns: int, *, together: int) -> Iterator[e.Event]:
        """Plain questions and answers of 1-4 kB. All is asked beforehand, so that a store is filled with few syncs."""
        asked = [TurnId(self.name()) for _ in range(turns)]
        for turn in asked:
            yield e.TurnSubmitted(turn=turn, text=self.text(100, 1_500))
        for turn in asked:
            yield e.TurnStarted(turn=turn)
            yield from self.words(turn, self.text(), together=together)
            yield e.TurnEnded(turn=turn, outcome="completed")

    def turn(self) -> Iterator[e.Event]:
        """A whole turn: a request, a run with some steps, an answer of 1-4 kB in words."""
        turn = TurnId(self.name())
        yield e.TurnSubmitted(turn=turn, text=self.text(100, 1_500), client="desk")
        yield e.TurnStarted(turn=turn)
        yield from self.run(turn)
        if self._dice.random() < 0.3:
            yield from self.approval(turn)
        yield from self.answer(turn)
        yield e.TurnEnded(turn=turn, outcome="completed")

    def run(self, turn: TurnId) -> Iterator[e.AnyFact]:
        """What a run does before it answers: nothing here is synced."""
        yield from self.thought(turn)
        steps = self._dice.randint(3, 9)
        for step in range(steps):
            if step % 2 == 0:
                yield self.plan(turn, step, steps)
            yield from self.words(turn, self.text(60, 400))
            yield from self.tool(turn)
        yield self.usage(turn)

    def answer(self, turn: TurnId) -> Iterator[e.AnyFact]:
        yield from self.words(turn, self.text())
        yield self.usage(turn)

    def words(self, turn: TurnId, text: str, *, together: int = 1) -> Iterator[e.TextAppended]:
        """Text as a model streams it, `together` words in an event."""
        message = f"msg_{self.name()}"
        for piece in _pieces(text, together):
            yield e.TextAppended(turn=turn, text=piece, message=message)

    def thought(self, turn: TurnId) -> Iterator[e.ThoughtAppended]:
        for piece in _pieces(self.text(200, 1_200), 1):
            yield e.ThoughtAppended(turn=turn, text=piece)

    def tool(self, turn: TurnId) -> Iterator[e.ToolChanged]:
        """A call with its arguments, growing output, and for some a diff."""
        call = CallId(f"call_{self.name()}")
        path = f"src/{self._dice.choice(self.vocabulary)}/{self._dice.choice(self.vocabulary)}.py"
        yield e.ToolChanged(
            turn=turn,
            call=call,
            first=True,
            name="terminal",
            title=f"Run the tests of {path}",
            action="execute",
            arguments=self.text(80, 600),
            status="running",
        )
        for _ in range(self._dice.randint(1, 6)):
            yield e.ToolChanged(turn=turn, call=call, appended=self.text(100, 700))
        if self._dice.random() < 0.4:
            yield e.ToolChanged(turn=turn, call=call, diffs=(e.Diff(path=path, old=self.text(), new=self.text()),))
        yield e.ToolChanged(turn=turn, call=call, status="completed")

    def plan(self, turn: TurnId, done: int, total: int) -> e.PlanReplaced:
        entries = tuple(
            e.PlanEntry(text=self.text(30, 90), status="completed" if i < done else "pending") for i in range(total)
        )
        return e.PlanReplaced(turn=turn, entries=entries)

    def usage(self, turn: TurnId) -> e.UsageReported:
        used = self._dice.randint(2_000, 90_000)
        return e.UsageReported(
            turn=turn, input=used, output=used // 20, cost=used * 3, context_used=used, context_window=200_000
        )

    def approval(self, turn: TurnId) -> Iterator[e.Event]:
        ask = AskId(self.name())
        yield e.ApprovalRequested(ask=ask, turn=turn, command=self.text(40, 300), tool="terminal", directory="src")
        yield e.ApprovalAnswered(ask=ask, choice="once", client="desk")
        yield e.ApprovalDelivered(ask=ask)


def _pieces(text: str, together: int) -> Iterator[str]:
    words = text.split(" ")
    for first in range(0, len(words), together):
        piece = " ".join(words[first : first + together])
        yield piece if first == 0 else " " + piece


def records(events: Iterable[e.Event]) -> list[Record]:
    """The events as one owner's log."""
    placed: list[Record] = []
    n = 0
    for seq, event in enumerate(events, 1):
        fact = isinstance(event, e.Fact)
        n += fact
        placed.append(Record(seq=seq, time=STARTED + 20 * seq, event=event, epoch=int(fact), n=n if fact else 0))
    return placed


def batches(events: Sequence[e.Event], size: int) -> list[list[e.Event]]:
    """The events in groups of at most `size`. Intents and facts never share one: they have different writers."""
    groups: list[list[e.Event]] = []
    for event in events:
        last = groups[-1] if groups else []
        if last and len(last) < size and isinstance(last[-1], e.Fact) == isinstance(event, e.Fact):
            last.append(event)
        else:
            groups.append([event])
    return groups
