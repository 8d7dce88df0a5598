from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.stderr import LINES, WIDTH, Tail


def test_the_last_lines_are_kept() -> None:
    tail = Tail()
    tail.feed("".join(f"line {number}\n" for number in range(1_000)).encode())
    tail.feed(b"and half a")
    assert str(tail).splitlines() == [*(f"line {number}" for number in range(1_000 - LINES + 1, 1_000)), "and half a"]


@given(st.lists(st.binary(max_size=100)))
def test_any_bytes_are_kept_within_bounds(chunks: list[bytes]) -> None:
    tail = Tail()
    for chunk in chunks:
        tail.feed(chunk * 1_000)
    assert len(str(tail)) <= (LINES + 1) * (WIDTH + 1)


@given(st.lists(st.text("ab \n", max_size=20)))
def test_how_it_is_cut_does_not_matter(chunks: list[str]) -> None:
    parts, whole = Tail(), Tail()
    for chunk in chunks:
        parts.feed(chunk.encode())
    whole.feed("".join(chunks).encode())
    assert str(parts) == str(whole)
