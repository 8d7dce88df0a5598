"""Files over real HTTP: stored once, read back byte for byte, never served as anything that could run."""

import hashlib

import httpx
import pytest

from holdfast.core.ids import SessionId
from tests.served import Served

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def store(
    client: httpx.Client, content: bytes, name: str = "a picture.png", media_type: str = "image/png"
) -> httpx.Response:
    return client.post("/api/files", params={"name": name}, content=content, headers={"content-type": media_type})


def test_a_file_is_named_by_its_content_and_read_back_as_it_was(client: httpx.Client) -> None:
    answer = store(client, PICTURE)
    assert answer.status_code == 201
    blob = hashlib.sha256(PICTURE).hexdigest()
    assert answer.json() == {
        "name": "a picture.png",
        "blob": blob,
        "media_type": "image/png",
        "size": len(PICTURE),
    }
    assert client.get(f"/api/files/{blob}").content == PICTURE


def test_a_file_is_never_served_as_what_it_says_it_is(client: httpx.Client) -> None:
    blob = store(client, b"<script>alert(1)</script>", "x.html", "text/html").json()["blob"]
    answer = client.get(f"/api/files/{blob}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_stored_file_goes_with_a_message(client: httpx.Client, session: SessionId) -> None:
    attachment = store(client, PICTURE).json()
    client.post(f"/api/sessions/{session}/turns", json={"id": "t1", "attachments": [attachment]}).raise_for_status()
    turn = client.get(f"/api/sessions/{session}").json()["session"]["turns"]["t1"]
    assert turn["message"]["attachments"] == [attachment]


@pytest.mark.parametrize("blob", ["0" * 64, "nothing", "../../token"])
@pytest.mark.parametrize("way", [{}, {"mode": "steer"}, {"mode": "interrupt"}, {"replaces": "t0"}])
def test_a_message_with_a_file_that_is_not_there_is_refused(
    client: httpx.Client, session: SessionId, blob: str, way: dict[str, str]
) -> None:
    """And nothing is recorded. A run could only fail of it."""
    client.post(f"/api/sessions/{session}/turns", json={"id": "t0", "text": "first"}).raise_for_status()
    client.post(f"/api/sessions/{session}/turns/t0/cancel").raise_for_status()
    before = client.get(f"/api/sessions/{session}").json()
    files = [store(client, PICTURE).json(), {"name": "lost.txt", "blob": blob}]
    refused = client.post(f"/api/sessions/{session}/turns", json={"id": "t1", "text": "x", "attachments": files, **way})
    assert (refused.status_code, refused.json()["code"]) == (400, "FileMissing")
    assert "'lost.txt' is not on this server" in refused.json()["error"]
    assert client.get(f"/api/sessions/{session}").json() == before
    start = {"session_id": session, "message": "x", "attachments": files}
    assert client.post("/api/chat/start", json=start).status_code == 400
    assert client.get(f"/api/sessions/{session}").json() == before


def test_a_message_is_the_same_one_when_its_file_has_gone_meanwhile(
    server: Served, client: httpx.Client, session: SessionId
) -> None:
    attachment = store(client, b"short-lived").json()
    message = {"id": "t1", "text": "x", "attachments": [attachment]}
    first = client.post(f"/api/sessions/{session}/turns", json=message)
    (stored,) = server.home.rglob(attachment["blob"])
    stored.unlink()
    assert client.post(f"/api/sessions/{session}/turns", json=message).json() == first.json()


@pytest.mark.parametrize("content", [b"x" * 2_000_000])
def test_a_file_may_be_larger_than_other_requests(client: httpx.Client, content: bytes) -> None:
    assert store(client, content).json()["size"] == len(content)


def test_what_is_too_large_or_empty_or_nameless_is_refused(client: httpx.Client) -> None:
    assert store(client, b"").status_code == 400
    assert client.post("/api/files", content=b"x").status_code == 400
    large = store(client, b"x" * 25_000_001)
    assert (large.status_code, "25 MB" in large.json()["error"]) == (413, True)


@pytest.mark.parametrize("name", ["nothing", "0" * 64, "..%2f..%2ftoken"])
def test_there_is_no_other_file(client: httpx.Client, name: str) -> None:
    assert client.get(f"/api/files/{name}").status_code == 404


def test_files_are_for_who_is_signed_in(stranger: httpx.Client, server: Served) -> None:
    assert store(stranger, PICTURE).status_code == 401
    assert stranger.get(f"/api/files/{'0' * 64}").status_code == 401
    assert server.process.poll() is None
