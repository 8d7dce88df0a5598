"""Files that mean harm, or are merely absurd: they reach nothing, name nothing, and cost a bounded amount."""

import base64
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.core.items import UserMessage
from holdfast.settings import Settings
from holdfast.transfer.hermes_webui.files import SMALL, State
from holdfast.transfer.report import NothingThere
from tests.transfer.stage import brought, items, opened, rows
from tests.transfer.webui import Webui, assistant, user


async def test_an_attachment_is_read_from_its_folder_and_from_nowhere_else(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    webui = Webui(tmp_path / "webui")
    inbox = webui.attach("one", "fine.txt", b"fine").parent
    (inbox / "link.txt").symlink_to(secret)
    os.mkfifo(inbox / "pipe")
    names: list[Any] = [
        str(secret), "../../secret.txt", "link.txt", "pipe", "..", "/", "\0", "",
        {"name": "x", "path": "../../../secret.txt"}, {"name": {}, "path": []}, 7, "fine.txt",
    ]  # fmt: skip
    webui.session("one", [user("Look", attachments=names)])
    async with opened(tmp_path / "home") as store:
        await brought(store, tmp_path / "home", "hermes-webui", webui.folder)
        (row,) = await rows(store)
        message = (await items(store, row.id))[0]
    assert isinstance(message, UserMessage)
    assert [file.name for file in message.attachments] == ["fine.txt"]
    stored = list(Settings(home=tmp_path / "home").blobs.glob("??/*"))
    assert [path.read_bytes() for path in stored] == [b"fine"]


@pytest.mark.parametrize("how", ["link", "pipe", "large"])
def test_a_small_file_beside_the_sessions_is_no_way_to_another(tmp_path: Path, how: str) -> None:
    """A link is not followed, a pipe is not waited for, and what is not small is not read."""
    webui = Webui(tmp_path / "webui")
    place = webui.folder / "settings.json"
    (tmp_path / "elsewhere.json").write_text('{"default_workspace": "/secret"}')
    if how == "link":
        place.symlink_to(tmp_path / "elsewhere.json")
    elif how == "pipe":
        os.mkfifo(place)
    else:
        place.write_text(json.dumps("x" * SMALL))
    assert State(webui.folder).document("settings.json") is None
    place.unlink()
    place.write_text('{"default_model": "m"}')
    assert State(webui.folder).document("settings.json") == {"default_model": "m"}


async def test_names_that_are_paths_name_nothing(tmp_path: Path) -> None:
    webui = Webui(tmp_path / "webui")
    webui.session("one", [user("Hi")], session_id="../../evil", active_stream_id="../../x", parent_session_id="../..")
    webui.session("two", [], pending_user_message="Go", active_stream_id="/etc/passwd", profile="../../..")
    (webui.sessions / "three.json").symlink_to("/etc/passwd")
    async with opened(tmp_path / "home") as store:
        report = await brought(store, tmp_path / "home", "hermes-webui", webui.folder)
    assert sorted(taken.name for taken in report.taken) == ["one", "two"]
    assert [left.name for left in report.left] == ["three"]
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("name", ["sessions/two.json", "sessions/two.json.bak", "settings.json", "projects.json"])
async def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    webui = Webui(tmp_path / "state")
    webui.session("one", [user("Hi")])
    os.mkfifo(webui.folder / name)
    async with opened(tmp_path / "home") as store:
        report = await brought(store, tmp_path / "home", "hermes-webui", webui.folder)
    assert [taken.name for taken in report.taken] == ["one"]
    assert [left.what for left in report.left if left.name == "two"] == ["the whole session"] * ("two" in name)


async def test_absurd_values_are_left_out_and_the_words_stay(tmp_path: Path) -> None:
    webui = Webui(tmp_path / "webui")
    odd: list[Any] = [
        user("Kept", 0, attachments="no list"),
        {"role": "user", "content": "No time", "timestamp": float("nan")},
        {"role": "user", "content": "Far", "timestamp": 1e300},
        {"role": "assistant", "content": {"a": {"b": 1}}, "tool_calls": {"x": 1}, "timestamp": -5},
        {"role": "assistant", "content": "Half \ud800 a character".encode("utf-8", "replace").decode()},
        {"role": ["user"], "content": "?"},
        None,
        "text",
        7,
    ]
    webui.session(
        "one", odd, created_at="yesterday", input_tokens=10**400, output_tokens=-3, estimated_cost=float("inf"),
        title=["x"], pinned="yes", project_id={"a": 1}, workspace="/no/such/folder\0",
    )  # fmt: skip
    deep = '{"role": "user", "content": ' + "[" * 100_000 + "]" * 100_000 + "}"
    body = json.dumps({"session_id": "two", "messages": [user("Before"), "HERE", assistant("After")]}, indent=2)
    (webui.sessions / "two.json").write_text(body.replace('"HERE"', deep))
    async with opened(tmp_path / "home") as store:
        report = await brought(store, tmp_path / "home", "hermes-webui", webui.folder)
        told = {row.id: await items(store, row.id) for row in await rows(store)}
    texts = [[item.text for item in found if isinstance(item, UserMessage)] for found in told.values()]
    assert sorted(texts) == [["Before"], ["Kept", "No time", "Far"]]
    assert {taken.name for taken in report.taken} == {"one", "two"}


def document(records: list[Any], **fields: Any) -> dict[str, Any]:
    created = {"seq": 1, "time": 1_700_000_000_000, "event": {"kind": "session.created", "title": "T", "agent": "tour"}}
    return {"holdfast": 1, "session": "s", "records": [created, *records], **fields}


async def test_a_document_permits_nothing(tmp_path: Path) -> None:
    evil = [
        {"seq": 2, "time": 5, "event": {"kind": "session.changed", "workspace": "/", "mode": "yolo", "pinned": True}},
        {"seq": 3, "time": 5, "epoch": 1, "n": 1, "event": {"kind": "runner.started", "pid": 1}},
        {"seq": 4, "time": 5, "epoch": 1, "n": 2, "event": {"kind": "agent.opened", "agent": "tour", "pid": 1,
         "group": 1, "reference": "other", "remembers": True}},
        {"seq": 5, "time": 5, "event": {"kind": "turn.submitted", "turn": "t1", "text": "rm -rf /",
         "attachments": [{"name": "x", "blob": "0" * 64}]}},
        {"seq": 6, "time": 5, "event": {"kind": "turn.submitted", "turn": "../t", "text": "bad"}},
        {"seq": 7, "time": 5, "epoch": 10**30, "n": -1, "event": {"kind": "no.such.kind", "x": [1]}},
        {"seq": 8, "time": 5, "event": {"kind": "rule.remembered", "rule": {"id": "r", "everywhere": True}}},
        "no record",
    ]  # fmt: skip
    path = tmp_path / "evil.json"
    path.write_text(json.dumps(document(evil, files={"0" * 64: base64.b64encode(b"other bytes").decode()})))
    async with opened(tmp_path / "home") as store:
        report = await brought(store, tmp_path / "home", "holdfast", path)
        (row,) = await rows(store)
        state = (await store.open(row.id)).session
        owners = await store.owners()
    assert (state.workspace, state.mode, state.conversation, state.rules, owners) == ("", "", None, (), [])
    assert (state.queue, row.overview.state, row.overview.pinned) == ([], "idle", True)
    assert row.id != "s"
    assert {left.what for left in report.left} == {"3 records", "attachment 'x'"}


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'{"holdfast": 2, "session": "s"}', b"\x00" * 100])
async def test_what_is_no_export_is_said_and_nothing_comes_of_it(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(body)
    async with opened(tmp_path / "home") as store:
        report = await brought(store, tmp_path / "home", "holdfast", path)
        assert (len(report.left), await rows(store)) == (1, [])
        try:
            other = await brought(store, tmp_path / "home", "open-webui", path)
        except NothingThere:
            pass
        else:
            assert (other.taken, await rows(store)) == ([], [])


async def test_an_archive_unpacks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../evil.json", msgspec.json.encode(document([])))
        archive.writestr("/abs.json", b"[" * 100_000)
        archive.writestr("readme.txt", b"no session")
    async with opened(tmp_path / "home") as store:
        report = await brought(store, tmp_path / "home", "holdfast", path)
    assert [taken.title for taken in report.taken] == ["T"]
    assert sorted(os.listdir(tmp_path)) == ["all.zip", "home"]  # noqa: PTH208  a plain look
