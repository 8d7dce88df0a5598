"""Whatever dies, and wherever: nothing seen is lost, nothing is done twice, no session is stuck (G1 to G4).

The cases are played several homes at a time, before the first of these tests; each test then tells of its case. Only
those that were selected are played, so one can be played alone: `pytest tests/crashes -k "random-17"`.
"""

import asyncio
import os
from pathlib import Path
from typing import cast

import pytest

from tests.crashes.cases import COLUMNS, IMPOSSIBLE, MOMENTS, Case, covered, run_points, seeds, table
from tests.crashes.stage import Outcome, play, told

SEEDS = int(os.environ.get("SEEDS", "75"))
WORKERS = 5
CASES = [*table(), *seeds(1, SEEDS)]

pytestmark = [
    pytest.mark.crash,
    pytest.mark.slow,
    pytest.mark.contract("G1"),
    pytest.mark.contract("G2"),
    pytest.mark.contract("G3"),
    pytest.mark.contract("G4"),
]


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    chosen = [
        cast("Case", item.callspec.params["case"])
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module and hasattr(item, "callspec")
    ]
    return asyncio.run(_play(chosen, tmp_path_factory.mktemp("crashes")))


async def _play(cases: list[Case], folder: Path) -> dict[str, Outcome]:
    return {outcome.case.name: outcome async for outcome in play(cases, folder, WORKERS)}


def test_every_point_of_a_run_meets_every_victim() -> None:
    """Each combination is in the table, or it is said why it can't be."""
    wanted = {(row, column) for row in (*run_points(), *MOMENTS) for column in COLUMNS}
    assert covered(table()) == wanted - set(IMPOSSIBLE)
    assert len(CASES) >= 300 or SEEDS < 75


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.session)
def test_a_crash_costs_nothing(case: Case, outcomes: dict[str, Outcome]) -> None:
    """All that a browser got is in the log, once and in order; every turn ends once; the next one is answered."""
    outcome = outcomes[case.name]
    assert not outcome.flaws, told(outcome)
