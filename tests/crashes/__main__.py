"""Play the table, random seeds, or single cases, and print what became of them.

`make crashes SEEDS=100` plays the table and the seeds 1 to 100. `python -m tests.crashes --case "outbox.appended"`
plays the cases whose name holds these words, `--seeds 1 --first 17` the seed 17. A home in which a promise was broken
is kept. `make crashes ARGS=--document` writes down what became of them.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.crashes import report
from tests.crashes.cases import Case, seeds, table
from tests.crashes.stage import Outcome, play, told


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crashes", description="Kill processes; see what survives.")
    parser.add_argument("--seeds", type=int, default=0, help="so many random cases")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--table", action="store_true", help="every case of the table")
    parser.add_argument("--case", default="", help="the cases of the table whose name holds this")
    parser.add_argument("--workers", type=int, default=5, help="homes at a time")
    parser.add_argument(
        "--document",
        action="store_true",
        help="write the numbers into docs/crash-matrix.md, and in short into README.md",
    )
    return parser.parse_args()


def _chosen(arguments: argparse.Namespace) -> list[Case]:
    cases = [case for case in table() if arguments.table or (arguments.case and arguments.case in case.name)]
    return [*cases, *seeds(arguments.first, arguments.seeds)]


async def _play(cases: list[Case], folder: Path, workers: int) -> list[Outcome]:
    outcomes: list[Outcome] = []
    async for outcome in play(cases, folder, workers):
        outcomes.append(outcome)
        print(f"{len(outcomes):4} {told(outcome)}", flush=True)
    return outcomes


def main() -> int:
    arguments = _arguments()
    cases = _chosen(arguments)
    if not cases:
        print("No case has such a name, and no seeds were asked for.", file=sys.stderr)
        return 2
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="holdfast-crashes-"))
    outcomes = asyncio.run(_play(cases, folder, arguments.workers))
    if not any(folder.iterdir()):
        folder.rmdir()
    text = report.numbers(outcomes, time.monotonic() - started)
    print(f"\n{text}")
    if arguments.document:
        report.write(outcomes, text)
    return int(any(outcome.flaws for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
