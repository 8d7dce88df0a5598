"""What survives when the power goes out under several processes that use one store.

A workload of real processes is recorded by a VFS that writes down every write and every sync; then the power is cut at
many moments of the recording, the disk is rebuilt as it might be, and the store that opens there is held to its
promises.

`HOLDFAST_POWER_SEED` chooses other workloads and other cuts. A workload is never the same twice, because its processes
race; so a failure keeps its recording and says how to repeat its cut, which is always the same.
"""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from holdfast.store.sqlite.committing import SYNC_EVERY
from tests.power import recording, trial
from tests.power.journal import Acknowledged
from tests.power.promised import exposure, syncs
from tests.power.recording import Plan

pytestmark = [pytest.mark.crash, pytest.mark.slow]

SEED = int(os.environ.get("HOLDFAST_POWER_SEED", "1")) * 100
CUTS = 50
BUSY = [Plan(seed=SEED + number) for number in range(5)]
CALM = Plan(seed=SEED + 5, acts=1, seconds=6.0, calm=True)
LATEST = SYNC_EVERY + 1.5
"""Seconds after which streamed text must be on the disk: the one that is promised, and patience with a slow machine."""


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calm") / "recording"
    recording.record(folder, CALM)
    return folder


def check_cuts(folder: Path) -> None:
    found = trial.failures(folder, trial.choose(folder, CUTS))
    assert not found, f"{len(found)} of {CUTS} cuts broke a promise. The first:\n{found[0]}"


@pytest.mark.contract("G1")
@pytest.mark.parametrize("plan", BUSY, ids=lambda plan: f"seed-{plan.seed}")
def test_a_power_cut_costs_nothing_that_was_synced(plan: Plan, tmp_path: Path) -> None:
    """The store opens, is sound, and holds all that was acknowledged as synced or before the last sync; every log is
    a beginning of what it became; pages, rows, positions and keys agree with it; the lineage is new."""
    folder = tmp_path / "recording"
    recording.record(folder, plan)
    check_cuts(folder)
    shutil.rmtree(folder)


@pytest.mark.contract("G1")
def test_a_power_cut_while_only_text_streams_costs_nothing_that_was_synced(calm: Path) -> None:
    """With nobody else to sync the WAL by the way, most of what is written is not synced at most moments."""
    check_cuts(calm)


@pytest.mark.contract("G1")
def test_streamed_text_is_synced_about_once_a_second(calm: Path) -> None:
    """The last words before a silence too; and not each word by itself."""
    entries = recording.load(calm).entries
    words = sum(isinstance(entry.mark, Acknowledged) and not entry.mark.synced for entry in entries)
    assert exposure(entries) < LATEST
    assert len(syncs(entries)) < words / 2


def test_a_disk_that_lies_about_syncs_breaks_the_promises(calm: Path) -> None:
    """The cuts can tell: without what the syncs had kept, acknowledged records are gone and databases damaged."""
    found = trial.failures(calm, trial.choose(calm, 20), honest=False)
    assert any("Promised to be on the disk and not there" in failure.trace for failure in found)


def test_a_store_that_never_commits_fully_is_found_out(tmp_path: Path) -> None:
    """The promises can tell: an intent that is acknowledged and not synced is missing after some cut."""
    folder = tmp_path / "recording"
    recording.record(folder, Plan(seed=SEED + 6, acts=1, sabotage="never full"))
    found = trial.failures(folder, trial.choose(folder, CUTS))
    assert any("Promised to be on the disk and not there" in failure.trace for failure in found)
    shutil.rmtree(folder)


def test_a_store_that_never_syncs_by_itself_is_found_out(tmp_path: Path) -> None:
    """The measure can tell: the last words before a silence stay unsynced through it."""
    folder = tmp_path / "recording"
    recording.record(folder, msgspec.structs.replace(CALM, sabotage="never by itself"))
    assert exposure(recording.load(folder).entries) > LATEST
