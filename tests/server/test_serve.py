"""Starting and ending a real server: where it listens, what it says, how it goes."""

import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from holdfast.server.serve import FIRST_PORT
from tests.served import HOLDFAST, PATIENCE_SECONDS, served


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


def test_a_port_that_was_asked_for_and_is_taken_is_refused(taken_port: int) -> None:
    done = run_holdfast("serve", "--port", str(taken_port), "--no-open")
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
        f"holdfast: Holdfast has no password yet, so it listens only on this machine, not on {host}."
    )


def test_localhost_by_name_works(tmp_path: Path) -> None:
    with served(tmp_path, options=["--host", "localhost", "--port", "0"]) as server:
        assert httpx.get(f"{server.link}/health").status_code == 200
