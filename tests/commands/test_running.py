"""`holdfast status`, `link` and `stop`, as a person types them beside a running server."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from holdfast.commands.status import spelled
from holdfast.core.ids import SessionId
from holdfast.ownership import living
from holdfast.qr import drawn, lines
from holdfast.settings import read_settings
from tests.served import HOLDFAST, PATIENCE_SECONDS, Served, first_line, served
from tests.server.unsupervised import COMMAND

pytestmark = pytest.mark.slow  # real servers that start and end

# Holds a session as a runner does, once it is free, and ends when it is asked to: at once, or never.
HOLD = """
import signal, sys, time
from pathlib import Path
from holdfast.ownership import Lock
if sys.argv[3] == "waits":
    print("waiting", flush=True)
lock = Lock.take(Path(sys.argv[1]), sys.argv[2], patience=60)
if sys.argv[3] == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("held", flush=True)
while True:
    time.sleep(0.1)
"""


def holdfast(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HOLDFAST, *arguments], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )


@contextmanager
def held(home: Path, session: str, *, hearing: str = "hears") -> Generator["subprocess.Popen[str]"]:
    locks = read_settings({}, home=home).locks
    command = [sys.executable, "-c", HOLD, str(locks), session, hearing]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert first_line(process.stdout) == ("waiting\n" if hearing == "waits" else "held\n")
            yield process
        finally:
            process.kill()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path, command=COMMAND) as server:
        yield server


def test_status_says_what_runs_and_where(server: Served, tmp_path: Path) -> None:
    with server.client() as client:
        client.post("/api/sessions", json={"id": "s1"})
    with held(tmp_path, "s1") as runner:
        said = holdfast("status", "--home", str(tmp_path))
    assert (said.returncode, said.stderr) == (0, "")
    assert re.fullmatch(
        rf"Server    {server.link}/ \(process {server.process.pid}, up \d+ s, version \S+\)\n"
        rf"Runners   1: s1 \(process {runner.pid}\)\n"
        r"Sessions  1\n"
        rf"Store     0\.\d MB in {tmp_path}/store\n",
        said.stdout,
    ), said.stdout


def test_status_without_a_server_asks_the_store_itself(tmp_path: Path) -> None:
    nothing = holdfast("status", "--home", str(tmp_path))
    assert nothing.stdout.startswith(
        "Server    not running. Start it with: holdfast serve\nRunners   none\nSessions  0\n"
    )
    with served(tmp_path, command=COMMAND) as server, server.client() as client:
        client.post("/api/sessions", json={})
    assert "Sessions  1\n" in holdfast("status", "--home", str(tmp_path)).stdout


def test_a_link_signs_in_once(server: Served, tmp_path: Path) -> None:
    said = holdfast("link", "--home", str(tmp_path))
    found = re.fullmatch(rf"{server.link}/#code=(\S+) \(works once, for ten minutes\)\n", said.stdout)
    assert found is not None, said
    assert httpx.post(f"{server.link}/api/sign-in", json={"code": found[1]}).status_code == 200


@pytest.mark.usefixtures("server")
def test_a_link_as_a_picture_holds_the_same_link(tmp_path: Path) -> None:
    pytest.importorskip("qrcode")
    said = holdfast("link", "--qr", "--home", str(tmp_path)).stdout
    link, _, picture = said.partition(" (works once, for ten minutes)\n")
    assert picture == drawn(link) + "\n"


def test_a_picture_is_drawn_with_two_rows_a_line() -> None:
    assert lines([[True, False], [False, True], [True, True]]) == ["▄▀", "▄▄"]


def test_a_link_needs_a_server(tmp_path: Path) -> None:
    said = holdfast("link", "--home", str(tmp_path))
    assert said.returncode == 1
    assert said.stderr == f"holdfast: No server runs for {tmp_path}. Start it with: holdfast serve\n"


def test_stop_ends_the_server_and_the_runners(server: Served, tmp_path: Path) -> None:
    with held(tmp_path, "s1") as one, held(tmp_path, "s2") as other:
        said = holdfast("stop", "--home", str(tmp_path))
        assert said.stdout == (
            "Server stopped.\nEnding 2 runners. What they did is kept; this may take up to 45 s.\nEnded 2 runners.\n"
        )
        assert said.returncode == 0
        assert one.wait(PATIENCE_SECONDS) != 0
        assert other.wait(PATIENCE_SECONDS) != 0
    assert server.wait() == (0, "")
    again = holdfast("stop", "--home", str(tmp_path))
    assert (again.returncode, again.stdout) == (0, "No server runs.\nNothing runs.\n")


def test_stop_ends_a_runner_that_waited_for_its_session_too(tmp_path: Path) -> None:
    """Two were started for one session, by a server before it died and by the next one."""
    with held(tmp_path, "s1") as first, held(tmp_path, "s1", hearing="waits") as second:
        said = holdfast("stop", "--home", str(tmp_path))
        assert (said.returncode, said.stdout.splitlines()[-1]) == (0, "Ended 2 runners.")
        assert first.wait(PATIENCE_SECONDS) != 0
        assert second.wait(PATIENCE_SECONDS) != 0


def test_stop_can_end_the_server_alone(server: Served, tmp_path: Path) -> None:
    with held(tmp_path, "s1"):
        said = holdfast("stop", "--server", "--home", str(tmp_path))
        assert (said.returncode, said.stdout) == (0, "Server stopped.\n")
        assert [holder.session for holder in living(read_settings({}, home=tmp_path).locks)] == [SessionId("s1")]
    assert server.wait() == (0, "")


def test_stop_says_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from holdfast.commands import stop

    monkeypatch.setattr(stop, "RUNNER_SECONDS", 0.3)
    with held(tmp_path, "s1", hearing="deaf") as runner:
        assert stop.stop_runners(read_settings({}, home=tmp_path).locks) is False
        said = capsys.readouterr().out
        assert f"The runner of session s1 (process {runner.pid}) has not ended.\n" in said
        assert said.endswith(f"End what is left with: kill -9 {runner.pid}\n")


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59, "59 s"), (61, "1 min"), (7_300, "2 h"), (200_000, "2 d")]
)
def test_a_length_of_time_is_said_in_its_largest_unit(seconds: float, words: str) -> None:
    assert spelled(seconds) == words


def test_a_reader_who_has_had_enough_is_no_failure(tmp_path: Path) -> None:
    """`holdfast status | head -1` says nothing on its own account."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*HOLDFAST, "status", "--home", str(tmp_path / "home")],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")
