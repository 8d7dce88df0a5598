"""A thousand sessions of hermes-webui, some of them damaged and one of 50 MB, taken over by the command.

Beside the time is a bare process that only parses the same files as JSON; the memory is the highest of the process.
"""

import subprocess
import sys
from pathlib import Path
from time import perf_counter

from bench.measure import Number, seconds
from bench.workshop import Workshop
from tests.transfer.command import peak
from tests.transfer.command import run as command
from tests.transfer.webui import generate

SECONDS, MEGABYTES = 60, 300
PARSE = """
import pathlib, sys, msgspec
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.json")):
    try:
        msgspec.json.decode(path.read_bytes())
    except msgspec.DecodeError:
        pass
"""


def run(workshop: Workshop) -> list[Number]:
    webui, home = workshop.folder / "webui", workshop.folder / "imported"
    count = workshop.size(1000)
    generate(webui, count=count, big=workshop.size(50_000_000))
    raw = seconds(lambda: subprocess.run([sys.executable, "-c", PARSE, str(webui)], check=True))
    took = _take_over(webui, home)
    held = peak(home)
    return [
        Number(
            group="import",
            name=f"{count:,} sessions of hermes-webui",
            value=took,
            unit="s",
            raw=raw,
            raw_name="the same files parsed as JSON",
            ratio=took / raw,
            goal=f"<= {SECONDS} s",
            met=took <= SECONDS,
        ),
        Number(
            group="import",
            name="memory of that",
            value=held,
            unit="MB",
            goal=f"<= {MEGABYTES} MB",
            met=held <= MEGABYTES,
        ),
    ]


def _take_over(webui: Path, home: Path) -> float:
    began = perf_counter()
    code, said = command(webui, home)
    if code:
        raise RuntimeError(said)
    return perf_counter() - began
