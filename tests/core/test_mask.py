"""What looks like a key is hidden; the rest stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.mask import masked

# Put together here, so that nothing in this file looks like a key to those who search for them.
BODY = "0123456789abcdefghijABCDEFGHIJ0123456789"
KEYS = [
    *(f"{prefix}-{BODY}" for prefix in ("sk-proj", "sk-ant-api03", "glpat", "gsk")),
    *(f"{prefix}_{BODY}" for prefix in ("sk_live", "ghp", "github_pat", "hf")),
    f"xoxb-123456789012-{BODY}",
    f"AKIA{BODY[:10]}ABCDEF",
    f"AIza{BODY}",
    f"eyJ{BODY}.eyJ{BODY}.{BODY}",
    f"-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}\n-----END OPENSSH PRIVATE KEY-----",
    f"-----BEGIN PRIVATE KEY-----\n{BODY}, cut off",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("around", ["{}", "the key is {}, use it", '"{}"', "K={}\n", "(x:{})"])
def test_what_looks_like_a_key_is_hidden(key: str, around: str) -> None:
    said = masked(around.format(key))
    assert "[hidden, " in said
    assert BODY[-6:] not in said
    assert BODY[:6] not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [hidden, 12 characters]"),
        ("https://me:hunter22@example.org/x", "https://me:[hidden, 8 characters]@example.org/x"),
        ("PASSWORD=correct-horse next", "PASSWORD=[hidden, 13 characters] next"),
        ('{"api_key": "abcdefgh"}', '{"api_key": "[hidden, 8 characters]"}'),
    ],
)
def test_what_is_called_a_secret_is_hidden(text: str, said: str) -> None:
    assert masked(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "task-1234 of the token bucket",
        "https://example.org:8080/a@b",
        "sk-1",
        "a secret: no",
        "The desk-top publishing_and_more_words_in_a_row",
        "turn 01J0000000000000000000000 ended",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert masked(text) == text


@given(st.text(), st.sampled_from(KEYS), st.text())
def test_hiding_twice_is_hiding_once(before: str, key: str, after: str) -> None:
    once = masked(f"{before} {key} {after}")
    assert masked(once) == once
