"""The soak itself, small: what it promises holds in any run. What grows shows only in a long one: `make soak`."""

import asyncio
from pathlib import Path

import pytest

from tests.soak import report
from tests.soak.course import soak
from tests.soak.lines import lines, title
from tests.soak.plan import Plan

SMALL = Plan(seconds=20.0, sessions=4, viewers=6, seed=84, gap=1.5, stay=4.0)


@pytest.mark.slow
@pytest.mark.crash
@pytest.mark.contract("G1")
@pytest.mark.contract("G2")
@pytest.mark.contract("G3")
@pytest.mark.contract("G4")
def test_a_small_soak_breaks_no_promise(tmp_path: Path) -> None:
    """Whoever dies and whoever reloads: each viewer has each record once, each turn ends once, nothing is left over."""
    outcome = asyncio.run(soak(SMALL, tmp_path))
    found = [line for line in lines(outcome) if line.kind == "promise"]
    assert len(found) == 9
    assert not report.broken(found), f"{title(outcome)}\n{report.table(found)}\nThe home is {outcome.home}."
    assert outcome.blows.total()
    assert outcome.reloads
    assert outcome.ends["completed"]


def test_a_seed_makes_the_same_choices() -> None:
    """Nobody's dice hang on another's: each rolls as it did, whenever it does."""
    again = Plan(seed=SMALL.seed)
    assert [SMALL.dice("blows").random(), SMALL.dice("viewer", 3).random()] == [
        again.dice("blows").random(),
        again.dice("viewer", 3).random(),
    ]
    assert SMALL.dice("viewer", 3).random() != SMALL.dice("viewer", 4).random()
    assert SMALL.dice("blows").random() != Plan(seed=11).dice("blows").random()


def test_every_session_has_a_viewer() -> None:
    plan = Plan()
    assert {name for viewer in range(plan.viewers) for name in plan.followed(viewer)} == set(plan.names)
