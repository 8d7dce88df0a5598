"""Sessions over real HTTP: begun, listed, looked into, changed, deleted, found."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import SqliteStore
from tests.served import Served
from tests.store.stage import T1, T2, Run


def test_a_session_gets_an_id_or_keeps_the_one_that_was_chosen(client: httpx.Client) -> None:
    given = client.post("/api/sessions", json={})
    assert given.status_code == 201
    assert re.fullmatch("[0-9a-z]{16}", given.json()["id"])
    chosen = client.post("/api/sessions", json={"id": "mine", "title": " My\n own "})
    assert chosen.json() == {"id": "mine", "seq": 1, "created": True}
    assert client.get("/api/sessions/mine").json()["session"]["title"] == "My own"


@pytest.mark.contract("G4")
def test_the_same_creation_again_changes_nothing_and_another_is_refused(client: httpx.Client) -> None:
    wish = {"id": "twice", "title": "One"}
    assert client.post("/api/sessions", json=wish).status_code == 201
    again = client.post("/api/sessions", json=wish)
    assert (again.status_code, again.json()["created"]) == (200, False)
    other = client.post("/api/sessions", json={**wish, "title": "Two"})
    assert (other.status_code, other.json()["code"]) == (409, "SessionExists")


@pytest.mark.parametrize("predecessor", [None, ""])
@pytest.mark.contract("M9")
def test_an_empty_predecessor_is_none(client: httpx.Client, predecessor: str | None) -> None:
    made = client.post("/api/sessions", json={"predecessor": predecessor})
    assert made.status_code == 201
    assert "predecessor" not in client.get(f"/api/sessions/{made.json()['id']}").json()["session"]


@pytest.mark.parametrize(
    "wish",
    [
        {"id": "house"},
        {"id": "a/b"},
        {"id": "x" * 65},
        {"title": "x" * 201},
        {"tags": ["x"] * 21},
        {"tags": [""]},
        {"unknown": 1},
        {"title": 5},
        [],
        None,
    ],
)
def test_what_can_not_be_is_refused_with_a_sentence(client: httpx.Client, wish: object) -> None:
    answer = client.post("/api/sessions", json=wish)
    assert answer.status_code == 400
    assert set(answer.json()) == {"error", "code"}
    assert answer.json()["error"]


@pytest.mark.parametrize("place", ["", "/workspaces", "/store", "/workspaces/../logs", "/new", "/link-to-home"])
def test_no_session_works_in_the_home(client: httpx.Client, server: Served, session: SessionId, place: str) -> None:
    """Whoever could work there could read the token: refused wherever a folder can be named, in a sentence."""
    (server.home.with_name("link-to-home")).unlink(missing_ok=True)
    (server.home.with_name("link-to-home")).symlink_to(server.home)
    folder = str(server.home.with_name("link-to-home")) if place == "/link-to-home" else f"{server.home}{place}"
    asked = [
        client.post("/api/sessions", json={"workspace": folder}),
        client.patch(f"/api/sessions/{session}", json={"workspace": folder}),
        client.put("/api/defaults", json={"workspace": folder}),
        client.post("/api/session/new", json={"workspace": folder}),
        client.post("/api/session/update", json={"session_id": session, "workspace": folder}),
        client.post("/api/chat/start", json={"session_id": session, "message": "x", "workspace": folder}),
    ]
    for answer in asked:
        assert answer.status_code == 400, answer.request.url
        assert "belongs to Holdfast itself" in answer.json()["error"]
    own = f"{server.home}/workspaces/own"
    assert client.post("/api/sessions", json={"workspace": own}).status_code == 201


@pytest.mark.parametrize("folder", ["/tmp/a\0b", "~nobody-of-that-name/x"])
def test_what_can_be_no_folder_is_refused_wherever_one_can_be_named(
    client: httpx.Client, session: SessionId, folder: str
) -> None:
    """In a sentence; a run that began there would end with its runner."""
    for answer in (
        client.post("/api/sessions", json={"workspace": folder}),
        client.patch(f"/api/sessions/{session}", json={"workspace": folder}),
        client.put("/api/defaults", json={"workspace": folder}),
        client.post("/api/session/new", json={"workspace": folder}),
        client.post("/api/chat/start", json={"session_id": session, "message": "x", "workspace": folder}),
    ):
        assert answer.status_code == 400, answer.request.url
        assert "can't be a folder to work in" in answer.json()["error"]
    assert client.get("/api/starters", params={"workspace": folder}).json() == {"starters": []}


def test_a_body_that_is_no_json_or_too_large_is_refused(client: httpx.Client) -> None:
    assert client.post("/api/sessions", content=b"{").status_code == 400
    large = client.post("/api/sessions", content=b'{"title": "' + b"x" * 1_100_000 + b'"}')
    assert large.status_code == 413
    assert large.json()["error"] == "The request is too large. At most 1 MB are taken."


async def test_what_stands_on_top_is_found_however_long_ago_it_was_active(
    api: httpx.AsyncClient, store: SqliteStore
) -> None:
    names = [(await api.post("/api/sessions", json={"title": f"n{number}"})).json()["id"] for number in range(4)]
    await api.patch(f"/api/sessions/{names[0]}", json={"pinned": True})
    await Run.claim(store, SessionId(names[1]))
    found = (await api.get("/api/sessions", params={"on_top": True})).json()["sessions"]
    assert {row["id"] for row in found} == {names[0], names[1]}


def test_sessions_are_listed_newest_activity_first_and_page_by_page(client: httpx.Client) -> None:
    names = [f"page-{n}" for n in range(5)]
    for name in names:
        client.post("/api/sessions", json={"id": name, "project": "pages", "tags": ["t"] if name == "page-2" else []})
    found: list[str] = []
    cursor = ""
    while True:
        answer = client.get("/api/sessions", params={"project": "pages", "limit": 2, "cursor": cursor}).json()
        found += [row["id"] for row in answer["sessions"]]
        cursor = answer["cursor"]
        if cursor is None:
            break
    assert found == names[::-1]
    tagged = client.get("/api/sessions", params={"project": "pages", "tag": "t"}).json()["sessions"]
    assert [row["id"] for row in tagged] == ["page-2"]
    assert client.get("/api/sessions", params={"cursor": "x"}).status_code == 400
    assert client.get("/api/sessions", params={"limit": 0}).status_code == 400


def test_a_change_sets_what_is_given_and_leaves_the_rest(client: httpx.Client, session: SessionId) -> None:
    address = f"/api/sessions/{session}"
    answer = client.patch(address, json={"title": "New", "pinned": True, "tags": ["a"], "project": "p", "model": "m"})
    assert answer.json() == {"session": session, "seq": 3}
    client.patch(address, json={"archived": True, "agent": "tour", "mode": "plan", "workspace": "/tmp", "seen": 2})
    state = client.get(address).json()["session"]
    assert {name: state[name] for name in ("title", "pinned", "tags", "project", "model", "agent", "mode", "seen")} == {
        "title": "New",
        "pinned": True,
        "tags": ["a"],
        "project": "p",
        "model": "m",
        "agent": "tour",
        "mode": "plan",
        "seen": 2,
    }
    listed = client.get("/api/sessions", params={"archived": True, "q": "new"}).json()["sessions"]
    assert [row["id"] for row in listed] == [session]
    assert client.patch(address, json={}).json()["seq"] == 4
    assert client.patch(address, json={"seen": 2}).json()["seq"] == 4
    assert client.patch(address, json={"seen": 3}).json()["seq"] == 5
    assert client.patch(address, json={"title": " "}).status_code == 400


@pytest.mark.parametrize(
    "unusable",
    [{"workspace": "the home"}, {"project": "one\ntwo"}, {"add_tags": [f"{n}" for n in range(20)]}, {"tags": ["a\tb"]}],
)
def test_a_change_that_is_refused_changes_nothing(
    server: Served, client: httpx.Client, session: SessionId, unusable: dict[str, Any]
) -> None:
    """Whichever part of it can't be had."""
    address = f"/api/sessions/{session}"
    client.patch(address, json={"title": "Kept", "tags": ["one"]})
    before = client.get(address).json()
    if "workspace" in unusable:
        unusable = {"workspace": str(server.home)}
    for wanted in (unusable | {"title": "New", "pinned": True, "model": "m"}, {"title": " ", "pinned": True}):
        assert client.patch(address, json=wanted).status_code == 400
        assert client.get(address).json() == before


def test_a_deleted_session_takes_no_command_until_it_is_restored(client: httpx.Client, session: SessionId) -> None:
    address = f"/api/sessions/{session}"
    assert client.delete(address).status_code == 200
    assert client.get(address).status_code == 404
    assert client.patch(address, json={"title": "x"}).status_code == 404
    assert client.post(f"{address}/turns", json={"id": "t1", "text": "x"}).status_code == 404
    bin_ids = [row["id"] for row in client.get("/api/sessions", params={"deleted": True}).json()["sessions"]]
    assert session in bin_ids
    assert client.post(f"{address}/restore").status_code == 200
    assert client.get(address).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/sessions/nobody"),
        ("GET", "/api/sessions/nobody/pages/1"),
        ("GET", "/api/sessions/nobody/asks"),
        ("DELETE", "/api/sessions/nobody"),
        ("POST", "/api/sessions/nobody/restore"),
        ("POST", "/api/sessions/nobody/release"),
        ("POST", "/api/sessions/nobody/turns/t1/cancel"),
    ],
)
def test_a_session_that_is_not_there_is_said_so(client: httpx.Client, method: str, path: str) -> None:
    answer = client.request(method, path)
    assert answer.status_code == 404
    assert answer.json() == {
        "error": "There is no session nobody. It may have been deleted: look in the list of sessions.",
        "code": "NoSuchSession",
    }


async def test_a_long_session_is_read_page_by_page(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    for number in range(120):
        await run.talk(e.TurnId(f"t{number}"), f"question {number}", f"answer {number}")
    snapshot = (await api.get(f"/api/sessions/{session}")).json()
    assert snapshot["pages"] > 1
    assert snapshot["page"]["number"] == snapshot["pages"]
    texts: list[str] = []
    for number in range(1, snapshot["pages"] + 1):
        page = (await api.get(f"/api/sessions/{session}/pages/{number}")).json()
        texts += [entry["item"]["text"] for entry in page["items"] if entry["item"]["type"] == "text"]
    texts += [item["text"] for turn in snapshot["session"]["turns"].values()
              for item in turn.get("items", {}).values() if item["type"] == "text"]  # fmt: skip
    assert texts == [f"answer {number}" for number in range(120)]
    assert (await api.get(f"/api/sessions/{session}/pages/999")).json() == {"number": 999, "items": []}
    for number in (2**63, -1, -(2**63) - 1):
        refused = await api.get(f"/api/sessions/{session}/pages/{number}")
        assert (refused.status_code, refused.json()["code"]) == (400, "Unusable")


async def test_an_item_gives_the_page_that_it_lies_on(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """A link to a message of a long session is followed at once, however far back it leads."""
    run = await Run.claim(store, session)
    for number in range(120):
        await run.talk(e.TurnId(f"t{number}"), f"question {number}", f"answer {number}")
    pages = [(await api.get(f"/api/sessions/{session}/turns/{turn}/page")).json() for turn in ("t0", "t70")]
    assert pages[0]["number"] == 1
    assert pages[1] == (await api.get(f"/api/sessions/{session}/pages/{pages[1]['number']}")).json()
    assert "question 70" in [entry["item"].get("text") for entry in pages[1]["items"]]
    for path in ("turns/t0/page?k=99", "turns/nothing/page"):
        nowhere = await api.get(f"/api/sessions/{session}/{path}")
        assert (nowhere.status_code, nowhere.json()["code"]) == (404, "NotSettled")


async def test_what_was_said_is_found(api: httpx.AsyncClient, store: SqliteStore, session: SessionId) -> None:
    run = await Run.claim(store, session)
    await run.talk(T1, "Where is the barnacle?", "On the hull.")
    await run.talk(T2, "And now?", "Nowhere.")
    hits = (await api.get("/api/search", params={"q": "barnac"})).json()["hits"]
    assert [(hit["session"], hit["turn"]) for hit in hits] == [(session, T1)]
    assert (await api.get("/api/search", params={"q": "barnac", "session": "other"})).json()["hits"] == []


async def test_what_was_said_in_one_session_is_found_where_it_lies(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    for number in range(120):
        await run.talk(e.TurnId(f"t{number}"), f"question {number}", f"**An** answer {number}")
    address = f"/api/sessions/{session}/find"
    found = (await api.get(address, params={"q": "an answer 7"})).json()["found"]
    assert [hit["turn"] for hit in found] == [f"t{number}" for number in (*range(79, 69, -1), 7)]
    page = (await api.get(f"/api/sessions/{session}/pages/{found[-1]['page']}")).json()
    assert "t7" in [entry["item"]["turn"] for entry in page["items"]]
    once = (await api.get(address, params={"q": "an", "cursor": "2.0.0"})).json()["found"]
    assert [(hit["turn"], hit["count"]) for hit in once] == [("t0", 2)], "an answer holds it twice"
    assert (await api.get(address, params={"q": "x" * 201})).status_code == 400
    assert (await api.get(address, params={"q": "x", "cursor": "nonsense"})).status_code == 400
    assert (await api.get("/api/sessions/nobody/find", params={"q": "x"})).status_code == 404


@pytest.mark.contract("R3")
async def test_a_read_of_a_session_that_is_being_recovered_nudges_and_writes_nothing(
    server: Served, api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T1)
    await run.write(e.TurnEnded(turn=T1, outcome="interrupted"), e.RecoveryPending(turn=T1))
    nudged = server.home / "nudges"
    before = count(nudged, session)
    first, second = [(await api.get(f"/api/sessions/{session}")).json() for _ in range(2)]
    assert first == second
    assert count(nudged, session) == before + 2


def count(path: Path, session: str) -> int:
    return path.read_text().split().count(session) if path.exists() else 0


async def test_a_truncated_history_loses_its_end_however_long_ago_it_was_settled(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    for number in range(80):
        await run.talk(e.TurnId(f"t{number}"), f"question {number}", f"answer {number}")
    address = f"/api/sessions/{session}/truncate"
    done = await api.post(address, json={"turn": "t3"})
    assert done.status_code == 200, done.text
    page = (await api.get(f"/api/sessions/{session}/pages/1")).json()
    assert {entry["item"]["turn"] for entry in page["items"]} == {"t0", "t1", "t2"}
    assert (await api.post(address, json={"turn": "nobody"})).status_code == 404
    await run.start(e.TurnId("t99"))
    running = await api.post(address, json={})
    assert (running.status_code, running.json()["code"]) == (409, "NotNow")


async def test_a_fork_has_what_was_said_up_to_its_turn(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """It is a session of its own, listed, found by its words, with what was chosen; the first one stays as it was."""
    run = await Run.claim(store, session)
    for number in range(60):
        await run.talk(e.TurnId(f"t{number}"), f"question{number}", f"answer{number}")
    await api.patch(f"/api/sessions/{session}", json={"tags": ["blue"], "project": "sea", "pinned": True})
    before = (await api.get(f"/api/sessions/{session}")).json()
    address, wish = f"/api/sessions/{session}/fork", {"turn": "t40", "id": f"{session}-fork"}
    made = await api.post(address, json=wish)
    assert (made.status_code, made.json()["id"]) == (201, wish["id"]), made.text
    assert (await api.post(address, json=wish)).json()["created"] is False
    fork = (await api.get(f"/api/sessions/{wish['id']}")).json()
    state = fork["session"]
    assert (state["title"], state["tags"], state["project"], state["numbered"]) == (
        "A title (fork)",
        ["blue"],
        "sea",
        41,
    )
    assert not {"pinned", "alive", "conversation", "queue", "rules", "asks"} & state.keys()
    assert fork["page"]["items"][-1]["item"]["turn"] == "t40"
    found = (await api.get("/api/search", params={"q": "answer40", "session": wish["id"]})).json()["hits"]
    assert [hit["turn"] for hit in found] == ["t40"]
    assert (await api.get("/api/search", params={"q": "answer41", "session": wish["id"]})).json()["hits"] == []
    assert (await api.get(f"/api/sessions/{session}")).json() == before


async def test_only_what_is_over_and_there_can_be_forked(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """While a later turn runs and asks, an earlier one can: nothing of the run comes with it."""
    run = await Run.claim(store, session)
    await run.talk(T1, "one", "first")
    await run.start(T2)
    await run.write(e.ApprovalRequested(ask=e.AskId("may"), turn=T2, command="rm -r build"))
    address = f"/api/sessions/{session}/fork"
    refused = await api.post(address, json={"turn": T2})
    assert (refused.status_code, refused.json()["code"]) == (409, "NotNow")
    assert (await api.post(address, json={"turn": "nobody"})).status_code == 404
    assert (await api.post("/api/sessions/nobody/fork", json={"turn": T1})).status_code == 404
    made = (await api.post(address, json={"turn": T1})).json()
    state = (await api.get(f"/api/sessions/{made['id']}")).json()["session"]
    assert not {"asks", "running", "alive", "queue"} & state.keys()
    assert (await api.get(f"/api/sessions/{session}")).json()["session"]["running"] == T2
