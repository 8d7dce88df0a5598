"""Run the measurements, all or those that are named, and print their table.

`python -m bench [--quick] [--json PATH] [--plot PATH] [--document PATH] [--folder PATH] [name ...]`
"""

import argparse
import asyncio
import inspect
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench import (
    appending,
    asks,
    contending,
    disk,
    evicting,
    folding,
    forking,
    importing,
    launching,
    listing,
    opening,
    page,
    replaying,
    report,
    searching,
    serving,
    starting,
    streaming,
    viewing,
)
from bench.machine import look
from bench.measure import Number
from bench.workshop import Workshop

Run = Callable[[Workshop], list[Number] | Awaitable[list[Number]]]
ALL: dict[str, Run] = {
    "fold": folding.run,
    "open": opening.run,
    "fork": forking.run,
    "list": listing.run,
    "append": appending.run,
    "disk": disk.run,
    "search": searching.run,
    "contention": contending.run,
    "start": starting.run,
    "http": serving.run,
    "latency": streaming.run,
    "viewers": viewing.run,
    "starts": launching.run,
    "asks": asks.run,
    "memory": evicting.run,
    "page": page.run,
    "replay": replaying.run,
    "import": importing.run,
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Holdfast beside its raw limits.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"what to measure: {', '.join(ALL)} (all)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size: shows that it runs, no more")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    parser.add_argument("--plot", type=Path, help="draw how much of its goal each needs into this file (SVG)")
    parser.add_argument("--document", type=Path, help="write the table between the marks of this document")
    parser.add_argument("--folder", type=Path, help="where to make the stores: on the disk that is to be measured")
    return parser.parse_args()


async def _measure(names: list[str], workshop: Workshop) -> list[Number]:
    numbers: list[Number] = []
    for name in names:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        found = ALL[name](workshop)
        numbers += await found if inspect.isawaitable(found) else found
    return numbers


def main() -> int:
    arguments = _arguments()
    unknown = [name for name in arguments.names if name not in ALL]
    if unknown:
        print(f"There is no measurement {unknown[0]!r}. Known: {', '.join(ALL)}.", file=sys.stderr)
        return 2
    machine = look()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=arguments.folder) as folder:
        workshop = Workshop(Path(folder), quick=arguments.quick)
        numbers = asyncio.run(_measure(arguments.names or list(ALL), workshop))
    print(f"{report.table(numbers)}\n{machine}")
    if arguments.json:
        report.write_json(arguments.json, numbers, machine)
    if arguments.plot:
        report.write_plot(arguments.plot, numbers, str(machine))
    if arguments.document:
        report.write_document(arguments.document, numbers, str(machine))
    return 0


if __name__ == "__main__":
    sys.exit(main())
