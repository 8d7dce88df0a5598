"""Starting and ending a real server: where it listens, what it says, how it goes."""

import asyncio
import contextlib
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from holdfast.core.ids import SessionId
from holdfast.server.listening import FIRST_PORT
from holdfast.server.presence import Presence, Seat, ServerStuck, find
from holdfast.settings import read_settings
from holdfast.store.sqlite.store import SqliteStore
from tests.served import HOLDFAST, PATIENCE_SECONDS, served
from tests.server.unsupervised import COMMAND
from tests.store.stage import Run, created

pytestmark = pytest.mark.slow  # real servers that start and end


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
        f"holdfast: Port {taken_port} is taken. Choose another with --port, "
        "or leave --port out to get the next free one.\n"
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])
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
