"""The table of a run: for the terminal, for a document, for a program."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.machine import Machine
from bench.measure import Number
from bench.plot import plot

BEGIN, END = "<!-- numbers: written by `python -m bench --document` -->", "<!-- end of numbers -->"
ROW, NOTE = re.compile(r"\| (\w+): "), re.compile(r"- (\w+), ")
HEAD = ("what", "measured", "beside it", "ratio", "goal", "")


def _figure(value: float, unit: str) -> str:
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def _cells(number: Number) -> tuple[str, ...]:
    return (
        f"{number.group}: {number.name}",
        _figure(number.value, number.unit),
        "" if number.raw is None else f"{_figure(number.raw, number.unit)} ({number.raw_name})",
        "" if number.ratio is None else f"{number.ratio:.2f}",
        number.goal,
        "" if number.met is None else "met" if number.met else "MISSED",
    )


def table(numbers: Sequence[Number]) -> str:
    rows = [HEAD, *(_cells(number) for number in numbers)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def document(numbers: Sequence[Number], before: str = "") -> str:
    """The table and its notes. What stands in `before` of groups that were not measured now stays, in its place."""
    measured = {number.group: None for number in numbers}
    rows: dict[str, list[str]] = {}
    notes: dict[str, list[str]] = {}
    for line in before.splitlines():
        if found := ROW.match(line):
            rows.setdefault(found[1], []).append(line)
        elif found := NOTE.match(line):
            notes.setdefault(found[1], []).append(line)
    for group in measured:
        ours = [number for number in numbers if number.group == group]
        rows[group] = ["| " + " | ".join(_cells(number)) + " |" for number in ours]
        notes[group] = [f"- {group}, {number.name}: {number.note}" for number in ours if number.note]
    lines = ["| " + " | ".join(HEAD) + " |", "|---|--:|--:|--:|---|---|"]
    lines += [row for group in rows for row in rows[group]]
    return "\n".join([*lines, "", *(note for group in rows for note in notes.get(group, ()))])


def write_document(path: Path, numbers: Sequence[Number], about: str) -> None:
    """Put the table between the marks of a document; the rest stays as it is, and so do groups not measured now."""
    before, _, rest = path.read_text("utf-8").partition(BEGIN)
    old, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n\n{about}.\n\n{document(numbers, old)}\n\n{END}{after}", "utf-8")


def write_json(path: Path, numbers: Sequence[Number], machine: Machine) -> None:
    found = {"machine": machine, "numbers": numbers}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")


def write_plot(path: Path, numbers: Sequence[Number], about: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(plot(numbers, about), "utf-8")
