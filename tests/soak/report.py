"""The lines of a soak: in the terminal, in a document, for a program."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

BEGIN, END = "<!-- soak: written by `python -m tests.soak --document` -->", "<!-- end of soak -->"
HEAD = ("", "what", "found", "limit", "")


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`kind`: a promise must hold in any run; what is flat is judged in long ones; a number has no verdict.

    `fine` is None where nothing can be said.
    """

    kind: Literal["promise", "flat", "number"]
    name: str
    found: str
    limit: str = ""
    fine: bool | None = None
    notes: list[str] = []


def broken(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.fine is False]


def table(lines: Sequence[Line]) -> str:
    rows = [HEAD, *(_cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    notes = [f"  {line.name}: {note}" for line in lines for note in line.notes]
    return "\n".join([*text, *(["", *notes] if notes else [])])


def document(title: str, lines: Sequence[Line]) -> str:
    rows = ["| " + " | ".join(_cells(line)) + " |" for line in lines]
    notes = [f"- {line.name}: {note}" for line in lines for note in line.notes]
    head = ["| " + " | ".join(HEAD) + " |", "|---|---|--:|---|---|"]
    return "\n".join([title, "", *head, *rows, *(["", *notes] if notes else [])])


def write_document(path: Path, title: str, lines: Sequence[Line]) -> None:
    """Replace what stands between the marks."""
    before, mark, rest = path.read_text("utf-8").partition(BEGIN)
    if not mark:
        raise ValueError(f"{path} has no place for a soak: {BEGIN} is missing.")
    path.write_text(f"{before}{BEGIN}\n\n{document(title, lines)}\n\n{END}{rest.partition(END)[2]}", "utf-8")


def _cells(line: Line) -> tuple[str, ...]:
    verdict = "" if line.kind == "number" else {None: "too short to say", True: "ok", False: "BROKEN"}[line.fine]
    return (line.kind, line.name, line.found, line.limit, verdict)
