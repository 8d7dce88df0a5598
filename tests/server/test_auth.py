"""Who is answered: the credential, the one-time link, the page that asks. Routes are taken from the app itself."""

import asyncio
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from litestar import Litestar

from holdfast.server.app import create_routes, page_routes
from holdfast.server.assets import Asset, Page
from holdfast.server.auth import LINK_SECONDS, Gatekeeper, LinkUsed
from holdfast.server.guard import OPEN
from tests.served import Served
from tests.server.wired import wiring_for

NOTHING = Asset(content=b"", media_type="text/html", cache="no-cache")
OPEN_PAGE = {"/", "/session/{session_id:str}"}


def app(home: Path) -> Litestar:
    async def made() -> Litestar:
        return create_routes(lambda: wiring_for(home), page_routes(Page(shell=NOTHING, files={})))

    return asyncio.run(made())


def closed_routes(home: Path) -> Iterator[tuple[str, str]]:
    """Every route of the app but the open ones, with each of its methods."""
    for route in app(home).routes:
        if route.path not in OPEN | OPEN_PAGE:
            for method in sorted(getattr(route, "methods", {"GET"})):
                yield method, route.path.replace("{", "").replace("}", "").replace(":str", "").replace(":int", "")


def test_every_route_that_is_not_open_needs_the_credential(
    stranger: httpx.Client, client: httpx.Client, tmp_path: Path
) -> None:
    routes = list(closed_routes(tmp_path))
    assert ("GET", "/api/stream") in routes
    assert len(routes) > 30
    for method, path in routes:
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic eDp5"}):
            answer = stranger.request(method, path.replace("number", "1"), headers=headers)
            assert answer.status_code == 401, (method, path)
            if method != "HEAD":
                assert answer.json()["code"] == "NotSignedIn"
    assert client.get("/api/sessions").status_code == 200


def test_the_open_routes_are_these_and_no_others(stranger: httpx.Client) -> None:
    assert frozenset({"/health", "/ready", "/api/sign-in"}) == OPEN
    assert stranger.get("/health").json() == {"status": "ok"}
    assert stranger.get("/ready").json() == {"status": "ok"}
    assert stranger.post("/api/sign-in", json={"code": "none"}).status_code == 403
    assert stranger.get("/").status_code == 200


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
    assert first.json() == {"token": server.token}
    assert first.headers["cache-control"] == "no-store"
    second = stranger.post("/api/sign-in", json={"code": server.code})
    assert (second.status_code, second.json()["code"]) == (403, "LinkUsed")


def test_of_many_who_use_one_code_at_once_one_gets_in(server: Served) -> None:
    code = Gatekeeper(server.home).issue()

    def use(_: int) -> int:
        return httpx.post(f"{server.link}/api/sign-in", json={"code": code}, timeout=60).status_code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(use, range(8))) == [200] + [403] * 7


def test_a_code_is_good_for_ten_minutes(tmp_path: Path) -> None:
    now = [1_000.0]
    keeper = Gatekeeper(tmp_path, now=lambda: now[0])
    good, old = keeper.issue(), keeper.issue()
    now[0] += LINK_SECONDS - 1
    assert Gatekeeper(tmp_path, now=lambda: now[0]).redeem(good) == keeper.token
    now[0] += 1
    with pytest.raises(LinkUsed):
        keeper.redeem(old)
    assert list((tmp_path / "links").iterdir()) == []
    for wrong in ("", "../token", "ÿ"):
        with pytest.raises(LinkUsed):
            keeper.redeem(wrong)


def test_old_codes_are_swept_away(tmp_path: Path) -> None:
    now = [1_000.0]
    keeper = Gatekeeper(tmp_path, now=lambda: now[0])
    for _ in range(3):
        keeper.issue()
    now[0] += LINK_SECONDS
    keeper.issue()
    assert len(list((tmp_path / "links").iterdir())) == 1


def test_only_the_owner_can_read_what_lets_in(server: Served) -> None:
    Gatekeeper(server.home).issue()
    for path in (server.home / "token", server.home / "server.json", *(server.home / "links").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert server.token not in "".join(path.name for path in (server.home / "links").iterdir())


def test_the_token_is_made_once_whoever_comes_first(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: Gatekeeper(tmp_path).token, range(16)))
    assert len(tokens) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


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
