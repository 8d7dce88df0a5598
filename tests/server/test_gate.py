"""The one gate: every route of the app, taken from the app itself, against everybody who should not come in."""

import re
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from holdfast import __version__
from holdfast.server.account import IDLE
from holdfast.server.app import all_endpoints
from holdfast.server.assets import FOLDER, read_page
from holdfast.server.auth import Gatekeeper
from holdfast.server.dialect.signing import COOKIE
from holdfast.server.guard import PAGE_FILES
from tests.served import Served, served
from tests.server.unsupervised import COMMAND

OPEN = {
    ("GET", "/"),
    ("HEAD", "/"),
    ("GET", "/settings"),
    ("HEAD", "/settings"),
    ("GET", "/insights"),
    ("HEAD", "/insights"),
    ("GET", "/session/{session_id}"),
    ("HEAD", "/session/{session_id}"),
    ("GET", "/session/{session_id}/replay/{turn_id}"),
    ("HEAD", "/session/{session_id}/replay/{turn_id}"),
    ("GET", "/health"),
    ("HEAD", "/health"),
    ("GET", "/api/status"),
    ("POST", "/api/sign-in"),
    ("GET", "/api/auth/status"),
    ("POST", "/api/auth/login"),
}
"""What answers anybody, beside the page's own files. Whoever opens one more route must say so here as well."""

THERE = {"{session_id}": "s1", "{blob}": "0" * 64, "{number}": "1"}


class Route(NamedTuple):
    method: str
    path: str

    @property
    def address(self) -> str:
        return re.sub(r"{[^}]+}", lambda found: THERE.get(found[0], "x1"), self.path)

    @property
    def open(self) -> bool:
        reads = self.method in ("GET", "HEAD")
        return (self.method, self.path) in OPEN or (reads and PAGE_FILES.fullmatch(self.path) is not None)


def every_route() -> list[Route]:
    """Every route that the server has, with each of its methods."""

    endpoints = all_endpoints(read_page(FOLDER, __version__))
    return [Route(method, endpoint.path) for endpoint in endpoints for method in endpoint.methods]


class Keys(NamedTuple):
    """Credentials, by what has become of them."""

    good: str
    expired: str
    revoked: str


@pytest.fixture(scope="module")
def keys_and_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Keys, Served]]:
    home = tmp_path_factory.mktemp("home")
    long_ago = Gatekeeper(home, now=lambda: time.time() - IDLE / 1000)
    expired, _ = long_ago.sign_in_by_code(long_ago.links.issue(), "old", "")
    with served(home, command=COMMAND) as server, server.client() as client:
        good = client.post("/api/sign-in", json={"code": server.code}).json()["token"]
        link = client.post("/api/account/links").json()["link"]
        revoked = client.post("/api/sign-in", json={"code": link.partition("#code=")[2]}).json()
        assert client.get("/api/sessions", headers=bearer(revoked["token"])).status_code == 200
        assert client.delete(f"/api/account/devices/{revoked['device']}").status_code == 204
        yield Keys(good, expired, revoked["token"]), server


def bearer(credential: str) -> dict[str, str]:
    return {"authorization": f"Bearer {credential}"}


CASES = ["none", "empty", "wrong", "basic", "query", "cookie", "expired", "revoked"]


def strangers(case: str, keys: Keys) -> dict[str, Any]:
    """How somebody without a credential that counts asks."""
    match case:
        case "none":
            return {}
        case "empty":
            return {"headers": bearer(".")}
        case "wrong":
            return {"headers": bearer("x" * 43)}
        case "basic":
            return {"headers": {"authorization": "Basic eDp5"}}
        case "query":
            return {"params": {"token": keys.good, "access_token": keys.good, "session_id": "s1"}}
        case "cookie":
            return {"headers": {"cookie": f"token={keys.good}; hermes_session={keys.good}; {COOKIE}={keys.good}"}}
        case _:
            return {"headers": bearer(getattr(keys, case))}


def test_the_open_routes_are_these_and_no_others() -> None:
    """Asked of the gate itself, for every route of the app: an unlisted one that is open fails here."""
    routes = every_route()
    assert {(route.method, route.path) for route in routes} >= OPEN
    assert len(routes) > 50


@pytest.mark.parametrize("case", CASES)
def test_no_route_answers_without_a_credential_that_counts(keys_and_server: tuple[Keys, Served], case: str) -> None:
    keys, server = keys_and_server
    with httpx.Client(base_url=server.link, timeout=60) as client:
        for route in every_route():
            with client.stream(route.method, route.address, **strangers(case, keys)) as answer:
                assert (answer.status_code == 401) is (not route.open), (case, route, answer.status_code)
                if answer.status_code == 401 and route.method != "HEAD":
                    answer.read()
                    assert answer.json()["code"] == "NotSignedIn"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        pytest.param({"origin": "https://evil.example"}, 403, "WrongOrigin", id="other-origin"),
        pytest.param({"origin": "null"}, 403, "WrongOrigin", id="no-origin-at-all"),
        pytest.param({"origin": "http://127.0.0.1:3000"}, 403, "WrongOrigin", id="another-port"),
        pytest.param({"origin": "http://localhost:3000"}, 403, "WrongOrigin", id="another-port-by-name"),
        pytest.param({"host": "evil.example"}, 421, "WrongHost", id="rebinding"),
        pytest.param({"host": "127.0.0.1.evil.example"}, 421, "WrongHost", id="rebinding-lookalike"),
        pytest.param({"host": "192.168.1.5"}, 421, "WrongHost", id="another-address"),
    ],
)
def test_no_route_answers_another_page_whatever_it_carries(
    keys_and_server: tuple[Keys, Served], headers: dict[str, str], status: int, code: str
) -> None:
    """Open ones included, and with a credential that is good."""
    keys, server = keys_and_server
    with httpx.Client(base_url=server.link, timeout=60, headers=bearer(keys.good) | headers) as client:
        for route in every_route():
            answer = client.request(route.method, route.address)
            assert answer.status_code == status, (route, answer.text)
            assert not [name for name in answer.headers if name.startswith("access-control-")]
            if route.method != "HEAD":
                assert answer.json()["code"] == code


@pytest.mark.parametrize("near", ["cross-site", "same-site"])
def test_a_picture_or_a_script_tag_of_another_page_gets_nothing_of_the_api(
    keys_and_server: tuple[Keys, Served], near: str
) -> None:
    """Such requests carry no Origin; a browser says all the same that they come from elsewhere."""
    keys, server = keys_and_server
    headers = bearer(keys.good) | {"sec-fetch-site": near}
    assert httpx.get(f"{server.link}/api/sessions", headers=headers).status_code == 403
    assert httpx.get(f"{server.link}/api/status", headers=headers).status_code == 403
    assert httpx.get(f"{server.link}/", headers=headers).status_code == 200, "a link from elsewhere may open the page"


def test_the_good_one_is_good_on_every_kind_of_route(keys_and_server: tuple[Keys, Served]) -> None:
    keys, server = keys_and_server
    with httpx.Client(base_url=server.link, timeout=60, headers=bearer(keys.good)) as client:
        for path in ("/api/sessions", "/api/account", "/api/approval-rules", "/ready"):
            assert client.get(path).status_code == 200, path
        with client.stream("GET", "/api/stream") as stream:
            assert stream.status_code == 200


def test_the_public_status_says_only_that_somebody_is_here(keys_and_server: tuple[Keys, Served]) -> None:
    keys, server = keys_and_server
    said = httpx.get(f"{server.link}/api/status").json()
    assert said == {"status": "ok", "initialized": True, "authenticated": False, "setup_mode": False}
    known = httpx.get(f"{server.link}/api/status", headers=bearer(keys.good)).json()
    assert known["authenticated"]
    assert known["pid"] == server.process.pid


def test_no_answer_allows_another_origin_to_read_it(keys_and_server: tuple[Keys, Served]) -> None:
    keys, server = keys_and_server
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    for headers in (asked, asked | bearer(keys.good), asked | {"origin": server.link} | bearer(keys.good)):
        answer = httpx.options(f"{server.link}/api/sessions", headers=headers)
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert "set-cookie" not in answer.headers


STATE_BY_GET = {"/api/chat/cancel"}
"""The one address of the dialect that changes something when it is read. It needs the credential like any other."""


def test_no_get_changes_anything(keys_and_server: tuple[Keys, Served]) -> None:
    """With a credential that is good, so that every route really answers."""
    keys, server = keys_and_server
    with httpx.Client(base_url=server.link, timeout=60, headers=bearer(keys.good)) as client:
        client.post("/api/sessions", json={"id": "s1"}).raise_for_status()
        before = client.get("/api/sessions?limit=200").json(), client.get("/api/approval-rules").json()
        for route in every_route():
            if route.method == "GET" and route.path not in STATE_BY_GET:
                with client.stream("GET", route.address, params={"session_id": "s1"}) as answer:
                    assert answer.status_code < 500, route
        assert (client.get("/api/sessions?limit=200").json(), client.get("/api/approval-rules").json()) == before
        assert len(client.get("/api/account").json()["devices"]) == 1


def test_neither_a_credential_nor_a_code_nor_a_password_gets_into_a_log(keys_and_server: tuple[Keys, Served]) -> None:
    keys, server = keys_and_server
    httpx.post(f"{server.link}/api/sign-in", json={"password": "a wrong one, typed"})
    httpx.post(f"{server.link}/api/sign-in", json={"code": "a wrong code"})
    httpx.get(f"{server.link}/api/sessions", params={"token": keys.good}, headers=bearer(keys.revoked))
    said = (server.home / "logs" / "holdfast.log").read_text("utf-8")
    assert "sign_in.refused by=link address=127.0.0.1" in said
    for secret in (*keys, server.token, server.code, "a wrong"):
        assert secret not in said
