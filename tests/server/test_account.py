"""Signing in and out over real HTTP: devices, the password, the token, and what ends when one of them changes."""

import asyncio
import os
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import httpx
import pytest

from holdfast.server import password as passwords
from holdfast.server.account import IDLE, MOST, AccountUnreadable, read_account
from holdfast.server.attempts import FREE, LONGEST, TOGETHER, Attempts, TooManyAttempts, network
from holdfast.server.attempts import MOST as MOST_ADDRESSES
from holdfast.server.auth import Gatekeeper, NotSignedIn, WrongPassword
from holdfast.server.links import Links
from tests.served import HOLDFAST, PATIENCE_SECONDS, Served, served
from tests.server.live import listening
from tests.server.unsupervised import COMMAND

pytestmark = pytest.mark.slow  # most of these start a process of their own

PASSWORD = "correct horse battery"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Served]:
    """A server of its own: these tests change who may come in."""
    with served(tmp_path, command=COMMAND) as server:
        yield server


class Device:
    """A browser that signed in."""

    opened: ClassVar[list[httpx.Client]] = []

    def __init__(self, server: Served, name: str, **how: str) -> None:
        self.http = httpx.Client(base_url=server.link, timeout=PATIENCE_SECONDS)
        self.opened.append(self.http)
        how = how or {"code": Links(server.home).issue()}
        self.take(self.http.post("/api/sign-in", json={**how, "name": name}))

    def take(self, answer: httpx.Response) -> None:
        assert answer.status_code == 200, answer.text
        self.id = answer.json()["device"]
        self.http.headers["authorization"] = f"Bearer {answer.json()['token']}"

    @property
    def signed_in(self) -> bool:
        status = self.http.get("/api/sessions").status_code
        assert status in (200, 401)
        return status == 200


@pytest.fixture(autouse=True)
def every_device_is_closed() -> Iterator[None]:
    yield
    while Device.opened:
        Device.opened.pop().close()


def names(device: Device) -> set[str]:
    return {each["name"] for each in device.http.get("/api/account").json()["devices"]}


def test_each_device_has_a_credential_of_its_own_and_a_line_in_the_list(house: Served) -> None:
    phone, desk = Device(house, "phone"), Device(house, "desk")
    assert phone.http.headers["authorization"] != desk.http.headers["authorization"]
    listed = phone.http.get("/api/account").json()
    assert (listed["has_password"], listed["password_needed"]) == (False, False)
    assert {each["name"]: each["current"] for each in listed["devices"]} == {"phone": True, "desk": False}
    for each in listed["devices"]:
        assert each["address"] == "127.0.0.1"
        assert each["created"] <= each["seen"]
        assert "digest" not in each
    assert phone.http.patch(f"/api/account/devices/{desk.id}", json={"name": "the desk"}).status_code == 204
    assert names(desk) == {"phone", "the desk"}
    assert phone.http.patch("/api/account/devices/nobody", json={"name": "x"}).status_code == 404
    assert phone.http.patch(f"/api/account/devices/{desk.id}", json={"name": "a\nb"}).status_code == 400


def test_one_is_signed_out_and_the_others_are_not(house: Served) -> None:
    phone, desk = Device(house, "phone"), Device(house, "desk")
    assert desk.http.delete(f"/api/account/devices/{phone.id}").status_code == 204
    assert (phone.signed_in, desk.signed_in) == (False, True)
    assert desk.http.delete(f"/api/account/devices/{phone.id}").status_code == 404
    tablet = Device(house, "tablet")
    assert desk.http.delete("/api/account/devices", params={"others": True}).status_code == 204
    assert (tablet.signed_in, desk.signed_in) == (False, True)
    assert desk.http.delete("/api/account/devices").status_code == 204
    assert not desk.signed_in


def test_a_sign_in_survives_a_restart(tmp_path: Path) -> None:
    with served(tmp_path, command=COMMAND) as first:
        phone = Device(first, "phone")
        first.kill()
    with served(tmp_path, command=COMMAND) as second:
        phone.http.base_url = second.link
        assert phone.signed_in
        assert names(phone) == {"phone"}


async def test_a_live_connection_ends_with_its_sign_in_and_no_other_does(house: Served) -> None:
    phone, desk = Device(house, "phone"), Device(house, "desk")
    limits = httpx.Timeout(PATIENCE_SECONDS)
    async with (
        httpx.AsyncClient(base_url=house.link, headers=phone.http.headers, timeout=limits) as first,
        httpx.AsyncClient(base_url=house.link, headers=desk.http.headers, timeout=limits) as second,
        listening(first, "/api/stream", ("list", "0")) as ending,
        listening(second, "/api/stream", ("list", "0")) as going,
    ):
        assert (await ending.next()).name == (await going.next()).name == "ready"
        await asyncio.to_thread(desk.http.delete, f"/api/account/devices/{phone.id}")
        assert await ending.ends()
        assert (await first.get("/api/sessions")).status_code == 401
        await asyncio.to_thread(desk.http.post, "/api/sessions", json={"title": "still told"})
        assert (await going.next()).name == "session"


def test_what_a_sign_out_cuts_off_does_not_pass_for_the_whole(house: Served) -> None:
    """The beginning of a backup is none: whoever saves it is told that the rest is missing."""
    phone, desk = Device(house, "phone"), Device(house, "desk")
    stored = desk.http.post("/api/files", params={"name": "large"}, content=os.urandom(24_000_000))
    assert stored.status_code == 201
    with phone.http.stream("GET", "/api/backup") as answer:
        pieces = answer.iter_raw()
        next(pieces)
        assert desk.http.delete(f"/api/account/devices/{phone.id}").status_code == 204
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete"):
            for _ in pieces:
                pass


async def test_a_long_poll_ends_with_its_sign_in(house: Served) -> None:
    phone, desk = Device(house, "phone"), Device(house, "desk")
    session = desk.http.post("/api/sessions", json={}).json()["id"]
    async with httpx.AsyncClient(base_url=house.link, headers=phone.http.headers, timeout=PATIENCE_SECONDS) as client:
        asked = asyncio.create_task(client.get(f"/api/sessions/{session}/records", params={"after": 1, "wait": 30}))
        await asyncio.sleep(0.3)  # it is on its way; if it comes after the sign-out, it is refused all the same
        await asyncio.to_thread(desk.http.delete, f"/api/account/devices/{phone.id}")
        assert (await asked).status_code == 401


def test_a_password_signs_in_and_a_new_one_ends_every_sign_in(house: Served) -> None:
    phone, desk = Device(house, "phone"), Device(house, "desk")
    unused = Links(house.home).issue()
    with desk.http.stream("GET", "/api/stream") as stream, phone.http.stream("GET", "/api/stream") as other:
        phone.take(phone.http.put("/api/account/password", json={"password": PASSWORD}))
        for each in (stream, other):
            list(each.iter_raw())  # it ends
    assert (phone.signed_in, desk.signed_in) == (True, False)
    assert desk.http.post("/api/sign-in", json={"code": unused}).status_code == 403
    tablet = Device(house, "tablet", password=PASSWORD)
    assert tablet.http.get("/api/account").json()["has_password"]
    assert (
        tablet.http.put("/api/account/password", json={"password": "another one", "current": "no"}).status_code == 403
    )
    assert phone.signed_in
    answer = tablet.http.put("/api/account/password", json={"password": "another one", "current": PASSWORD})
    tablet.take(answer)
    assert (phone.signed_in, tablet.signed_in) == (False, True)
    assert phone.http.post("/api/sign-in", json={"password": PASSWORD}).status_code == 403
    tablet.take(tablet.http.put("/api/account/password", json={"password": None, "current": "another one"}))
    assert not tablet.http.get("/api/account").json()["has_password"]
    refused = phone.http.post("/api/sign-in", json={"password": "another one"})
    assert (refused.status_code, refused.json()["code"]) == (403, "NoPassword")


async def test_who_is_signed_out_while_a_password_is_hashed_sets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sign-out, or a new token, that comes while the hash is being made counts before the change does."""
    keeper, hashed = Gatekeeper(tmp_path), passwords.hashed
    _, device = keeper.sign_in_by_code(keeper.links.issue(), "thief", "")

    loop = asyncio.get_running_loop()
    for by, end in ((device.id, lambda: keeper.sign_out(device.id)), ("", keeper.change_token)):

        def slowly(password: str, end: Callable[[], None] = end) -> str:
            loop.call_soon_threadsafe(end)
            return hashed(password)

        monkeypatch.setattr(passwords, "hashed", slowly)
        with pytest.raises(NotSignedIn):
            await keeper.change_password("the thief's own", "", by, "")
        assert not keeper.has_password


def test_a_password_has_a_length_and_is_kept_only_as_its_hash(house: Served) -> None:
    phone = Device(house, "phone")
    short = phone.http.put("/api/account/password", json={"password": "short"})
    assert (short.status_code, short.json()["code"]) == (400, "BadPassword")
    phone.take(phone.http.put("/api/account/password", json={"password": PASSWORD}))
    kept = (house.home / "account.json").read_text("utf-8")
    assert "$argon2id$v=19$m=65536,t=3,p=4$" in kept
    assert PASSWORD not in kept
    assert phone.http.headers["authorization"].removeprefix("Bearer ") not in kept


def test_one_of_code_and_password_is_given(house: Served) -> None:
    for how in ({}, {"code": "x", "password": "y"}):
        assert httpx.post(f"{house.link}/api/sign-in", json=how).status_code == 400


def test_a_new_token_ends_every_sign_in_and_the_old_token(house: Served) -> None:
    phone, desk, before = Device(house, "phone"), Device(house, "desk"), house.token
    with house.client() as owner, owner.stream("GET", "/api/stream") as stream:
        phone.take(phone.http.post("/api/account/token"))
        list(stream.iter_raw())  # it ends
        assert owner.get("/api/sessions").status_code == 401
    assert before != house.token
    assert (phone.signed_in, desk.signed_in) == (True, False)
    with house.client() as owner:
        assert owner.get("/api/sessions").status_code == 200


def test_a_token_that_is_deleted_by_hand_loses_its_power_without_a_restart(house: Served) -> None:
    phone, before = Device(house, "phone"), house.token
    with phone.http.stream("GET", "/api/stream") as stream:
        (house.home / "token").unlink()
        list(stream.iter_raw())  # it ends
    assert not phone.signed_in
    assert httpx.get(f"{house.link}/api/sessions", headers={"authorization": f"Bearer {before}"}).status_code == 401
    with house.client() as owner:
        assert owner.get("/api/sessions").status_code == 200


def test_a_link_for_a_phone_comes_with_its_picture(house: Served) -> None:
    desk = Device(house, "desk")
    made = desk.http.post("/api/account/links").json()
    assert made["link"].startswith(f"{house.link}/#code=")
    assert made["local"]
    assert {len(row) for row in made["rows"]} == {len(made["rows"])}
    assert set("".join(made["rows"])) == {"0", "1"}
    phone = Device(house, "phone", code=made["link"].partition("#code=")[2])
    assert phone.signed_in


def test_wrong_passwords_are_slow_and_logged_without_what_was_typed(house: Served) -> None:
    phone = Device(house, "phone")
    phone.take(phone.http.put("/api/account/password", json={"password": PASSWORD}))
    with httpx.Client(base_url=house.link, timeout=PATIENCE_SECONDS) as stranger:
        said = [stranger.post("/api/sign-in", json={"password": f"guess {number}"}) for number in range(FREE + 1)]
        assert [each.status_code for each in said] == [403] * FREE + [429]
        assert int(said[-1].headers["retry-after"]) >= 1
        assert "Try again in" in said[-1].json()["error"]
        assert stranger.post("/api/sign-in", json={"password": PASSWORD}).status_code == 429
        code = Links(house.home).issue()
        assert stranger.post("/api/sign-in", json={"code": code}).status_code == 200, "a link still signs in"
    log = (house.home / "logs" / "holdfast.log").read_text("utf-8")
    assert log.count("sign_in.refused by=password address=127.0.0.1") == FREE
    assert "guess" not in log


def test_the_pause_doubles_up_to_a_cap_for_each_address_alone_and_ends_with_a_good_try() -> None:
    """The first few tries are free; after each further one it takes twice as long, and never longer than the cap."""
    now = [0.0]
    attempts = Attempts(lambda: now[0])

    def waited() -> float:
        """Try as soon as one may; how long that took."""
        try:
            attempts.begin("192.0.2.1")
        except TooManyAttempts as exc:
            now[0] += exc.seconds - 0.1
            with pytest.raises(TooManyAttempts):
                attempts.begin("192.0.2.1")
            now[0] += 0.1
            attempts.begin("192.0.2.1")
            return exc.seconds
        return 0

    growing = [2.0**n for n in range(9)]
    assert growing[-1] < LONGEST < 2 * growing[-1]
    assert [waited() for _ in range(FREE + 12)] == [0] * FREE + growing + [LONGEST] * 3
    with pytest.raises(TooManyAttempts):
        attempts.begin("192.0.2.1")
    attempts.begin("192.0.2.2")
    attempts.succeeded("192.0.2.1")
    assert [waited() for _ in range(FREE + 1)] == [0] * FREE + [1]


def test_wrong_codes_are_counted_and_slowed_like_wrong_passwords_and_a_good_one_is_not(house: Served) -> None:
    """Whoever tries codes is soon told to wait, and fills no log; whoever has a link comes in all the same."""
    with httpx.Client(base_url=house.link, timeout=PATIENCE_SECONDS) as stranger:
        said = [stranger.post("/api/sign-in", json={"code": f"guess {number}"}) for number in range(3 * FREE)]
        assert [each.status_code for each in said] == [403] * FREE + [429] * (2 * FREE)
        assert stranger.post("/api/sign-in", json={"password": "guess"}).status_code == 429, "the same back-off"
        code = Links(house.home).issue()
        assert stranger.post("/api/sign-in", json={"code": code}).status_code == 200
    log = (house.home / "logs" / "holdfast.log").read_text("utf-8")
    assert log.count("sign_in.refused by=link address=127.0.0.1") == FREE
    assert "guess" not in log


def test_many_addresses_together_get_no_more_than_their_share() -> None:
    now = [0.0]
    attempts = Attempts(lambda: now[0])
    for number in range(TOGETHER):
        attempts.begin(f"10.0.{number}.1")
    with pytest.raises(TooManyAttempts):
        attempts.begin("10.1.0.1")
    for number in range(2 * MOST_ADDRESSES):
        now[0] += 10
        attempts.begin(f"10.{number >> 8 & 255}.{number & 255}.7")
    assert len(attempts) <= MOST_ADDRESSES


def test_an_address_is_counted_with_the_network_that_its_owner_has() -> None:
    assert network("2001:db8::1") == network("2001:db8::ffff:1") != network("2001:db8:0:1::1")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1") != network("192.0.2.2")
    assert network("x" * 1000) == "x" * 64


def test_a_device_that_is_not_seen_is_signed_out_and_there_are_never_too_many(tmp_path: Path) -> None:
    now = [1_000_000.0]
    keeper = Gatekeeper(tmp_path, now=lambda: now[0])
    first, device = keeper.sign_in_by_code(keeper.links.issue(), "first", "")
    assert keeper.admits(f"Bearer {first}".encode()) == device.id
    now[0] += IDLE / 1000 - 1
    assert keeper.admits(f"Bearer {first}".encode()) == device.id
    now[0] += IDLE / 1000
    assert keeper.admits(f"Bearer {first}".encode()) is None
    credentials = [keeper.sign_in_by_code(keeper.links.issue(), f"d{i}", "")[0] for i in range(MOST + 5)]
    assert len(keeper.devices) == MOST
    assert keeper.admits(f"Bearer {credentials[0]}".encode()) is None
    assert keeper.admits(f"Bearer {credentials[-1]}".encode()) is not None
    assert len(Gatekeeper(tmp_path, now=lambda: now[0]).devices) == MOST


def test_a_file_that_is_damaged_lets_nobody_in_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "account.json").write_text("{")
    with pytest.raises(AccountUnreadable, match="Put back a good copy, or remove it"):
        Gatekeeper(tmp_path)


async def test_a_hash_of_other_costs_is_made_anew_at_a_good_sign_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = Gatekeeper(tmp_path)
    await keeper.change_password(PASSWORD, "", "", "")
    before = read_account(tmp_path).password
    monkeypatch.setattr(passwords, "outdated", before.__eq__)
    with pytest.raises(WrongPassword):
        await keeper.sign_in_by_password("wrong", "", "")
    assert read_account(tmp_path).password == before
    await keeper.sign_in_by_password(PASSWORD, "", "")
    assert read_account(tmp_path).password != before
    await keeper.sign_in_by_password(PASSWORD, "", "")


def test_the_password_is_set_at_the_terminal_with_and_without_a_server(tmp_path: Path) -> None:
    assert "The password is set" in typed(tmp_path, PASSWORD)
    assert "has 10 to 1000 characters" in typed(tmp_path, "short")
    with served(tmp_path, command=COMMAND) as server:
        phone = Device(server, "phone", password=PASSWORD)
        assert "The password is set" in typed(tmp_path, "another password")
        assert not phone.signed_in
        assert Device(server, "phone", password="another password").signed_in
        assert "There is no password any more" in typed(tmp_path, "", "--remove")


def typed(home: Path, line: str, *options: str) -> str:
    command = [*HOLDFAST, "password", "--home", str(home), *options]
    done = subprocess.run(command, input=f"{line}\n", capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_with_a_password_others_may_reach_it_and_it_can_not_be_removed(tmp_path: Path) -> None:
    typed(tmp_path, PASSWORD)
    with served(tmp_path, command=COMMAND, options=("--port", "0", "--host", "0.0.0.0")) as server:
        assert server.link.startswith("http://127.0.0.1:")
        port = httpx.URL(server.link).port
        phone = Device(server, "phone", password=PASSWORD)
        assert phone.http.get("/api/account").json()["password_needed"]
        refused = phone.http.put("/api/account/password", json={"password": None, "current": PASSWORD})
        assert (refused.status_code, refused.json()["code"]) == (409, "PasswordNeeded")
        for host, status in ((f"192.168.1.5:{port}", 200), ("evil.example", 421), ("192.168.1.5.evil.example", 421)):
            assert httpx.get(f"{server.link}/health", headers={"host": host}).status_code == status
        server.process.terminate()
        assert "plain http" in server.wait()[1]


def test_only_the_owner_can_read_anything_of_the_home(house: Served) -> None:
    phone = Device(house, "phone")
    phone.take(phone.http.put("/api/account/password", json={"password": PASSWORD}))
    phone.http.post("/api/files", params={"name": "x"}, content=b"x").raise_for_status()
    phone.http.post("/api/account/links").raise_for_status()
    phone.http.post("/api/sessions", json={}).raise_for_status()
    assert stat.S_IMODE(house.home.stat().st_mode) & 0o077 == 0
    open_to_others = [
        str(path.relative_to(house.home)) for path in house.home.rglob("*") if path.lstat().st_mode & 0o077
    ]
    assert [name for name in open_to_others if name != "nudges"] == [], "nudges is written by the tests themselves"
