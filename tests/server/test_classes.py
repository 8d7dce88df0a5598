"""The classes into which the flaws of this field's programs fall, one test each (SECURITY.md lists them).

Two of them need a page or a run, and are shown there: what a model says is harmless after markdown
(tests/browser/test_hostile.py), and what runs is what was approved (tests/journeys/test_secrets.py, A10).
"""

import io
import json
import socket
import tarfile
from pathlib import Path

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core import policy
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.core.items import Approval
from holdfast.outbound import NotSent, looked_up
from holdfast.server.links import Links
from holdfast.store import backup
from holdfast.store.sqlite.store import SqliteStore
from holdfast.workspace.files import OutOfBounds, Workspace
from tests.served import PATIENCE_SECONDS, Served, served
from tests.server.dialect.system import APPROVALS, T1, begun
from tests.server.live import listening
from tests.server.test_streaming_routes import KNOWN
from tests.server.unsupervised import COMMAND

CLASSES = 14
SECURITY = Path(__file__).parents[2] / "SECURITY.md"


def test_every_class_is_listed_with_a_test_that_exists() -> None:
    rows = [line for line in SECURITY.read_text("utf-8").splitlines() if line.startswith("| ") and "::test_" in line]
    assert len(rows) == CLASSES
    for row in rows:
        place, _, name = row.rpartition("`tests/")[2].rstrip("` |").partition("::")
        assert f"def {name}(" in (SECURITY.parent / "tests" / place).read_text("utf-8"), row


async def test_class_01_the_id_of_a_stream_is_no_right_to_it(
    server: Served, api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """To know a session's id opens nothing, and a stream of one session never shows another's."""
    async with httpx.AsyncClient(base_url=server.link) as stranger:
        assert (await stranger.get("/api/approval/stream", params={"session_id": session})).status_code == 401
        assert (await stranger.get("/api/stream", params={"follow": f"{session}:0"})).status_code == 401
    other = SessionId((await api.post("/api/sessions", json={})).json()["id"])
    async with listening(api, "/api/approval/stream", ("session_id", session)) as stream:
        assert (await stream.next()).data["pending_count"] == 0
        await begun(store, other, APPROVALS.ask("theirs"))
        await begun(store, session, APPROVALS.ask("ours"))
        assert (await stream.next("approval")).data["pending"]["approval_id"] == "ours"


def test_class_02_a_page_elsewhere_gets_nothing_from_this_machine(stranger: httpx.Client, client: httpx.Client) -> None:
    """Loopback is no credential, and no answer lets another origin read it."""
    evil = {"origin": "https://evil.example"}
    for method, path in (("GET", "/api/sessions"), ("POST", "/api/sessions"), ("OPTIONS", "/api/sessions")):
        assert stranger.request(method, path).status_code == 401
        answer = client.request(method, path, headers=evil)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


def test_class_04_nobody_can_take_a_new_house_before_its_owner(tmp_path: Path) -> None:
    """There is no first-run page: the only ways in are the token and a link, which only the owner's files hold."""
    with served(tmp_path, command=COMMAND) as server, httpx.Client(base_url=server.link) as first:
        assert first.get("/api/status").json()["setup_mode"] is False
        assert first.put("/api/account/password", json={"password": "mine from now on"}).status_code == 401
        assert first.post("/api/sign-in", json={"password": "mine from now on"}).status_code == 403
        assert first.post("/api/sign-in", json={"password": ""}).status_code == 403
        assert first.post("/api/account/token").status_code == 401


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/tmp/evil",
        "store/../../evil",
        "blobs/link",
        "blobs/aa/link",
        "token",
        "store/evil.db",
        "blobs/a/evil",
    ],
)
def test_class_05_a_hostile_backup_writes_nothing_outside_and_over_nothing(tmp_path: Path, name: str) -> None:
    source, home = tmp_path / "hostile.tar", tmp_path / "home"
    with tarfile.open(source, "w") as archive:
        member = tarfile.TarInfo(name)
        if name.endswith("link"):
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
        else:
            member.size = 4
            archive.addfile(member, io.BytesIO(b"evil"))
    with pytest.raises(backup.NoBackup):
        backup.restore(source, home)
    assert [path.name for path in tmp_path.rglob("*")] == ["hostile.tar", "home"] or list(home.iterdir()) == []
    assert not (tmp_path / "evil").exists()
    (home / "store").mkdir(parents=True)
    with pytest.raises(backup.HomeInUse):
        backup.restore(source, home)


async def test_class_06_an_answer_to_other_bytes_than_were_shown_answers_nothing(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    shown = policy.digest("ls", "", "/tmp", ())
    asked = e.ApprovalRequested(ask=AskId("a"), turn=T1, command="rm -r /", digest="0" * 64)
    await begun(store, session, asked)
    path = f"/api/sessions/{session}/asks/a"
    assert (await api.post(path, json={"choice": "once", "digest": shown})).status_code == 409
    assert (await api.get(f"/api/sessions/{session}/asks")).json()["count"] == 1


@pytest.mark.parametrize("command", ["make test; rm -r ~", "make test\nrm -r ~", "make", " make test", "make  test"])
def test_class_07_what_was_allowed_allows_nothing_beside_it(command: str) -> None:
    """A rule without a pattern key is exactly its command in exactly its directory: no prefix, no part."""
    rule = e.Rule(id="r", agent="a", action="execute", command="make test", directory="/w", workspace="/w")

    def covered(command: str, directory: str = "/w") -> bool:
        ask = Approval(
            turn=TurnId("t"), k=1, time=0, ask=AskId("x"), command=command, directory=directory, agent="a",
            action="execute", workspace="/w",
        )  # fmt: skip
        return bool(policy.covering([rule], ask))

    assert covered("make test")
    assert not covered(command)
    assert not covered("make test", "/w/elsewhere")


PATHS = [
    f"{up}{target}"
    for up in ("../", "../../", "..%2f..%2f", "..%252f..%252f", "%2e%2e/", "....//", "..\\", "/", "./../", "x/../../")
    for target in ("token", "account.json", "etc/passwd", "store/store.db", ".ssh/id_ed25519")
]


def test_class_08_no_spelling_of_a_path_reads_a_file(client: httpx.Client, server: Served, tmp_path: Path) -> None:
    """Through every address that takes a name, through every field that does, and through the one resolver, links
    included. Addresses go over a bare socket: a client would tidy them up before it sends them."""
    assert len(set(PATHS)) >= 40
    files = {"account.json": server.home / "account.json", "etc/passwd": Path("/etc/passwd")}
    secrets = [server.token, "root:", *(path.read_text()[:20] for path in files.values() if path.exists())]

    def harmless(said: str, where: str) -> None:
        assert not [secret for secret in secrets if secret in said], where

    for path in PATHS:
        for address in (f"/api/files/{path}", f"/assets/{path}", f"/session/{path}", f"/{path}"):
            answer = sent_as_it_is(server, address)
            assert answer.startswith("HTTP/1.1 ")
            harmless(answer, address)
        named = {"id": path, "title": path, "workspace": path, "reference": path}
        for field, body in ((field, {field: value}) for field, value in named.items()):
            harmless(client.post("/api/sessions", json=body).text, f"{field} {path}")
        for kind in ("hermes-webui", "open-webui", "holdfast"):
            harmless(client.post("/api/import", json={"kind": kind, "path": path}).text, f"{kind} {path}")
    harmless(client.get("/api/imports").text, "imports")
    for path in PATHS:
        inner = f"{server.home}/x/{path}"
        if Path(inner).resolve().is_relative_to(server.home.resolve()):
            assert client.post("/api/sessions", json={"workspace": inner}).status_code == 400, inner
    workspace = tmp_path / "w"
    workspace.mkdir()
    (workspace / "home").symlink_to(server.home)
    (workspace / "out").symlink_to("/etc")
    inside = Workspace(workspace, excluded=[server.home])
    for path in [*PATHS, "home/token", "out/passwd", str(server.home / "token"), "~/.ssh/id_rsa", "\0", ""]:
        try:
            real = inside.resolve(path)
        except OutOfBounds:
            continue
        assert real.is_relative_to(workspace), path


def sent_as_it_is(server: Served, target: str) -> str:
    """The answer to a GET of exactly these characters, from somebody who is signed in."""
    url = httpx.URL(server.link)
    lines = [f"GET {target} HTTP/1.1", f"host: {url.host}:{url.port}", f"authorization: Bearer {server.token}"]
    with socket.create_connection((url.host, url.port or 80), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall("\r\n".join([*lines, "connection: close", "", ""]).encode())
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode("utf-8", "replace")


@pytest.mark.parametrize(
    "url",
    ["http://[::ffff:169.254.169.254]/", "http://2852039166/", "http://example.org\\@127.0.0.1/", "http://0x7f.1/"],
)
def test_class_09_no_spelling_of_an_address_reaches_inside(url: str) -> None:
    """What is judged is what the resolver made of it; what programs read differently is no address at all."""
    with pytest.raises(NotSent):
        looked_up(url, private=False)


def test_class_11_no_sign_in_survives_a_new_password(tmp_path: Path) -> None:
    """Not in a live connection, and not in a command whose beginning came before and whose end comes after."""
    with served(tmp_path, command=COMMAND) as server, server.client() as owner:
        session = owner.post("/api/sessions", json={}).json()["id"]
        code = Links(server.home).issue()
        device = {"authorization": f"Bearer {owner.post('/api/sign-in', json={'code': code}).json()['token']}"}
        address = f"{server.link}/api/stream"
        half_sent = [
            HalfSent(server, device, "PUT", "/api/account/password", {"password": "the thief's own"}),
            HalfSent(server, device, "POST", f"/api/sessions/{session}/turns", {"id": "t", "text": "rm -r ~"}),
            HalfSent(server, device, "POST", "/api/files?name=x", {"any": "bytes"}),
        ]
        for _ in range(3):  # the server reads what comes in order of its coming: it has begun with what came before
            owner.get("/health").raise_for_status()
        with httpx.stream("GET", address, headers=device, timeout=PATIENCE_SECONDS) as stream:
            owner.put("/api/account/password", json={"password": "a new password"}).raise_for_status()
            for _ in stream.iter_raw():
                pass  # until it ends
        assert httpx.get(f"{server.link}/api/sessions", headers=device).status_code == 401
        for each in half_sent:
            assert b" 401 " in each.finished().splitlines()[0]
        with server.client() as again:
            assert "rm -r" not in again.get(f"/api/sessions/{session}/records").text
            assert again.post("/api/sign-in", json={"password": "the thief's own"}).status_code == 403
            assert again.post("/api/sign-in", json={"password": "a new password"}).status_code == 200


class HalfSent:
    """A request of which all has come but the last byte."""

    def __init__(self, server: Served, headers: dict[str, str], method: str, path: str, body: object) -> None:
        url, content = httpx.URL(server.link), json.dumps(body).encode()
        said = {"host": f"{url.host}:{url.port}", "content-type": "application/json", **headers}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items())]
        lines += [f"content-length: {len(content)}", "connection: close"]
        self._last = content[-1:]
        self._socket = socket.create_connection((url.host, url.port or 80), timeout=PATIENCE_SECONDS)
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode() + content[:-1])

    def finished(self) -> bytes:
        """Send what is missing; all of the answer."""
        with self._socket:
            self._socket.sendall(self._last)
            return b"".join(iter(lambda: self._socket.recv(65_536), b""))


@pytest.mark.parametrize("path", KNOWN)
def test_class_12_a_stream_asks_for_what_every_route_asks_for(
    stranger: httpx.Client, client: httpx.Client, session: SessionId, path: str
) -> None:
    params = {"session_id": session}
    assert stranger.get(path, params=params).status_code == 401
    assert client.get(path, params=params, headers={"origin": "http://127.0.0.1:1"}).status_code == 403
    assert client.get(path, params=params, headers={"host": "evil.example"}).status_code == 421


async def test_class_13_who_asks_can_not_say_what_they_are(
    server: Served, api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """No header makes somebody of a stranger, and no field makes a rule or an agent of a person."""
    claims = {"x-forwarded-user": "root", "x-remote-user": "root", "holdfast-client": "owner", "x-forwarded-for": "::1"}
    async with httpx.AsyncClient(base_url=server.link, headers=claims) as stranger:
        assert (await stranger.get("/api/sessions")).status_code == 401
    await begun(store, session, APPROVALS.ask("a"))
    for forged in ({"by": "rule"}, {"rule": "r1"}, {"client": "somebody else"}, {"scopes": ["admin"]}):
        answer = await api.post(f"/api/sessions/{session}/asks/a", json={"choice": "once", **forged})
        assert answer.status_code == 400, forged
    assert (await api.get(f"/api/sessions/{session}/asks")).json()["count"] == 1


def test_class_14_what_is_sent_has_a_bound_whatever_it_says_of_its_length(client: httpx.Client) -> None:
    def endless() -> object:
        for _ in range(3_000):
            yield b"x" * 1_000

    answer = client.post("/api/sessions", content=endless(), headers={"content-type": "application/json"})  # pyright: ignore[reportArgumentType]
    assert answer.status_code in (400, 413)
    deep = b'{"title": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert client.post("/api/sessions", content=deep, headers={"content-type": "application/json"}).status_code == 400
    assert client.get("/health").status_code == 200
