"""`holdfast doctor` says beforehand whether a restart would end runs."""

import pytest

from holdfast.server.restarts import advice_for_unit, kill_mode, note_on_container


def test_a_unit_that_ends_the_whole_group_is_told() -> None:
    """The sentence names the line to change."""
    mode = kill_mode("KillMode=control-group\nLoadState=loaded\n")
    assert mode == "control-group"
    assert "KillMode=process" in advice_for_unit(mode)


def test_a_unit_that_leaves_runners_alone_is_fine() -> None:
    """That is what ours does."""
    assert advice_for_unit(kill_mode("KillMode=process\nLoadState=loaded\n") or "") == ""


@pytest.mark.parametrize("shown", ["", "KillMode=control-group\nLoadState=not-found\n", "Failed to connect to bus"])
def test_without_a_unit_there_is_nothing_to_say(shown: str) -> None:
    """Most machines have none."""
    assert kill_mode(shown) is None


def test_a_container_without_an_init_is_told() -> None:
    """Ended tools would stay as zombies."""
    assert "--init" in note_on_container("python3")
    assert "--init" not in note_on_container("tini")
