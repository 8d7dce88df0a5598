"""A number with what it counts."""

from holdfast.core.counted import counted


def test_one_is_one_and_all_else_is_many() -> None:
    assert [counted(number, "turn") for number in (0, 1, 2)] == ["0 turns", "1 turn", "2 turns"]
