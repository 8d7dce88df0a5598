"""A connection that does not say what it wants: what it may cost, and what it is told."""

import asyncio
import contextlib
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Generator
from http.client import HTTPResponse
from pathlib import Path

import httpx
import pytest

from tests.served import PATIENCE_SECONDS, Served, served
from tests.server.live import live
from tests.server.unsupervised import COMMAND

pytestmark = pytest.mark.slow  # they wait as long as a server does


@contextlib.contextmanager
def connected(server: Served) -> Generator[socket.socket]:
    address = httpx.URL(server.link)
    with socket.create_connection((address.host, address.port or 80), timeout=PATIENCE_SECONDS) as raw:
        yield raw


def answered(raw: socket.socket) -> int:
    """The status of the next answer, once it has come whole."""
    answer = HTTPResponse(raw)
    answer.begin()
    answer.read()
    return answer.status


def heard(raw: socket.socket) -> str:
    """All that is said until the connection ends."""
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while part := raw.recv(65536):
            said += part
    return said.decode()


def trickle(raw: socket.socket, words: bytes) -> None:
    """Say one more byte each second, until nobody listens."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for _ in range(PATIENCE_SECONDS):
            raw.sendall(words)
            raw.settimeout(1)
            with contextlib.suppress(TimeoutError):
                raw.recv(1, socket.MSG_PEEK)
                return
    raise AssertionError("It is still listened to.")


async def test_a_head_that_comes_too_slowly_is_not_waited_for(server: Served, api: httpx.AsyncClient) -> None:
    """Others are answered meanwhile, and who is answered already may be silent for as long as they like."""
    with connected(server) as silent, connected(server) as slow, connected(server) as blank:
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        async with live(api) as watched:
            await asyncio.gather(
                asyncio.to_thread(trickle, slow, b"x"),
                asyncio.to_thread(trickle, blank, b"\r\n"),
                asyncio.to_thread(heard, silent),
            )
            await watched.next("ready")
            assert await watched.any()
        assert (await api.get("/health")).status_code == 200
        said = heard(slow)
        assert said.startswith("HTTP/1.1 408 Request Timeout\r\n")
        assert '"code":"TooSlow"' in said
        assert heard(silent) == heard(blank) == "", "nobody has asked anything"


@pytest.mark.parametrize("pieces", [1, 100])
def test_a_head_that_is_too_large_is_refused_with_its_bound(server: Served, pieces: int) -> None:
    lines = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 1000) for number in range(100))
    head = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + lines
    with connected(server) as raw:
        if pieces == 1:
            raw.sendall(head + b"\r\n")
        else:  # and it never ends
            size = len(head) // pieces
            for at in range(0, len(head), size):
                raw.sendall(head[at : at + size])
                time.sleep(0.002)
        said = heard(raw)
    assert said.startswith("HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert "At most 64,000 bytes are taken." in said


def test_a_head_of_what_browsers_send_is_taken(client: httpx.Client) -> None:
    assert client.get("/health", headers={"cookie": "a=" + "x" * 50_000}).status_code == 200


def test_a_connection_is_kept_from_one_request_to_the_next(server: Served) -> None:
    request = b"POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n"
    with connected(server) as raw:
        for _ in range(3):
            raw.sendall(request)
            time.sleep(0.1)
            raw.sendall(b"{}")
            assert answered(raw) == 400


BOUNDED = """
import sys
from holdfast.server import connection
connection.CONNECTIONS, connection.BODY_SECONDS = 20, 2.0
sys.argv[0] = "holdfast"
from holdfast.cli import main
sys.exit(main())
"""


@pytest.fixture
def small(tmp_path: Path) -> Generator[Served]:
    """A server with little room and little patience."""
    program = tmp_path / "small.py"
    program.write_text(BOUNDED)
    with served(tmp_path / "home", command=(COMMAND[0], "-W", "error", str(program))) as server:
        yield server


def test_who_says_nothing_takes_no_place_from_who_does(small: Served) -> None:
    with contextlib.ExitStack() as held, small.client() as client:
        for number in range(100):
            raw = held.enter_context(connected(small))
            raw.sendall(b"GET /health HTTP/1.1\r\n" if number % 2 else b"")
            if number % 10 == 0:
                assert httpx.get(f"{small.link}/health").status_code == 200
        assert client.get("/api/sessions").status_code == 200


async def test_when_everybody_is_being_answered_one_more_is_told_so(small: Served) -> None:
    async with contextlib.AsyncExitStack() as held, small.async_client() as api:
        for _ in range(20):
            await (await held.enter_async_context(live(api))).next("ready")
        with connected(small) as raw:
            said = await asyncio.to_thread(heard, raw)
        assert said.startswith("HTTP/1.1 503 ")
        assert '"code":"TooManyConnections"' in said


def test_a_body_that_stops_is_not_waited_for_and_one_that_comes_slowly_is(small: Served) -> None:
    head = (
        f"POST /api/files?name=a HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {small.token}\r\n"
        "Content-Length: 100000\r\n\r\n"
    ).encode()
    with connected(small) as stopped, connected(small) as slow:
        stopped.sendall(head + b"x")
        slow.sendall(head)
        for _ in range(10):
            slow.sendall(b"x" * 10_000)
            time.sleep(0.5)
        assert answered(slow) == 201
        assert heard(stopped).startswith("HTTP/1.1 408 ")


@pytest.mark.parametrize("strange", [b"X: %s\r\n" % (b"x" * 1000), b"x" * 10_000], ids=["lines", "one line"])
@pytest.mark.parametrize("begin", [b"0\r\n", b"1;"], ids=["after a body", "within one"])
def test_what_only_frames_a_body_has_a_bound(small: Served, begin: bytes, strange: bytes) -> None:
    """Lines after a body in pieces, and words beside the size of a piece, are of no use to anybody and might never end.
    Whoever sends them needs no credential."""
    head = b"POST /health HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connected(small) as raw:
        raw.sendall(head)
        assert answered(raw) == 401
        raw.sendall(begin)
        end = time.monotonic() + PATIENCE_SECONDS
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() < end:
                raw.sendall(strange)
        assert time.monotonic() < end, "It is still listened to."
    assert httpx.get(f"{small.link}/health").status_code == 200


def test_lines_after_a_body_say_nothing(server: Served) -> None:
    """They come after the request was judged, a credential among them too."""
    with connected(server) as raw:
        raw.sendall(b"POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        raw.sendall(b"2\r\n{}\r\n0\r\nAuthorization: Bearer %s\r\n\r\n" % server.token.encode())
        assert answered(raw) == 400
        raw.sendall(b"GET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert answered(raw) == 401


@pytest.mark.parametrize("still_sends", [False, True])
def test_who_has_been_answered_takes_no_place_from_who_asks(small: Served, *, still_sends: bool) -> None:
    """They may ask again, but not instead of others; nor may they send for ever what was refused by its head."""
    length = b"Content-Length: 999999999\r\n" if still_sends else b""
    method = b"POST" if still_sends else b"GET"
    with contextlib.ExitStack() as held, small.client() as client:
        for _ in range(30):
            raw = held.enter_context(connected(small))
            raw.sendall(method + b" /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length + b"\r\n")
            assert answered(raw) == (401 if still_sends else 200)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                raw.sendall(b"x" * 100 if still_sends else b"")
        assert client.get("/api/sessions").status_code == 200


def test_who_says_goodbye_with_a_request_hears_its_answer(server: Served) -> None:
    """Also if it was refused while its body was still to come: to hang up at once would take the answer away."""
    body = 20_000_000
    head = (
        f"POST /api/files?name=a HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {body}\r\n\r\n"
    ).encode()
    for _ in range(3):
        with connected(server) as raw:
            raw.sendall(head)
            for _ in range(body // 100_000):
                raw.sendall(b"x" * 100_000)
            said = heard(raw)
            assert said.startswith("HTTP/1.1 401 ")
    with connected(server) as raw:
        raw.sendall(
            b"POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
        )
        assert heard(raw).startswith("HTTP/1.1 400 ")


def test_who_never_says_how_to_speak_takes_no_place_from_who_does(small_and_secure: Served) -> None:
    """With a certificate a connection begins before it says anything that we understand; it counts all the same."""
    context = ssl.create_default_context(cafile=small_and_secure.home / "cert.pem")
    context.check_hostname = False
    with contextlib.ExitStack() as held:
        silent = [held.enter_context(connected(small_and_secure)) for _ in range(60)]
        silent[-1].sendall(b"GET /health HTTP/1.1\r\n\r\n")
        with httpx.Client(base_url=small_and_secure.link, verify=context) as client:
            assert client.get("/health").status_code == 200
        for raw in silent[:-1]:
            assert heard(raw) == ""


def test_who_never_says_how_to_speak_keeps_no_server_from_ending(small_and_secure: Served) -> None:
    with contextlib.ExitStack() as held:
        for _ in range(10):
            held.enter_context(connected(small_and_secure))
        small_and_secure.process.terminate()
        assert small_and_secure.wait() == (0, "")


@pytest.fixture
def small_and_secure(tmp_path: Path) -> Generator[Served]:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make a certificate with")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=box.example", "-days", "2"]
    command += ["-keyout", str(home / "key.pem"), "-out", str(home / "cert.pem")]
    subprocess.run(command, check=True, capture_output=True)
    (home / "config.toml").write_text('[server]\ncertificate = "cert.pem"\nkey = "key.pem"\n')
    program = tmp_path / "small.py"
    program.write_text(BOUNDED)
    with served(home, command=(COMMAND[0], "-W", "error", str(program))) as server:
        yield server


def test_what_is_sent_after_the_answer_keeps_no_connection(small: Served) -> None:
    """A request may be refused by its head; the rest of it is not waited for for ever."""
    with connected(small) as raw:
        raw.sendall(b"POST /api/files?name=a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n")
        assert answered(raw) == 401
        trickle(raw, b"x")
        assert heard(raw) == ""
