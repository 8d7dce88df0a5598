"""Ids are checked once at the border: what passes is safe as a path, a key and an SSE id."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import ids
from holdfast.core.errors import BadId
from tests.core.histories import law

GOOD = ("a", "7", "Z", "a-b_c", "0-", "x" * 64)
BAD = ("", "-a", "_a", "a b", "a.b", "a/b", "..", "a:b", "é", "a\n", "\n", "x" * 65, "a\x00")
DOORS = (ids.session_id, ids.turn_id, ids.ask_id, ids.steer_id)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("text", GOOD)
def test_letters_digits_dashes_and_underscores_name_anything(text: str, door: type[str]) -> None:
    """A good id passes every door unchanged."""
    assert door(text) == text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("text", BAD)
def test_what_is_unsafe_as_a_path_or_a_key_is_refused(text: str, door: type[str]) -> None:
    """Separators, dots, control characters, too much and nothing at all pass no door."""
    with pytest.raises(BadId):
        door(text)


def test_the_house_is_no_session_of_a_person() -> None:
    """The reserved log can't be named as a session; a turn may bear its name."""
    with pytest.raises(BadId):
        ids.session_id(ids.HOUSE)
    assert ids.turn_id(ids.HOUSE) == "house"


@law
@given(st.binary(min_size=1, max_size=20), st.binary(min_size=1, max_size=20))
def test_minted_ids_are_valid_and_differ_as_their_bytes_do(one: bytes, other: bytes) -> None:
    """Every minted id passes the door, and no two rows of bytes of one length give the same."""
    assert ids.parse(ids.mint(one)) == ids.mint(one)
    if len(one) == len(other):
        assert (ids.mint(one) == ids.mint(other)) == (one == other)


def test_minted_ids_are_short_and_easy_to_read() -> None:
    """Sixteen bytes make 26 letters, without i, l, o and u, and sort as their bytes do."""
    assert ids.mint(bytes(16)) == "0" * 26
    assert ids.mint(b"\xff" * 16) == "7" + "z" * 25
    assert not set("ilou") & set("".join(ids.mint(bytes([byte, 255 - byte])) for byte in range(256)))
    assert sorted(ids.mint(bytes([byte])) for byte in range(256)) == [ids.mint(bytes([byte])) for byte in range(256)]
