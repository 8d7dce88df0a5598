"""Soak a home: people work, viewers come and go, processes die; see what is lost and what grows.

`make soak ARGS="--minutes 3 --seed 7"`. The choices follow from the seed. A home in which a promise was broken is kept.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

import msgspec

from tests.soak import report
from tests.soak.course import soak
from tests.soak.lines import lines, title
from tests.soak.plan import Plan


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="Work for long, kill often; what grows?")
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (30)")
    parser.add_argument("--sessions", type=int, default=20, help="so many sessions are worked in (20)")
    parser.add_argument("--viewers", type=int, default=30, help="so many browsers follow them, one each at least (30)")
    parser.add_argument("--seed", type=int, default=1, help="what the choices follow from (1)")
    parser.add_argument("--json", type=Path, help="write lines and samples to this file")
    parser.add_argument("--document", type=Path, help="write the lines between the marks of this document")
    arguments = parser.parse_args()
    if arguments.viewers < arguments.sessions or arguments.sessions < 2:
        parser.error("There must be two sessions at least, and a viewer for each.")
    return arguments


def main() -> int:
    arguments = _arguments()
    plan = Plan(
        seconds=arguments.minutes * 60,
        sessions=arguments.sessions,
        viewers=arguments.viewers,
        seed=arguments.seed,
    )
    print(f"{arguments.minutes:g} minutes, seed {plan.seed}.", file=sys.stderr, flush=True)
    folder = Path(tempfile.mkdtemp(prefix="holdfast-soak-"))
    outcome = asyncio.run(soak(plan, folder))
    if not any(folder.iterdir()):
        folder.rmdir()
    found = lines(outcome)
    print(f"{title(outcome)}\n\n{report.table(found)}")
    if outcome.home:
        print(f"\nThe home is kept in {outcome.home}.")
    if arguments.json:
        body = msgspec.json.encode({"plan": plan, "lines": found, "samples": outcome.samples})
        arguments.json.write_bytes(msgspec.json.format(body) + b"\n")
    if arguments.document:
        report.write_document(arguments.document, title(outcome), found)
    return int(bool(report.broken(found)))


if __name__ == "__main__":
    sys.exit(main())
