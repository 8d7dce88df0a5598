"""A thousand sessions of hermes-webui, some of them damaged, one of 50 MB: nothing that can be read is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.settings import Settings
from holdfast.transfer.identity import HERMES, imported_id
from holdfast.transfer.report import Report, kept
from tests.served import HOLDFAST
from tests.transfer.stage import EVERYTHING, opened, rows
from tests.transfer.webui import BIG, Webui, assistant, generate, turns, user

MEMORY = 300
"""Megabytes."""


WATCH = (
    "import os, resource, subprocess, sys\n"
    "code = subprocess.run(sys.argv[2:]).returncode\n"
    "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
    "os.kill(os.getpid(), -code) if code < 0 else sys.exit(code)"
)
"""Runs a program and writes down its peak, which is counted from what started it: hardly anything, in here."""


def run(webui: Path, home: Path, *, faults: str = "") -> tuple[int, str]:
    """`holdfast import`, as a person types it, where there is no Hermes. Its peak in kB lies beside the home."""
    environment = {
        **os.environ,
        "HERMES_HOME": str(webui.parent / "none"),
        "HOLDFAST_FAULTS": faults,
        "HOLDFAST_AGENT": "",
    }
    watch = (sys.executable, "-c", WATCH, str(home.parent / "peak"))
    done = subprocess.run(
        [*watch, *HOLDFAST, "import", "hermes-webui", str(webui), "--home", str(home)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


async def logs(home: Path) -> dict[SessionId, list[object]]:
    """Everything that the home holds, without what an import says of itself."""
    async with opened(home) as store:
        found = [*await rows(store), *await rows(store, archived=True)]
        return {
            row.id: [
                (record.time, record.epoch, record.n, record.event)
                for record in await store.read(row.id, 0, EVERYTHING)
            ]
            for row in found
        }


def newest(home: Path) -> Report:
    return kept(home)[0]


@pytest.mark.slow
async def test_a_thousand_sessions_come_and_come_once(tmp_path: Path) -> None:
    readable = generate(tmp_path / "webui")
    code, said = run(tmp_path / "webui", tmp_path / "home")
    report = newest(tmp_path / "home")
    peak = int((tmp_path / "peak").read_text()) / 1024
    print(f"{len(report.taken)} sessions in {(report.ended - report.started) / 1000:.1f} s, {peak:.0f} MB")
    assert code == 0, said
    assert {taken.name: taken.messages for taken in report.taken} == readable
    unreadable = {left.name for left in report.left if left.what == "the whole session"}
    assert unreadable == {f"{number:012x}" for number in range(999) if number % 100 in (2, 3)}
    partly = {left.name for left in report.left if left.what == "a part of the session"}
    assert partly == {f"{number:012x}" for number in range(999) if number % 100 in (1, 6)}
    torn = {left.name for left in report.left if "journal" in left.what}
    assert torn == {f"{number:012x}" for number in range(999) if number % 100 == 4}
    assert len(report.left) == len(unreadable) + len(partly) + len(torn)
    assert peak < MEMORY
    first = await logs(tmp_path / "home")
    assert len(first) == len(readable)
    assert len(first[imported_id(HERMES, BIG)]) > readable[BIG]
    code, said = run(tmp_path / "webui", tmp_path / "home")
    assert (code, newest(tmp_path / "home").taken) == (0, []), said
    assert newest(tmp_path / "home").known == len(readable)
    assert await logs(tmp_path / "home") == first


@pytest.mark.slow
@pytest.mark.parametrize("point", ["store.written=kill:9", "store.committed=kill:9", "store.settled=kill:5"])
async def test_an_import_that_was_killed_is_finished_by_the_next(tmp_path: Path, point: str) -> None:
    generate(tmp_path / "webui", count=30, big=1_000_000)
    code, said = run(tmp_path / "webui", tmp_path / "whole")
    assert code == 0, said
    code, said = run(tmp_path / "webui", tmp_path / "home", faults=point)
    assert code < 0, said
    assert 0 < len(await logs(tmp_path / "home")) < len(await logs(tmp_path / "whole"))
    code, said = run(tmp_path / "webui", tmp_path / "home")
    assert code == 0, said
    assert await logs(tmp_path / "home") == await logs(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.parametrize("point", ["store.written=kill", "store.committed=kill", "store.settled=kill"])
async def test_a_kill_while_sessions_are_brought_again_loses_none(tmp_path: Path, point: str) -> None:
    """Each is as it was brought first or as it is there now, and at no moment neither."""
    webui = Webui(tmp_path / "webui")
    names = ["one", "two", "three"]
    for name in names:
        webui.session(name, turns(1, 2))
    assert run(webui.folder, tmp_path / "home")[0] == 0
    before = await logs(tmp_path / "home")
    for name in names:
        webui.session(name, turns(1, 40))
    assert run(webui.folder, tmp_path / "whole")[0] == 0
    after = await logs(tmp_path / "whole")
    for visit in (1, 2, 3):
        code, said = run(webui.folder, tmp_path / "home", faults=f"{point}:{visit}")
        assert code <= 0, said
        found = await logs(tmp_path / "home")
        assert found.keys() == before.keys()
        assert all(found[session] in (before[session], after[session]) for session in found)
    code, said = run(webui.folder, tmp_path / "home")
    assert (code, await logs(tmp_path / "home")) == (0, after), said


@pytest.mark.slow
async def test_the_folder_is_only_read(tmp_path: Path) -> None:
    generate(tmp_path / "webui", count=12, big=1000)
    before = {path: path.stat().st_mtime_ns for path in sorted((tmp_path / "webui").rglob("*"))}
    code, said = run(tmp_path / "webui", tmp_path / "home")
    assert code == 0, said
    assert {path: path.stat().st_mtime_ns for path in sorted((tmp_path / "webui").rglob("*"))} == before


@pytest.mark.slow
def test_nothing_at_the_path_is_said_with_what_to_do(tmp_path: Path) -> None:
    code, said = run(tmp_path / "nowhere", tmp_path / "home")
    assert code == 1
    assert "holdfast import hermes-webui PATH" in said
    assert newest(tmp_path / "home").state == "failed"


def test_a_home_takes_one_import_at_a_time(tmp_path: Path) -> None:
    from holdfast.transfer.turnstile import AnotherImport, going_on, take_lock

    lock = take_lock(Settings(home=tmp_path).home)
    assert going_on(tmp_path)
    with pytest.raises(AnotherImport):
        take_lock(tmp_path)
    os.close(lock)
    assert not going_on(tmp_path)


def test_the_generator_makes_what_hermes_webui_writes(tmp_path: Path) -> None:
    path = Webui(tmp_path / "w").session("one", [user("Hi"), assistant("Ho"), *turns(1, 1)])
    assert path.read_text("utf-8").index('"messages"') > path.read_text("utf-8").index('"profile"')
