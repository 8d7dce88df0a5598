"""Secrets are covered however a text is cut; nothing else changes and nothing is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.cover import LONGEST, SHORTEST, SHOWN, Cover, Stream

KEY = "sk-proj-" + "A1b2" * 10 + "xyz"
LABEL = "[API key, 51 characters]"
# Values that begin alike, lie inside each other and repeat themselves; and texts made of their parts.
VALUES = st.lists(st.text("ab", min_size=SHORTEST, max_size=SHORTEST + 6), min_size=1, max_size=4)
TEXTS = st.text("abc", max_size=80)


def cover_of(*values: str, what: str = "API key") -> Cover:
    cover = Cover()
    for value in values:
        cover.learn(value, what)
    return cover


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({place % (len(text) + 1) for place in places})
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def streamed(cover: Cover, parts: list[str]) -> str:
    stream = Stream(cover)
    return "".join(stream.feed(part) for part in parts) + stream.feed("", final=True)


def expected(values: list[str], text: str) -> str:
    """What a plain search says: from left to right, the longest value at each place."""
    longest_first = sorted(set(values), key=len, reverse=True)
    return re.sub("|".join(longest_first), lambda found: f"[API key, {len(found[0])} characters]", text)


def test_a_key_is_named_by_its_length() -> None:
    assert cover_of(KEY).covered(f"export KEY={KEY}; echo {KEY[:-1]}") == f"export KEY={LABEL}; echo {KEY[:-1]}"


@given(VALUES, TEXTS, st.lists(st.integers(0, 1000), max_size=10))
def test_any_cut_of_a_text_gives_the_same_and_it_is_what_a_search_finds(
    values: list[str], text: str, places: list[int]
) -> None:
    cover = cover_of(*values)
    assert streamed(cover, cut(text, places)) == cover.covered(text) == expected(values, text)


@given(VALUES, TEXTS, st.data())
def test_a_value_is_covered_wherever_it_is_cut(values: list[str], before: str, data: st.DataObject) -> None:
    text = f"{before}c{values[0]}c"
    parts = list(text) if data.draw(st.booleans()) else cut(text, data.draw(st.lists(st.integers(0, 1000))))
    assert values[0] not in streamed(cover_of(*values), parts)


@given(st.text(), st.lists(st.integers(0, 1000), max_size=10))
def test_a_text_without_a_secret_is_not_changed(text: str, places: list[int]) -> None:
    assert streamed(cover_of(KEY, "hunter2hunter2"), cut(text, places)) == text


@given(st.text())
def test_nothing_is_held_back_that_is_not_the_beginning_of_a_secret(text: str) -> None:
    stream = Stream(cover_of(KEY))
    shown = stream.feed(text)
    held = text[len(shown) :]
    assert shown + held == text
    assert KEY.startswith(held)
    assert stream.held == len(held) < len(KEY)


@given(VALUES, TEXTS, st.lists(st.integers(0, 1000), max_size=10), st.data())
def test_a_pause_shows_only_a_few_first_characters_and_loses_nothing(
    values: list[str], text: str, places: list[int], data: st.DataObject
) -> None:
    stream, shown = Stream(cover_of(*values)), ""
    for part in cut(text, places):
        shown += stream.feed(part)
        if data.draw(st.booleans()):
            shown += stream.let_go()
    shown += stream.feed("", final=True)
    labels = r"\[API key, \d+ characters\]"
    plain = re.sub(labels, "", shown)
    assert len(re.findall(labels, shown)) == len(re.findall(labels, expected(values, text)))
    covered = re.sub(labels, "", expected(values, text))
    assert len(covered) <= len(plain) <= len(covered) + SHOWN * len(re.findall(labels, shown))


@pytest.mark.parametrize("value", ["", "short", "x" * (LONGEST + 1)])
def test_what_is_too_short_or_too_long_to_be_one_is_not_covered(value: str) -> None:
    assert not cover_of(value)


def test_a_value_is_covered_as_json_writes_it_too() -> None:
    cover = cover_of('pass"word\\1', what="secret answer")
    assert cover.covered('{"p": "pass\\"word\\\\1"}') == '{"p": "[secret answer, 11 characters]"}'
    assert cover.covered('pass"word\\1') == "[secret answer, 11 characters]"
