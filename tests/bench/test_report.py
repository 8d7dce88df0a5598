"""What becomes of numbers: how much of its goal each needs, the table, the picture, the file."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bench import report
from bench.machine import look
from bench.measure import Number


def number(value: float, goal: str, **fields: object) -> Number:
    return Number(group="g", name="a & <b>", value=value, unit="ms", goal=goal, **fields)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("found", "share"),
    [
        (number(2, "<= 4 ms"), 0.5),
        (number(2, "< 4 ms"), 0.5),
        (number(500, "<= 2,000 ms, all complete"), 0.25),
        (number(5, "<= 20 ms, <= 1.3 x or + 3 ms", ratio=9.0), 0.25),
        (number(26, "<= 1.3 x or + 2 ms", raw=10, ratio=2.6), 2.0),
        (number(2, "<= 1.3 x or + 2 ms", raw=2, ratio=1.0), 0.5),
        (number(105_000, ">= 60% of raw", ratio=1.2), 0.5),
        (number(105_000, ">= 60% of raw"), None),
        (number(3, ""), None),
    ],
)
def test_a_number_knows_how_much_of_its_goal_it_needs(found: Number, share: float | None) -> None:
    assert found.share == (None if share is None else pytest.approx(share))


def test_a_picture_has_a_bar_for_each_goal_and_says_what_was_missed(tmp_path: Path) -> None:
    path = tmp_path / "new" / "numbers.svg"
    numbers = [number(2, "<= 4 ms", met=True), number(8, "<= 4 ms", met=False), number(1, "")]
    report.write_plot(path, numbers, "here & now")
    drawn = ET.fromstring(path.read_text("utf-8"))
    bars = [each for each in drawn.iter() if each.get("class") in ("bar", "missed")]
    assert [bar.get("class") for bar in bars] == ["bar", "missed"]
    assert float(bars[0].get("width", "0")) < float(bars[1].get("width", "0"))
    words = [each.text for each in drawn.iter() if each.tag.endswith("text")]
    assert {"g: a & <b>", "here & now", "50%", "200%"} <= set(words)


def test_a_file_says_on_what_was_measured(tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"
    machine = look()
    report.write_json(path, [number(2, "<= 4 ms", met=True)], machine)
    found = json.loads(path.read_bytes())
    assert found["machine"]["cores"] == machine.cores > 0
    assert found["numbers"][0]["value"] == 2


def test_what_was_not_measured_again_stays_in_a_document(tmp_path: Path) -> None:
    path = tmp_path / "numbers.md"
    path.write_text(f"Before.\n{report.BEGIN}\n{report.END}\nAfter.\n")
    report.write_document(path, [number(2, "<= 4 ms", note="first")], "one")
    report.write_document(path, [Number(group="h", name="other", value=3, unit="ms")], "two")
    text = path.read_text()
    assert text.startswith("Before.")
    assert text.endswith("After.\n")
    assert "| g: a & <b> | 2.00 ms |" in text
    assert "| h: other | 3.00 ms |" in text
    assert "- g, a & <b>: first" in text
    assert "two." in text
    assert "one." not in text
