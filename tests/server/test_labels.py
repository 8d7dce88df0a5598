"""Projects and tags over real HTTP: set, bounded, listed by, counted, seen live."""

import io
import zipfile
from typing import Any

import httpx
import pytest

from tests.server.live import live


def begin(client: httpx.Client, name: str, **wish: Any) -> str:
    assert client.post("/api/sessions", json={"id": name, **wish}).status_code == 201
    return f"/api/sessions/{name}"


def labels(client: httpx.Client, address: str) -> tuple[str, list[str]]:
    state = client.get(address).json()["session"]
    return state.get("project", ""), state.get("tags", [])


def listed(client: httpx.Client, *params: tuple[str, str]) -> list[str]:
    return [row["id"] for row in client.get("/api/sessions", params=params).json()["sessions"]]


def test_names_are_trimmed_and_a_tag_is_there_once(client: httpx.Client) -> None:
    address = begin(client, "trim", project=" Harbour  wall ", tags=[" a", "b ", "a"])
    assert labels(client, address) == ("Harbour  wall", ["a", "b"])
    client.patch(address, json={"project": " ", "tags": ["c", " c "]})
    assert labels(client, address) == ("", ["c"])


def test_tags_are_added_and_removed_without_touching_the_others(client: httpx.Client) -> None:
    address = begin(client, "some", tags=["a", "b"])
    client.patch(address, json={"add_tags": ["c", "a"], "remove_tags": ["b", "nowhere"]})
    assert labels(client, address) == ("", ["a", "c"])
    client.patch(address, json={"remove_tags": ["a", "c"]})
    assert labels(client, address) == ("", [])


@pytest.mark.parametrize(
    "change",
    [
        {"project": "a\u202eb"},
        {"project": "a\nb"},
        {"project": "\x07"},
        {"project": "x" * 201},
        {"tags": ["a\u200fb"]},
        {"tags": ["a\tb"]},
        {"tags": [" "]},
        {"tags": ["x" * 51]},
        {"tags": [f"t{n}" for n in range(21)]},
        {"tags": "word"},
        {"add_tags": ["\u2066x"]},
        {"add_tags": ["one more"]},
        {"add_tags": [""]},
    ],
)
def test_what_can_be_no_label_is_refused_in_a_sentence_and_changes_nothing(
    client: httpx.Client, request: pytest.FixtureRequest, change: dict[str, Any]
) -> None:
    full = [f"t{n}" for n in range(20)]
    address = begin(client, f"full-{abs(hash(request.node.name))}", project="p", tags=full)
    answer = client.patch(address, json=change)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")
    assert labels(client, address) == ("p", full)


def test_a_new_session_is_held_to_the_same(client: httpx.Client) -> None:
    for wish in ({"project": "a\u202eb"}, {"tags": ["a\nb"]}, {"tags": ["  "]}):
        assert client.post("/api/sessions", json=wish).status_code == 400
    for project in ("a\u202eb", "a\nb"):
        assert client.post("/api/session/new", json={"project_id": project}).status_code == 400
    begin(client, "moved")
    assert client.post("/api/session/move", json={"session_id": "moved", "project_id": "\u202e"}).status_code == 400
    assert client.post("/api/session/move", json={"session_id": "moved", "project_id": " Sea "}).status_code == 200
    assert listed(client, ("project", "Sea")) == ["moved"]


def test_every_tag_that_is_named_is_asked_for_and_pages_go_on(client: httpx.Client) -> None:
    for number in range(6):
        begin(
            client, f"f{number}", project="filter" if number else "", tags=["even", "n"] if number % 2 == 0 else ["n"]
        )
    assert listed(client, ("tag", "n"), ("tag", "even")) == ["f4", "f2", "f0"]
    assert listed(client, ("tag", "n"), ("tag", "even"), ("project", "filter")) == ["f4", "f2"]
    assert listed(client, ("tag", "n"), ("tag", "nowhere")) == []
    assert listed(client, ("tag", "' OR 1=1 --")) == []
    found: list[str] = []
    cursor = ""
    while cursor is not None:
        page = client.get("/api/sessions", params={"tag": "n", "limit": 2, "cursor": cursor}).json()
        found += [row["id"] for row in page["sessions"]]
        cursor = page["cursor"]
    assert found == [f"f{number}" for number in reversed(range(6))]
    many = client.get("/api/sessions", params=[("tag", str(n)) for n in range(21)])
    assert many.status_code == 400


def test_labels_are_counted_over_the_list(client: httpx.Client) -> None:
    begin(client, "c1", project="Counted", tags=["counted"])
    begin(client, "c2", project="Counted", tags=["counted", "once"])
    client.patch(begin(client, "c3", project="Counted", tags=["counted"]), json={"archived": True})
    client.delete(begin(client, "c4", project="Counted", tags=["counted"]))
    found = client.get("/api/labels").json()
    assert {"name": "Counted", "sessions": 2} in found["projects"]
    assert {"name": "counted", "sessions": 2} in found["tags"]
    assert {"name": "once", "sessions": 1} in found["tags"]
    assert [label["sessions"] for label in found["tags"]] == sorted(
        (t["sessions"] for t in found["tags"]), reverse=True
    )


def test_labels_are_not_for_strangers(stranger: httpx.Client) -> None:
    assert stranger.get("/api/labels").status_code == 401


async def test_a_watcher_of_the_list_hears_what_a_session_is_filed_under(api: httpx.AsyncClient) -> None:
    """Whoever shows a part of the list sees from the row whether it belongs there now."""
    await api.post("/api/sessions", json={"id": "heard", "tags": ["before"]})
    change = (await api.get("/api/sessions", params={"limit": 1})).json()["change"]
    async with live(api, list=change) as stream:
        await api.patch("/api/sessions/heard", json={"project": "Live", "add_tags": ["now"], "remove_tags": ["before"]})
        row = (await stream.next("session")).data
        assert (row["id"], row["project"], row["tags"]) == ("heard", "Live", ["now"])
        await api.patch("/api/sessions/heard", json={"project": "", "tags": []})
        row = (await stream.next("session")).data
        assert (row["id"], row.get("project", ""), row.get("tags", [])) == ("heard", "", [])


def test_some_sessions_are_exported_in_one_archive(client: httpx.Client) -> None:
    for name in ("e1", "e2", "e3"):
        begin(client, name, title=f"Exported {name}")
    answer = client.get(
        "/api/export", params=[("format", "md"), ("session", "e1"), ("session", "e3"), ("session", "e1")]
    )
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["exported-e1-e1.md", "exported-e3-e3.md"]
    assert client.get("/api/export", params={"session": "nowhere"}).status_code == 404
    assert client.get("/api/export", params=[("session", str(n)) for n in range(201)]).status_code == 400
