import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.lines import Lines, LineTooLong


@given(st.lists(st.binary(max_size=8)))
def test_how_bytes_are_cut_into_chunks_does_not_matter(chunks: list[bytes]) -> None:
    lines = Lines()
    read = [line for chunk in chunks for line in lines.feed(chunk)]
    assert read == b"".join(chunks).split(b"\n")[:-1]


def test_a_line_may_be_as_long_as_the_limit_and_no_longer() -> None:
    lines = Lines(limit=8)
    assert lines.feed(b"1234") == []
    assert lines.feed(b"5678\n1234567") == [b"12345678"]
    with pytest.raises(LineTooLong):
        lines.feed(b"89")


def test_a_long_line_that_comes_whole_is_too_long_as_well() -> None:
    with pytest.raises(LineTooLong):
        Lines(limit=8).feed(b"123456789\n")
