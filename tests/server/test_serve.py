"""Starting and ending a real server: where it listens, what it says, how it goes."""

import asyncio
import contextlib
import re
import signal
import socket
import subprocess
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from holdfast.core.ids import SessionId
from holdfast.server.listening import FIRST_PORT
from holdfast.server.presence import Presence, Seat, ServerStuck, find
from holdfast.server.serve import farewell
from holdfast.settings import read_settings
from holdfast.store.sqlite.store import SqliteStore
from tests.journeys.patience import wait_until
from tests.journeys.trouble import shut
from tests.served import HOLDFAST, PATIENCE_SECONDS, Served, served
from tests.server.unsupervised import COMMAND
from tests.store.stage import Run, created

pytestmark = pytest.mark.slow  # real servers that start and end

IN_THE_BACKGROUND = ("/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh")
"""As a script starts what it puts there: Ctrl-C is not for it."""


def run_holdfast(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HOLDFAST, *arguments], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.fixture
def first_port_taken() -> Iterator[None]:
    """Somebody listens on the first port: we do, or whoever was there before."""
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", FIRST_PORT))
            listener.listen()
        except OSError:
            pass
        yield


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_asked_to_end_ends_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with served(tmp_path) as server:
        assert httpx.get(f"{server.link}/health").status_code == 200
        server.process.send_signal(number)
        assert server.wait() == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("sign", "prefix"), [("token", ()), ("logs", ()), ("logs", IN_THE_BACKGROUND)])
def test_a_server_that_is_asked_to_end_while_it_starts_ends_cleanly(
    tmp_path: Path, number: signal.Signals, sign: str, prefix: tuple[str, ...]
) -> None:
    """However far it has come: here another holds the store, so that it comes no further than to ask for that."""
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "store.lock").touch()
    command = [*prefix, *HOLDFAST, "serve", "--home", str(tmp_path), "--port", "0", "--no-open"]
    with (
        shut(tmp_path / "store"),
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
    ):
        wait_until((tmp_path / sign).exists, "the sign of its start")
        process.send_signal(number)
        said = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, *said) == (0, "Server stopped.\n", "")


async def test_whoever_takes_nothing_keeps_no_server_from_ending(tmp_path: Path) -> None:
    """Not a browser that sleeps in the middle of a download or of what a run says, nor one that stopped sending."""
    with served(tmp_path, command=COMMAND) as server, contextlib.ExitStack() as held:
        store = await SqliteStore.open_folder(read_settings({}, home=tmp_path).store)
        run = await Run.claim(store, await created(store, SessionId("s")))
        await run.start()
        for _ in range(200):
            await run.say("x" * 20_000)
        await store.close()
        with server.client() as client:
            blob = client.post("/api/files?name=a", content=b"x" * 20_000_000).json()["blob"]
        for _ in range(3):
            for asked in (f"GET /api/files/{blob}", "GET /api/stream?follow=s:0", "POST /api/files?name=b"):
                held.enter_context(asked_and_left(server, asked))
        server.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(server.wait) == (0, "")
        assert server.process.stdout is not None
        assert server.process.stdout.read() == farewell(1) + "\n"


def test_a_request_that_waits_for_others_keeps_no_server_from_ending(tmp_path: Path) -> None:
    """Nor is it complained of: whoever made it sees the connection end."""
    with served(tmp_path) as server, socket.create_server(("127.0.0.1", 0)) as mute:
        tried = f'{{"base_url": "http://127.0.0.1:{mute.getsockname()[1]}/v1"}}'
        head = f"POST /api/endpoints/try HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n"
        address = httpx.URL(server.link)
        with socket.create_connection((address.host, address.port or 80), timeout=PATIENCE_SECONDS) as asking:
            asking.sendall(f"{head}Content-Length: {len(tried)}\r\n\r\n{tried}".encode())
            mute.settimeout(PATIENCE_SECONDS)
            with mute.accept()[0]:
                server.process.send_signal(signal.SIGTERM)
                assert server.wait() == (0, "")


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3])
def test_whoever_asks_again_gets_the_same_end_at_once(tmp_path: Path, seconds: float) -> None:
    """At whatever moment of its ending, and however often."""
    with served(tmp_path) as server:
        with server.client() as client:
            blob = client.post("/api/files?name=a", content=b"x" * 20_000_000).json()["blob"]
        with asked_and_left(server, f"GET /api/files/{blob}"):
            server.process.send_signal(signal.SIGINT)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
                time.sleep(seconds)
                server.process.send_signal(number)
            assert server.wait() == (0, "")
        assert server.process.stdout is not None
        assert server.process.stdout.read() == farewell(0) + "\n"


@contextlib.contextmanager
def asked_and_left(server: Served, asked: str) -> Generator[None]:
    """A connection that asked for something, heard the beginning, and neither reads nor sends since."""
    address = httpx.URL(server.link)
    head = f"{asked} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n"
    body = "Expect: 100-continue\r\nContent-Length: 1000\r\n\r\nabc" if asked.startswith("POST") else "\r\n"
    with socket.socket() as stalled:
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.connect((address.host, address.port))
        stalled.sendall((head + body).encode())
        assert stalled.recv(12).startswith(b"HTTP/1.1 ")
        yield


def test_a_restarted_server_gets_its_port_back(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        link = first.link
        httpx.get(f"{link}/health")
    with served(tmp_path, options=["--port", link.rsplit(":", 1)[1]]) as second:
        assert second.link == link
        assert httpx.get(f"{link}/health").status_code == 200


@pytest.mark.usefixtures("first_port_taken")
def test_without_a_port_the_next_free_one_is_used_and_said(tmp_path: Path) -> None:
    with served(tmp_path, options=[]) as server:
        port = httpx.URL(server.link).port
        assert port is not None
        assert port > FIRST_PORT
        assert httpx.get(f"{server.link}/health").status_code == 200
        server.process.terminate()
        assert server.wait() == (0, f"Port {FIRST_PORT} is taken, so this is port {port}.\n")


def test_a_port_that_was_asked_for_and_is_taken_is_refused(tmp_path: Path, taken_port: int) -> None:
    done = run_holdfast("serve", "--home", str(tmp_path), "--port", str(taken_port), "--no-open")
    assert done.returncode == 1
    assert done.stderr == (
        f"holdfast: Port {taken_port} is taken. Choose another with --port or as [server] port in config.toml, "
        "or name none to get the next free one.\n"
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('port = "abc"', "/config.toml can't be used: Expected `int | null`, got `str` - at `$.server.port`."),
        ("port = 70000", "/config.toml can't be used: Expected `int` <= 65535 - at `$.server.port`."),
        ("port = -1", "/config.toml can't be used: Expected `int` >= 0 - at `$.server.port`."),
        ('host = ""', "/config.toml can't be used: host is '', which is no address to listen on - at `$.server`."),
        ('host = "no-such-box.invalid"', "holdfast: no-such-box.invalid is no address and no name of this machine:"),
        ('host = "127.0.0.1:80"', "Correct --host, or [server] host in config.toml."),
        (f'host = "{"ö" * 64}.invalid"', "Correct --host, or [server] host in config.toml."),
    ],
)
@pytest.mark.parametrize("guarded", [False, True], ids=["without a password", "with one"])
def test_a_port_or_host_in_the_file_that_is_none_is_named(
    tmp_path: Path, line: str, sentence: str, *, guarded: bool
) -> None:
    """With the file and its key, and whether there is a password or not."""
    if guarded:
        (tmp_path / "account.json").write_text('{"password":"$argon2id$"}')
    (tmp_path / "config.toml").write_text(f"[server]\n{line}\n")
    done = run_holdfast("serve", "--home", str(tmp_path), "--no-open")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1), done.stderr
    assert sentence in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])
def test_an_address_that_others_can_reach_is_refused(host: str) -> None:
    done = run_holdfast("--host", host, "--no-open")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"holdfast: Holdfast has no password yet, so it listens only on this machine, not on {host}. Set one with:"
    )


def test_a_home_has_one_server_and_a_second_start_leads_to_it(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        for options in ([], ["--port", "0"], ["--port", server.link.rsplit(":", 1)[1]]):
            done = run_holdfast("serve", "--home", str(tmp_path), "--no-open", *options)
            assert (done.returncode, done.stderr) == (0, "")
            found = re.fullmatch(r"Holdfast is already at (\S+)/#code=(\S+) \(process (\d+)\)\.\n", done.stdout)
            assert found is not None, done.stdout
            assert found[1] == server.link
            assert int(found[3]) == server.process.pid
            signed_in = httpx.post(f"{server.link}/api/sign-in", json={"code": found[2]})
            assert set(signed_in.json()) == {"token", "device"}
        assert server.process.poll() is None


def test_a_killed_server_leaves_its_place_to_the_next(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        first.kill()
    with served(tmp_path) as second:
        assert httpx.get(f"{second.link}/api/status", headers=second.authorization).json()["pid"] == second.process.pid


def test_whoever_took_a_dead_servers_port_is_not_sent_the_token(tmp_path: Path) -> None:
    """What a killed server said of itself is believed of no other one, neither before nor after that one began."""
    with socket.create_server(("127.0.0.1", 0)) as thief:
        stale = Presence(pid=1, host="127.0.0.1", port=thief.getsockname()[1], instance="old")
        (tmp_path / "server.json").write_bytes(msgspec.json.encode(stale))
        seat = Seat.take(tmp_path)
        assert seat is not None
        with contextlib.closing(seat):
            assert not (tmp_path / "server.json").exists()
            (tmp_path / "server.json").write_bytes(msgspec.json.encode(stale))
            with pytest.raises(ServerStuck):
                find(tmp_path)
        thief.settimeout(0)
        with pytest.raises(BlockingIOError):
            thief.accept()


def test_a_code_works_after_a_restart(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        code = first.code
    with served(tmp_path) as second:
        assert httpx.post(f"{second.link}/api/sign-in", json={"code": code}).status_code == 200
        assert httpx.post(f"{second.link}/api/sign-in", json={"code": code}).status_code == 403


@pytest.mark.parametrize(
    ("going", "said"),
    [
        (0, "Server stopped.\n"),
        (1, "Server stopped. 1 run goes on. Watch: holdfast · End it: holdfast stop\n"),
        (2, "Server stopped. 2 runs go on. Watch: holdfast · End them: holdfast stop\n"),
    ],
)
async def test_a_server_that_ends_says_how_many_runs_go_on(tmp_path: Path, going: int, said: str) -> None:
    with served(tmp_path, command=COMMAND) as server:
        store = await SqliteStore.open_folder(read_settings({}, home=tmp_path).store)
        await Run.claim(store, await created(store, SessionId("idle")))
        for number in range(going):
            run = await Run.claim(store, await created(store, SessionId(f"s{number}")))
            await run.start()
        await store.close()
        server.process.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(server.wait) == (0, "")
        assert server.process.stdout is not None
        assert server.process.stdout.read() == said


def test_localhost_by_name_works(tmp_path: Path) -> None:
    with served(tmp_path, options=["--host", "localhost", "--port", "0"]) as server:
        assert httpx.get(f"{server.link}/health").status_code == 200
