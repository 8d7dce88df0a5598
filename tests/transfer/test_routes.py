"""Import and export as the page uses them, on a real server."""

import io
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.served import PATIENCE_SECONDS, Served, served
from tests.server.unsupervised import COMMAND
from tests.transfer.webui import Webui, assistant, user

pytestmark = pytest.mark.slow  # a real server that starts and ends


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "home", command=COMMAND) as server:
        yield server


@pytest.fixture
def api(server: Served) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def finished(api: httpx.Client, started: httpx.Response) -> dict[str, Any]:
    """The report, when the import is done."""
    assert started.status_code == 202, started.text
    name = started.json()["report"]["id"]
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        report = api.get(f"/api/imports/{name}").json()["report"]
        if report["state"] != "running":
            return report
        time.sleep(0.05)
    raise AssertionError("the import does not end")


def test_a_folder_is_imported_while_the_server_runs_and_old_addresses_lead_on(
    tmp_path: Path, api: httpx.Client
) -> None:
    webui = Webui(tmp_path / "webui")
    webui.session("0123456789ab", [user("Hi"), assistant("Hello")])
    report = finished(api, api.post("/api/import", json={"kind": "hermes-webui", "path": str(webui.folder)}))
    assert (report["state"], report["done"], report["found"], report["left"]) == ("finished", 1, 1, [])
    (row,) = api.get("/api/sessions").json()["sessions"]
    assert row["id"] == report["taken"][0]["session"]
    assert api.get("/api/sessions/0123456789ab").json()["id"] == row["id"]
    assert api.get("/session/0123456789ab").status_code == 200
    assert api.get("/api/imports").json()["imports"][0]["id"] == report["id"]
    submitted = api.post(f"/api/sessions/{row['id']}/turns", json={"id": "t1", "text": "More"})
    assert submitted.status_code < 300, submitted.text


def test_what_can_not_be_imported_is_refused_with_a_sentence(tmp_path: Path, api: httpx.Client) -> None:
    for path in (str(tmp_path / "no"), "\0", "~nobody-here/x", "-x"):
        answer = api.post("/api/import", json={"kind": "hermes-webui", "path": path})
        assert answer.status_code == 404, path
        assert "There is nothing to import" in answer.json()["error"]
    assert api.post("/api/import", json={"kind": "other"}).status_code == 400
    assert api.get("/api/imports/nope").status_code == 404
    assert api.post("/api/import/upload", params={"kind": "holdfast"}, content=b"").status_code == 400
    assert api.post("/api/import/upload", params={"kind": "hermes-webui"}, content=b"x").status_code == 400
    assert not list((tmp_path / "home" / "imports").glob("*.upload"))


def test_an_export_that_is_sent_comes_back(tmp_path: Path, api: httpx.Client) -> None:
    created = api.post("/api/sessions", json={"title": "Mine", "agent": "tour"}).json()["id"]
    document = api.get(f"/api/sessions/{created}/export", params={"format": "json"})
    assert document.headers["content-disposition"] == f'attachment; filename="mine-{created}.json"'
    report = finished(api, api.post("/api/import/upload", params={"kind": "holdfast"}, content=document.content))
    assert [taken["title"] for taken in report["taken"]] == ["Mine"]
    assert len(api.get("/api/sessions").json()["sessions"]) == 2
    assert not list((tmp_path / "home" / "imports").glob("*.upload"))
    bad = finished(api, api.post("/api/import/upload", params={"kind": "open-webui"}, content=b"no JSON"))
    assert (bad["state"], "no export of chats" in bad["error"]) == ("failed", True)


def test_everything_is_exported_as_an_archive(api: httpx.Client) -> None:
    api.post("/api/sessions", json={"title": "One", "agent": "tour"})
    for kind in ("md", "html", "json"):
        body = api.get("/api/export", params={"format": kind}).content
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            assert [name.rpartition(".")[2] for name in archive.namelist()] == [kind]
    assert api.get("/api/export", params={"format": "exe"}).status_code == 400
    assert api.get("/api/sessions/none/export").status_code == 404


def test_one_turn_is_exported_alone(api: httpx.Client) -> None:
    created = api.post("/api/sessions", json={"title": "Two turns"}).json()["id"]
    wish = f"/api/sessions/{created}/export"
    assert api.get(wish, params={"format": "html", "turn": "t1"}).status_code == 404
    assert api.get(wish, params={"format": "html", "turn": "../x"}).status_code == 400
    refused = api.get(wish, params={"format": "json", "turn": "t1"})
    assert (refused.status_code, "whole session" in refused.json()["error"]) == (400, True)


def test_nothing_of_this_is_open(server: Served) -> None:
    with httpx.Client(base_url=server.link) as stranger:
        for path in ("/api/export", "/api/imports", "/api/sessions/x/export", "/api/agents/hermes/sessions"):
            assert stranger.get(path).status_code == 401
        assert stranger.post("/api/import", json={"kind": "hermes-webui"}).status_code == 401
        assert stranger.post("/api/import/upload?kind=holdfast", content=b"x").status_code == 401
