"""What was played is told the same on its page and, in short, in the README. Nothing is played here."""

import re
from pathlib import Path

from tests.crashes import report
from tests.crashes.cases import COLUMNS, Case, table
from tests.crashes.stage import Outcome
from tests.crashes.verdict import Flaw


def between_the_marks(path: Path) -> str:
    return path.read_text("utf-8").partition(report.BEGIN)[2].partition(report.END)[0].strip()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_case_is_counted_once_with_what_was_wrong() -> None:
    outcomes = [Outcome(case=case, flaws=[], seconds=1, back=1, attempts=1) for case in table()]
    outcomes.append(
        Outcome(case=Case("random", "server", seed=17), flaws=[Flaw("lost", "a word")], seconds=1, back=1, attempts=1)
    )
    rows = {cells(line)[0]: [int(cell) for cell in cells(line)[1:]] for line in report.brief(outcomes).splitlines()[2:]}
    assert list(rows) == [*report.TOLD.values(), report.RANDOM, "**all**"]
    assert rows[report.RANDOM] == [1, 1, 0, 0, 0]
    assert rows["**all**"] == [len(outcomes), 1, 0, 0, 0]
    assert [sum(column) for column in zip(*list(rows.values())[:-1], strict=True)] == rows["**all**"]


def test_the_readme_says_in_short_what_the_page_says() -> None:
    page, short = between_the_marks(report.PAGE), between_the_marks(report.README)
    lines = [cells(line) for line in page.splitlines() if line.startswith("|")]
    kinds = lines.index(["cases", "played", *report.FLAWS])
    matrix = [line[1:] for line in lines[2:kinds]]
    played = [
        sum(int(number) for row in matrix for number in re.findall(r"^\d+", row[at])) for at in range(len(COLUMNS))
    ]
    told = [[int(cell) for cell in cells(line)[1:]] for line in short.splitlines()[2:]]
    random = next(line for line in lines if line[0] == "at random moments")
    assert [row[0] for row in told] == [*played, int(random[1]), sum(played) + int(random[1])]
    assert told[-1][1:] == [sum(int(line[at]) for line in lines[kinds + 2 :]) for at in range(2, 6)]
    assert f"{told[-1][0]} cases" in page
