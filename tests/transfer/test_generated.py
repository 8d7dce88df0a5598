"""A thousand sessions of hermes-webui, some of them damaged, one of 50 MB: nothing that can be read is lost."""

import os
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.core.items import Item, Text, Thought, ToolCall, UserMessage
from holdfast.settings import Settings
from holdfast.transfer.identity import HERMES, imported_id
from holdfast.transfer.report import Report, kept
from tests.transfer.command import peak, run
from tests.transfer.stage import EVERYTHING, items, opened, rows
from tests.transfer.webui import Webui, assistant, generate, turns, user

MEMORY = 300
"""Megabytes."""


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


def words(found: list[Item]) -> list[tuple[str, str]]:
    """What people, agents and tools said, as it can be read here."""
    said: list[tuple[str, str]] = []
    for item in found:
        match item:
            case UserMessage():
                said.append(("user", item.text))
            case Thought():
                said.append(("thought", item.flush()))
            case Text():
                said.append(("text", item.flush()))
            case ToolCall():
                said.append(("tool", item.flush()))
            case _:
                pass
    return said


@pytest.mark.slow
async def test_a_thousand_sessions_come_and_come_once(tmp_path: Path) -> None:
    readable = generate(tmp_path / "webui")
    code, said = run(tmp_path / "webui", tmp_path / "home")
    report = newest(tmp_path / "home")
    taken_up = peak(tmp_path / "home")
    print(f"{len(report.taken)} sessions in {(report.ended - report.started) / 1000:.1f} s, {taken_up:.0f} MB")
    assert code == 0, said
    assert {taken.name: taken.messages for taken in report.taken} == {
        name: session.messages for name, session in readable.items()
    }
    unreadable = {left.name for left in report.left if left.what == "the whole session"}
    assert unreadable == {f"{number:012x}" for number in range(999) if number % 100 in (2, 3)}
    partly = {left.name for left in report.left if left.what == "a part of the session"}
    assert partly == {f"{number:012x}" for number in range(999) if number % 100 in (1, 6)}
    torn = {left.name for left in report.left if "journal" in left.what}
    assert torn == {f"{number:012x}" for number in range(999) if number % 100 == 4}
    models = [left.what for left in report.left if left.what.startswith("the model")]
    assert models == [f"the model mock-1 of {len(readable)} sessions"]
    assert len(report.left) == len(unreadable) + len(partly) + len(torn) + len(models)
    assert taken_up < MEMORY
    async with opened(tmp_path / "home") as store:
        for name, session in readable.items():
            assert words(await items(store, imported_id(HERMES, name))) == session.words, name
    first = await logs(tmp_path / "home")
    assert len(first) == len(readable)
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
