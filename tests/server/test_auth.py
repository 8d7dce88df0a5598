"""Who is answered: the credential, the one-time link, the page that asks. Routes are taken from the app itself."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import ascii_lowercase, digits

import httpx
import pytest

from holdfast.core.cover import Cover, Stream
from holdfast.core.mask import masked
from holdfast.server.auth import Gatekeeper
from holdfast.server.links import LINK_SECONDS, Links, LinkUsed
from holdfast.server.private import SHORTEST, new_token, token_in
from tests.served import Served


def bearer(credential: str) -> dict[str, str]:
    return {"authorization": f"Bearer {credential}"}


@pytest.mark.parametrize("path", ["/api/nowhere", "/api/sessions/", "//api/sessions", "/api/sessions/../sessions"])
def test_no_spelling_of_an_address_gets_around_it(stranger: httpx.Client, path: str) -> None:
    assert stranger.get(path).status_code == 401


def test_the_scheme_is_written_as_one_likes_and_two_credentials_are_none(server: Served) -> None:
    good = f"bearer {server.token}"
    assert httpx.get(f"{server.link}/api/sessions", headers={"authorization": good}).status_code == 200
    both = [("authorization", good), ("authorization", "Bearer x")]
    assert httpx.get(f"{server.link}/api/sessions", headers=both).status_code == 401
    assert httpx.get(f"{server.link}/api/sessions", params={"token": server.token}).status_code == 401


def test_the_link_that_the_server_prints_signs_in_once(server: Served, stranger: httpx.Client) -> None:
    first = stranger.post("/api/sign-in", json={"code": server.code})
    credential = first.json()["token"]
    assert credential != server.token
    assert httpx.get(f"{server.link}/api/sessions", headers=bearer(credential)).status_code == 200
    assert first.headers["cache-control"] == "no-store"
    second = stranger.post("/api/sign-in", json={"code": server.code})
    assert (second.status_code, second.json()["code"]) == (403, "LinkUsed")


def test_of_many_who_use_one_code_at_once_one_gets_in(server: Served) -> None:
    code = Links(server.home).issue()

    def use(_: int) -> int:
        return httpx.post(f"{server.link}/api/sign-in", json={"code": code}, timeout=60).status_code

    with ThreadPoolExecutor(8) as pool:
        said = sorted(pool.map(use, range(8)))
    assert said == [200] + [403] * said.count(403) + [429] * said.count(429), "whoever tries on is told to wait"
    assert said.count(403) >= 1


def test_a_code_is_good_for_ten_minutes(tmp_path: Path) -> None:
    now = [1_000.0]
    keeper = Links(tmp_path, now=lambda: now[0])
    good, old = keeper.issue(), keeper.issue()
    now[0] += LINK_SECONDS - 1
    Links(tmp_path, now=lambda: now[0]).redeem(good)
    now[0] += 1
    with pytest.raises(LinkUsed):
        keeper.redeem(old)
    assert list((tmp_path / "links").iterdir()) == []
    for wrong in ("", "../token", "ÿ"):
        with pytest.raises(LinkUsed):
            keeper.redeem(wrong)


@pytest.mark.parametrize("held", [b"", b"\n", b" \n\t", b"short", b"x" * 19, "Schlüssel, der keiner ist".encode()])
def test_a_token_that_is_none_lets_nobody_in_and_is_replaced(tmp_path: Path, held: bytes) -> None:
    """A file that was emptied or cut off, by a full disk or by hand, is no credential of nobody."""
    (tmp_path / "token").write_bytes(held)
    keeper = Gatekeeper(tmp_path)
    assert len(keeper.token) > SHORTEST
    assert (tmp_path / "token").read_text() == keeper.token
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    for nothing in (b"Bearer ", b"Bearer", b"bearer \t ", b"Bearer " + held):
        assert keeper.admits(nothing) is None
    (tmp_path / "token").write_bytes(held)
    keeper.look()
    assert keeper.admits(b"Bearer ") is None
    keeper.token = ""
    assert keeper.admits(b"Bearer ") is None, "whatever the token is"


def test_old_codes_are_swept_away(tmp_path: Path) -> None:
    now = [1_000.0]
    keeper = Links(tmp_path, now=lambda: now[0])
    for _ in range(3):
        keeper.issue()
    now[0] += LINK_SECONDS
    keeper.issue()
    assert len(list((tmp_path / "links").iterdir())) == 1


def test_only_the_owner_can_read_what_lets_in(server: Served) -> None:
    Links(server.home).issue()
    for path in (server.home / "token", server.home / "server.json", *(server.home / "links").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert server.token not in "".join(path.name for path in (server.home / "links").iterdir())


def test_the_token_is_made_once_whoever_comes_first(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: token_in(tmp_path), range(16)))
    assert len(tokens) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


def test_a_token_is_known_as_one_and_holds_no_number_back() -> None:
    """Its beginning is held back from what an agent says: a token that began with 0 once cut `word530` in two."""
    tokens = {new_token() for _ in range(1_000)}
    assert len(tokens) == 1_000
    cover = Cover()
    for token in tokens:
        assert masked(f"It is {token}.") == f"It is [hidden, {len(token)} characters]."
        cover.learn(token, "Holdfast's token")
    words = Stream(cover)
    for word in (*ascii_lowercase, *digits, "-", "_", " "):
        assert words.feed(word) == word


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://{host}", 200),
        ("https://{host}", 200),
        ("null", 403),
        ("http://evil.example", 403),
        ("http://127.0.0.1:1", 403),
        ("http://{host}.evil.example", 403),
        ("file://", 403),
        ("", 403),
    ],
)
@pytest.mark.parametrize("path", ["/health", "/api/sessions", "/api/stream"])
def test_only_our_own_page_is_answered(client: httpx.Client, origin: str, status: int, path: str) -> None:
    host = client.base_url.netloc.decode()
    with client.stream("GET", path, headers={"origin": origin.format(host=host)}) as answer:
        assert answer.status_code == status
        if status == 403:
            answer.read()
            assert answer.json()["code"] == "WrongOrigin"
