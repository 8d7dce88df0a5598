"""X12: reasoning inside the text is reasoning, however it is cut."""

from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.acp.thinking import Splitter

WORDS = st.lists(
    st.sampled_from(
        [
            "<think>",
            "</think>",
            "<thinking>",
            "</thinking>",
            "<",
            ">",
            "</",
            "<th",
            "ink>",
            "a",
            " ",
            "\n",
            "`",
            "<Think>",
        ]
    )
).map("".join)


def split(chunks: list[str]) -> list[tuple[str, str]]:
    """What a listener hears, with neighbours of a kind joined."""
    splitter = Splitter()
    pieces = [piece for chunk in chunks for piece in splitter.feed(chunk)] + splitter.release()
    groups = groupby(pieces, key=lambda piece: piece.kind)
    return [(kind, "".join(piece.text for piece in group)) for kind, group in groups]


@pytest.mark.contract("X12")
@given(WORDS, st.lists(st.integers(0, 60)))
def test_x12_how_the_text_is_cut_does_not_matter(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(text)]
    chunks = [text[start:end] for start, end in pairwise(places)]
    assert split(chunks) == split([text]) == split(list(text))


@given(st.text(st.characters(exclude_characters="<")))
def test_text_without_tags_is_the_same_text(text: str) -> None:
    assert "".join(said for _, said in split([text])) == text


@pytest.mark.contract("X12")
@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("<think>why</think>what", [("thought", "why"), ("text", "what")]),
        ("<thinking>why</thinking>what", [("thought", "why"), ("text", "what")]),
        ("<think>why</thinking>what", [("thought", "why"), ("text", "what")]),
        ("<think>\nwhy\n</think>\n\nwhat", [("thought", "why\n"), ("text", "what")]),
        ("so <think>why</think> what", [("text", "so "), ("thought", "why"), ("text", "what")]),
        ("<think>cut off", [("thought", "cut off")]),
        ("<think>cut off</thi", [("thought", "cut off</thi")]),
        ("<think>a < b</think>c", [("thought", "a < b"), ("text", "c")]),
        ("<think>a<think>b</think>c", [("thought", "a<think>b"), ("text", "c")]),
        ("<THINK>why</Think>what", [("thought", "why"), ("text", "what")]),
        ("<think></think>what", [("text", "what")]),
        ("a <b>c</b> <thin", [("text", "a <b>c</b> <thin")]),
        ("the `<think>` tag", [("text", "the `<think>` tag")]),
        ("stray</think>", [("text", "stray</think>")]),
    ],
)
def test_x12_reasoning_in_tags_is_thought(text: str, pieces: list[tuple[str, str]]) -> None:
    assert split([text]) == pieces
