"""Agents and endpoints over real HTTP: listed at once, checked for real, chosen; a key goes in and never comes out."""

import json
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.served import PATIENCE_SECONDS, Served, served
from tests.server.unsupervised import COMMAND

Json = dict[str, Any]
CHOOSER = Path(__file__).parents[1] / "agents" / "programs" / "chooser.py"
KEY = "sk-a-key-that-nobody-may-ever-see-again"
CONFIG = f"""
[agents.chooser]
title = "Chooser"
command = {json.dumps([sys.executable, str(CHOOSER), "states"])}

[agents.broken]
command = {json.dumps([sys.executable, "-c", "raise SystemExit('I have no licence.')"])}

[agents.missing]
command = ["no-such-program-anywhere"]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    home.chmod(0o700)
    (home / "config.toml").write_text(CONFIG)
    with served(home, command=COMMAND) as server:
        yield server


def looked(client: httpx.Client) -> Json:
    """The list, once no look goes on."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (found := client.get("/api/agents").json())["looking"]:
        assert time.monotonic() < deadline, "the look does not end"
        time.sleep(0.05)
    return found


def agent(client: httpx.Client, name: str) -> Json:
    return next(agent for agent in looked(client)["agents"] if agent["name"] == name)


def test_every_agent_is_listed_with_a_sentence_if_it_is_not_ready(client: httpx.Client) -> None:
    found = looked(client)
    names = [agent["name"] for agent in found["agents"]]
    assert {"hermes", "builtin", "tour", "opencode", "chooser", "missing"} <= set(names)
    assert found["default"] == "tour"
    for each in found["agents"]:
        assert each["ready"] or each["reason"].endswith((".", "`")), each
    assert agent(client, "tour")["ready"]
    assert agent(client, "chooser")["title"] == "Chooser"
    assert "no-such-program-anywhere is not there" in agent(client, "missing")["reason"]
    assert agent(client, "builtin")["reason"] == (
        "It has no model yet. Add an endpoint in Settings, and choose its models."
    )


def test_an_agent_is_checked_by_starting_it(client: httpx.Client) -> None:
    checked = client.post("/api/agents/chooser/check").json()
    assert checked["ready"]
    models = [model["id"] for model in agent(client, "chooser")["models"]]
    assert models == ["small", "large"]
    refused = client.post("/api/agents/broken/check").json()
    assert not refused["ready"]
    assert "broken can't be used" in refused["reason"]
    assert not agent(client, "broken")["ready"]
    assert client.post("/api/agents/nobody/check").status_code == 404


def test_a_new_session_gets_what_was_chosen_for_all_and_keeps_it(client: httpx.Client) -> None:
    chosen = client.put("/api/defaults", json={"model": "small", "workspace": "/tmp"}).json()
    assert chosen["defaults"] == {"agent": "", "model": "small", "mode": "", "workspace": "/tmp"}
    made = client.post("/api/sessions", json={}).json()["id"]
    other = client.post("/api/sessions", json={"agent": "chooser", "model": "large", "workspace": "/"}).json()["id"]
    client.put("/api/defaults", json={"model": "", "workspace": ""})
    session = client.get(f"/api/sessions/{made}").json()["session"]
    assert (session["agent"], session["model"], session["workspace"]) == ("tour", "small", "/tmp")
    session = client.get(f"/api/sessions/{other}").json()["session"]
    assert (session["agent"], session["model"], session["workspace"]) == ("chooser", "large", "/")


def test_a_session_that_somebody_is_about_to_write_to_is_woken(client: httpx.Client, server: Served) -> None:
    made = client.post("/api/sessions", json={}).json()["id"]
    assert client.post(f"/api/sessions/{made}/wake").status_code == 202
    assert made in (server.home / "nudges").read_text()
    assert client.post("/api/sessions/nobody/wake").status_code == 404


class Models(BaseHTTPRequestHandler):
    """An endpoint that serves two models to whoever has the key."""

    def do_GET(self) -> None:
        allowed = self.headers.get("Authorization") == f"Bearer {KEY}"
        body = json.dumps({"data": [{"id": "one"}, {"id": "org/two"}]}).encode()
        self.send_response(200 if allowed else 401)
        self.end_headers()
        self.wfile.write(body if allowed else b"{}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        """Quiet."""


@contextmanager
def serving() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Models) as models:
        threading.Thread(target=models.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{models.server_port}/v1"
        models.shutdown()


def test_an_endpoint_is_tried_saved_used_and_forgotten_and_its_key_never_comes_out(
    client: httpx.Client, server: Served
) -> None:
    with serving() as address:
        refused = client.post("/api/endpoints/try", json={"base_url": address}).json()
        assert (refused["models"], "It wants a key" in refused["reason"]) == ([], True)
        tried = client.post("/api/endpoints/try", json={"base_url": address, "key": KEY}).json()
        assert tried == {"models": ["one", "org/two"], "reason": ""}
        saved = client.put(
            "/api/endpoints/mine",
            json={"base_url": address, "key": KEY, "models": tried["models"], "default_model": "org/two"},
        )
        assert [(each["name"], each["has_key"]) for each in saved.json()["endpoints"]] == [("mine", True)]
        builtin = agent(client, "builtin")
        assert builtin["ready"]
        assert builtin["model"] == "mine/org/two"
        assert [model["id"] for model in builtin["models"]] == ["mine/org/two", "mine/one"]
        again = client.post("/api/endpoints/try", json={"base_url": address, "name": "mine"}).json()
        assert again["models"] == ["one", "org/two"], "the key that is there is used"
        kept = client.put("/api/endpoints/mine", json={"base_url": address, "models": ["one"]})
        assert kept.json()["endpoints"][0]["has_key"], "what is not given stays"
        for answer in (saved, kept, client.get("/api/endpoints"), client.get("/api/agents")):
            assert KEY not in answer.text
    with serving() as elsewhere:
        stolen = client.post("/api/endpoints/try", json={"base_url": elsewhere, "name": "mine"}).json()
        assert "It wants a key" in stolen["reason"], "a key is only sent to where it is meant for"
        moved = client.put("/api/endpoints/mine", json={"base_url": elsewhere, "models": ["one"]})
        assert not moved.json()["endpoints"][0]["has_key"]
    assert (server.home / "endpoints.json").stat().st_mode & 0o777 == 0o600
    assert client.delete("/api/endpoints/mine").json() == {"endpoints": []}
    assert client.delete("/api/endpoints/mine").status_code == 404
    assert not agent(client, "builtin")["ready"]


def test_an_endpoint_may_be_called_like_what_is_done_with_endpoints(client: httpx.Client) -> None:
    saved = client.put("/api/endpoints/try", json={"base_url": "http://127.0.0.1:1/v1"})
    assert [each["name"] for each in saved.json()["endpoints"]] == ["try"]
    assert client.delete("/api/endpoints/try").json() == {"endpoints": []}


@pytest.mark.parametrize(
    "scheme", ["file://", "FILE://", "file://localhost", "ftp://localhost", "data:,", "local_file:"]
)
def test_an_endpoint_that_is_tried_is_one_of_the_web(client: httpx.Client, tmp_path: Path, scheme: str) -> None:
    """A file that looks like an answer is none."""
    (tmp_path / "models").write_text('{"data": [{"id": "leaked"}]}')
    tried = client.post("/api/endpoints/try", json={"base_url": f"{scheme}{tmp_path}"}).json()
    assert tried["models"] == []
    assert "is no http or https address" in tried["reason"]


@pytest.mark.parametrize(
    ("name", "wish"),
    [
        ("a b", {"base_url": "http://127.0.0.1:1/v1"}),
        ("mine", {"base_url": "ftp://127.0.0.1"}),
        ("mine", {"base_url": "http://127.0.0.1:1/v1", "key": "two words"}),
    ],
)
def test_what_can_not_be_an_endpoint_is_refused_with_a_sentence(client: httpx.Client, name: str, wish: Json) -> None:
    answer = client.put(f"/api/endpoints/{name}", json=wish)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")


def test_a_folder_tells_what_could_be_asked_first(client: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "README.md").touch()
    (tmp_path / ".git").mkdir()

    def asked(workspace: str) -> list[str]:
        answer = client.get("/api/starters", params={"workspace": workspace}).raise_for_status()
        return [starter["kind"] for starter in answer.json()["starters"]]

    assert asked(str(tmp_path)) == ["readme", "history", "look"]
    assert asked(str(tmp_path / "nowhere")) == asked("relative") == asked("") == []
