"""The app over real HTTP: the page and its files, who is answered, what every answer carries."""

import re
import socket

import httpx
import pytest

from holdfast import __version__

ANSWERS = [
    pytest.param("GET", "/", {}, 200, id="page"),
    pytest.param("GET", "/health", {}, 200, id="health"),
    pytest.param("GET", "/favicon.svg", {}, 200, id="file"),
    pytest.param("GET", "/nowhere", {}, 404, id="nothing-there"),
    pytest.param("GET", "/api/nowhere", {}, 404, id="nothing-there-in-the-api"),
    pytest.param("GET", "/api/sessions", {"authorization": ""}, 401, id="not-signed-in"),
    pytest.param("GET", "/", {"origin": "http://evil.example"}, 403, id="another-page"),
    pytest.param("POST", "/health", {}, 405, id="wrong-method"),
    pytest.param("GET", "/", {"host": "evil.example"}, 421, id="turned-away"),
]


def test_health_says_only_ok(client: httpx.Client) -> None:
    answer = client.get("/health")
    assert answer.json() == {"status": "ok"}
    assert answer.headers["cache-control"] == "no-store"


def test_the_page_carries_the_version_and_is_asked_for_anew(client: httpx.Client) -> None:
    answer = client.get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert f'<meta name="holdfast-version" content="{__version__}" />' in answer.text


@pytest.mark.parametrize("path", ["/session/some-session", "/settings", "/insights"])
def test_every_address_of_the_page_opens_the_same_page(client: httpx.Client, path: str) -> None:
    assert client.get(path, headers={"authorization": ""}).content == client.get("/").content


def test_the_frame_that_draws_may_style_what_it_draws_and_reach_nothing(client: httpx.Client) -> None:
    policy = client.get("/diagram.html").headers["content-security-policy"]
    assert policy.split("; ") == [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    ]


def test_every_file_the_page_names_is_there(client: httpx.Client) -> None:
    types = {
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
        ".png": "image/png",
        ".webmanifest": "application/manifest+json",
    }
    paths: list[str] = re.findall(r'(?:src|href)="(/[^"]+)"', client.get("/").text)
    assert {path[path.rindex(".") :] for path in paths} == set(types)
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == types[path[path.rindex(".") :]]
        hashed = path.startswith("/assets/")
        assert answer.headers["cache-control"] == ("public, max-age=31536000, immutable" if hashed else "no-cache")


@pytest.mark.parametrize(
    "path", ["/page.digest", "/index.html", "/assets/", "/assets/../page.digest", "/assets/%2e%2e/page.digest"]
)
def test_nothing_but_the_page_is_sent(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_head_answers_as_get_does_without_the_content(client: httpx.Client) -> None:
    answer = client.head("/")
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer.headers["content-length"] == str(len(client.get("/").content))


@pytest.mark.parametrize(("method", "path", "headers", "status"), ANSWERS)
def test_every_answer_carries_the_security_headers(
    client: httpx.Client, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    answer = client.request(method, path, headers=headers)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert "server" not in answer.headers


def test_failures_are_sentences_in_json_for_programs_and_in_text_for_people(client: httpx.Client) -> None:
    assert client.get("/api/nowhere").json() == {
        "error": "There is nothing at /api/nowhere.",
        "code": "NotFound",
    }
    wrong_address = client.get("/nowhere")
    assert wrong_address.headers["content-type"] == "text/plain; charset=utf-8"
    assert wrong_address.text == "There is nothing at /nowhere."
    wrong_method = client.post("/health")
    assert wrong_method.text == "/health does not take POST."
    assert "GET" in wrong_method.headers["allow"]


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost:9", "localhost.", "127.0.0.1", "127.0.0.1:8787", "[::1]", "[::1]:8787"]
)
def test_a_loopback_name_is_answered_whatever_its_port(client: httpx.Client, host: str) -> None:
    assert client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example@localhost",
        "localhost:evil",
        "0.0.0.0",
        "[::1",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/health", "/nowhere"])
def test_another_name_is_turned_away_on_every_path(client: httpx.Client, host: str, path: str) -> None:
    answer = client.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["error"].startswith("This server answers only to these names: 127.0.0.1, ::1, localhost.")


@pytest.mark.parametrize("hosts", [[], ["localhost", "evil.example"], ["evil.example", "localhost"]])
def test_no_name_and_two_names_are_turned_away(client: httpx.Client, hosts: list[str]) -> None:
    lines = ["GET /health HTTP/1.1", "Connection: close", *(f"Host: {host}" for host in hosts), "", ""]
    with socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=60) as connection:
        connection.sendall("\r\n".join(lines).encode())
        answer = connection.makefile("rb").readline()
    assert answer.split()[1] in {b"400", b"421"}
