"""The table of what was played: in the terminal, in `docs/crash-matrix.md`, and in short in `README.md`."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from holdfast import faults
from tests.crashes.cases import COLUMNS, IMPOSSIBLE, MOMENTS, NOBODY, Column, run_points
from tests.crashes.stage import Outcome

BEGIN, END = "<!-- numbers: written by `make crashes` -->", "<!-- end of numbers -->"
FLAWS = ("lost", "doubled", "stuck", "other")
ROOT = Path(__file__).parents[2]
PAGE, README = ROOT / "docs" / "crash-matrix.md", ROOT / "README.md"
TOLD: dict[Column, str] = {
    "server": "the server",
    "runner": "the run's process",
    "agent": "its agent",
    "server + runner": "server and run together",
    "second kill": "both, and again while that is made good",
}
"""The columns in the words of somebody who has not read the page."""
RANDOM = "any of them, at random moments"


def numbers(outcomes: Sequence[Outcome], seconds: float) -> str:
    """The whole report as Markdown."""
    return "\n\n".join([_summary(outcomes, seconds), _matrix(outcomes), _kinds(outcomes)])


def brief(outcomes: Sequence[Outcome]) -> str:
    """A line for everybody who was killed, and one for all: what the README shows."""
    groups = {told: [o for o in outcomes if not o.case.seed and o.case.column == name] for name, told in TOLD.items()}
    groups[RANDOM] = [outcome for outcome in outcomes if outcome.case.seed]
    lines = [_counted(name, group) for name, group in groups.items()]
    head = ["| killed by `kill -9` | cases | lost | doubled | stuck | otherwise wrong |", "|---|--:|--:|--:|--:|--:|"]
    return "\n".join([*head, *lines, _counted("**all**", outcomes)])


def write(outcomes: Sequence[Outcome], text: str) -> None:
    """Keep the whole report on its page, and the short one in the README."""
    write_document(PAGE, text)
    write_document(README, brief(outcomes))


def write_document(path: Path, text: str) -> None:
    """Replace what stands between the marks."""
    before, _, rest = path.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", "utf-8")


def flaws(outcome: Outcome) -> set[str]:
    return {flaw.kind if flaw.kind in FLAWS else "other" for flaw in outcome.flaws}


def _summary(outcomes: Sequence[Outcome], seconds: float) -> str:
    found = Counter(kind for outcome in outcomes for kind in flaws(outcome))
    back = sorted(outcome.back for outcome in outcomes if not outcome.flaws) or [0.0]
    random = sum(bool(outcome.case.seed) for outcome in outcomes)
    again = sum(outcome.attempts > 1 for outcome in outcomes)
    return (
        f"{len(outcomes)} cases ({random} of them at random moments) in {seconds:.0f} s:"
        f" **{found['lost']} lost, {found['doubled']} doubled, {found['stuck']} stuck, {found['other']} otherwise"
        " flawed.**"
        f" {again} were struck again because nothing ran when the first blow fell. From the server being up (or, if it"
        f" lived, from the blow) until a new message and all that waited was done: half within"
        f" {back[len(back) // 2]:.1f} s, the slowest in {back[-1]:.1f} s."
    )


def _matrix(outcomes: Sequence[Outcome]) -> str:
    played = Counter((outcome.case.point, outcome.case.column) for outcome in outcomes if not outcome.case.seed)
    flawed = Counter((o.case.point, o.case.column) for o in outcomes if o.flaws and not o.case.seed)
    lines = [f"| where | {' | '.join(COLUMNS)} |", f"|---|{'--:|' * len(COLUMNS)}"]
    for row in [*run_points(), *MOMENTS]:
        cells = [
            "none" if (row, column) in IMPOSSIBLE else _cell(played[row, column], flawed[row, column])
            for column in COLUMNS
        ]
        lines.append(f"| {f'`{row}`' if row in faults.ALL else row} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"*none*: {NOBODY}."])


def _cell(played: int, flawed: int) -> str:
    return f"{played}, **{flawed} flawed**" if flawed else str(played)


def _kinds(outcomes: Sequence[Outcome]) -> str:
    """How the cases were flawed, by the script that ran."""
    lines = ["| cases | played | lost | doubled | stuck | other |", "|---|--:|--:|--:|--:|--:|"]
    groups = {
        "at fault points": [o for o in outcomes if o.case.at],
        "at moments of a turn": [o for o in outcomes if not o.case.at and not o.case.seed],
        "at random moments": [o for o in outcomes if o.case.seed],
    }
    return "\n".join([*lines, *(_counted(name, group) for name, group in groups.items())])


def _counted(name: str, group: Sequence[Outcome]) -> str:
    found = Counter(kind for outcome in group for kind in flaws(outcome))
    return f"| {name} | {len(group)} | {' | '.join(str(found[kind]) for kind in FLAWS)} |"
