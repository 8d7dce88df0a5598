"""What became of a soak, line by line."""

from collections import Counter
from collections.abc import Iterator

from tests.soak.course import Outcome
from tests.soak.judgement import judged
from tests.soak.report import Line

SHOWN = 5
"""Flaws that are told of each promise."""


def lines(outcome: Outcome) -> list[Line]:
    return [*_promises(outcome), *judged(outcome.samples), *_numbers(outcome)]


def title(outcome: Outcome) -> str:
    plan = outcome.plan
    return (
        f"{plan.seconds / 60:g} minutes, {plan.sessions} sessions, {plan.viewers} viewers, seed {plan.seed}:"
        f" {outcome.blows.total():,} blows, {outcome.did['turns']:,} turns, {outcome.records:,} records."
    )


def _promises(outcome: Outcome) -> Iterator[Line]:
    for name, flaws in outcome.flaws.items():
        found = f"{len(flaws):,} flaws" if flaws else "holds"
        notes = [f"{flaw.kind}: {flaw.sentence}" for flaw in flaws[:SHOWN]]
        yield Line(kind="promise", name=name, found=found, fine=not flaws, notes=notes)


def _numbers(outcome: Outcome) -> Iterator[Line]:
    yield _number("words that agents said", f"{outcome.words:,}")
    if outcome.heard_words:
        whole = outcome.heard_bytes / outcome.heard_words
        words = outcome.heard_word_bytes / outcome.heard_words
        yield _number("bytes over the wire for a word", f"{words:.0f}; {whole:.0f} with all else that a viewer gets")
    if outcome.words:
        yield _number("bytes on disk for a word", f"{outcome.disk / outcome.words:.0f}, with all else that is stored")
    yield _number("size of the store at the end", f"{outcome.disk / 1e6:.1f} MB")
    yield _number("connections of viewers", f"{outcome.returns:,}, {outcome.reloads:,} of them anew")
    yield _counted("blows", outcome.blows)
    yield _counted("turns that ended", outcome.ends)
    yield _counted("deeds of people", outcome.did)


def _number(name: str, found: str) -> Line:
    return Line(kind="number", name=name, found=found)


def _counted(name: str, counts: Counter[str]) -> Line:
    kinds = "; ".join(f"{count:,} {kind}" for kind, count in counts.most_common())
    return Line(kind="number", name=name, found=f"{counts.total():,}", notes=[kinds])
