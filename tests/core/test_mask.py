"""What looks like a key is hidden; the rest stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.mask import masked

# Put together here, so that nothing in this file looks like a key to those who search for them.
BODY = "0123456789abcdefghijABCDEFGHIJ0123456789"
KEYS = [
    *(f"{prefix}-{BODY}" for prefix in ("sk-proj", "sk-ant-api03", "glpat", "gsk")),
    *(f"{prefix}_{BODY}" for prefix in ("sk_live", "ghp", "github_pat", "hf", "glsa", "dop_v1")),
    f"xoxb-123456789012-{BODY}",
    f"AKIA{BODY[:10]}ABCDEF",
    f"AIza{BODY}",
    f"SG.{BODY[:22]}.{BODY}",
    f"123456789:{BODY[:10]}{BODY[-25:]}",
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


SAID = [
    ("Authorization: Bearer abcdef123456", "Authorization: Bearer [hidden, 12 characters]"),
    ("Authorization: Token abcdef", "Authorization: Token [hidden, 6 characters]"),
    ("{'Authorization': 'abcdef12'}", "{'Authorization': '[hidden, 8 characters]'}"),
    ("token: Bearer abcdef123456", "token: Bearer [hidden, 12 characters]"),
    ("https://me:hunter22@example.org/x", "https://me:[hidden, 8 characters]@example.org/x"),
    ("https://hooks.slack.com/services/T0/B0/x1y2", "https://hooks.slack.com/services/[hidden, 10 characters]"),
    ("PASSWORD=correct-horse next", "PASSWORD=[hidden, 13 characters] next"),
    ('password: "correct horse", next', 'password: "[hidden, 13 characters]", next'),
    ("passphrase: correct horse battery\nnext", "passphrase: [hidden, 21 characters]\nnext"),
    ("AWS_SECRET_ACCESS_KEY=abc/def+gh", "AWS_SECRET_ACCESS_KEY=[hidden, 10 characters]"),
    ("SECRET_KEY=abcdefgh", "SECRET_KEY=[hidden, 8 characters]"),
    ("PRIVATE_KEY=abcdefgh", "PRIVATE_KEY=[hidden, 8 characters]"),
    ("ACCESS_KEY = 'abcdefgh'", "ACCESS_KEY = '[hidden, 8 characters]'"),
    ("mysql --password hunter22 sea", "mysql --password [hidden, 8 characters] sea"),
    ('["--api-key", "hunter22"]', '["--api-key", "[hidden, 8 characters]"]'),
    ("curl -u me:pw https://x.org", "curl -u me:[hidden, 2 characters] https://x.org"),
    ("Cookie: session=abc; b=c\nHost: x", "Cookie: [hidden, 16 characters]\nHost: x"),
    ('{"api_key": "abcdefgh"}', '{"api_key": "[hidden, 8 characters]"}'),
    (r'"{\"api_key\": \"abcdefgh\"}"', r'"{\"api_key\": \"[hidden, 8 characters]\"}"'),
    (r"{\\\"secret\\\":\\\"a b c d\\\"}", r"{\\\"secret\\\":\\\"[hidden, 7 characters]\\\"}"),
]


@pytest.mark.parametrize(("text", "said"), SAID)
def test_what_is_called_a_secret_is_hidden(text: str, said: str) -> None:
    """By its name, its header, its flag, its place in an address; on a line of its own, and in JSON within JSON."""
    assert masked(text) == said
    assert masked(said) == said


def test_a_key_that_stands_after_its_name_is_hidden_whole() -> None:
    """Its first line alone would be as long as a value is."""
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----"
    assert masked(f'PRIVATE_KEY="{key}"') == f'PRIVATE_KEY="[hidden, {len(key)} characters]"'


@pytest.mark.parametrize(
    "text",
    [
        "task-1234 of the token bucket",
        "https://example.org:8080/a@b",
        "sk-1",
        "a secret: no",
        "The desk-top publishing_and_more_words_in_a_row",
        "turn 01J0000000000000000000000 ended",
        "docker run -u 1000:1000 --user 0:0 sea",
        "sqlmap -u https://example.org/?id=1",
        "say --password or --password-file x.txt --token-ttl 300000",
        "primary_key: identifier, public_key=abcdefgh, AWS_ACCESS_KEY_ID=harbour",
        "a cookie: the monster's, and SG.harbour.wall",
        "at 12345678:90 the tide turned",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert masked(text) == text


@given(st.text(), st.sampled_from(KEYS), st.text())
def test_hiding_twice_is_hiding_once(before: str, key: str, after: str) -> None:
    once = masked(f"{before} {key} {after}")
    assert masked(once) == once


HOSTILE = [
    "a.",
    "eyJaaaaaaaa-",
    "token=",
    'token="',
    "token=\\",
    "--a-",
    "-u a",
    "SG." + "a" * 20 + ".",
    "cookie: a",
    "a://b:",
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("again", HOSTILE)
def test_no_text_holds_it_up(again: str) -> None:
    """Were it to begin anew at every letter, a second of work would be an hour of it."""
    masked(again * (1_000_000 // len(again)))
