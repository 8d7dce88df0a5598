"""Web Push, to a push service on this machine: what is sent, what is taken back, and to whom nothing is sent."""

import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.server.push.subscriptions import FILE
from tests.journeys.handset import Handset
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = pytest.mark.slow

CONFIG = "[runners]\nspare = false\n[notify]\nask_seconds = 0.2\npush_private = true\n"


@contextmanager
def subscribed(home: Path, config: str = "", **fields: Any) -> Generator[tuple[House, Person, Handset]]:
    with House(home, CONFIG + config) as house, Handset() as handset:
        house.start()
        handset.sign_in(house)
        assert handset.subscribe(house, **fields).status_code == 204
        yield house, Person(house), handset


def logged(house: House) -> str:
    return "".join(log.read_text() for log in (house.home / "logs").rglob("*.*") if log.is_file())


def test_an_ask_with_no_tab_open_is_one_notification_which_is_taken_back_when_it_is_answered(tmp_path: Path) -> None:
    """Sealed for that browser alone, without the command; a restart sends nothing anew."""
    with subscribed(tmp_path / "home") as (house, person, handset):
        session = person.begin(title="Tidy up")
        person.say(session, "!approve rm -rf private")
        (ask,) = person.wait_for_ask(session)
        (shown,) = handset.wait(1)
        assert shown == {
            "shown": {"session": session, "name": ask["ask"]},
            "kind": "approval",
            "outcome": "",
            "title": "Tidy up",
            "body": "Waits for your approval.",
        }
        assert b"Tidy" not in handset.raw[0]
        (said,) = handset.headers
        assert (said["content-encoding"], said["urgency"]) == ("aes128gcm", "high")
        written = house.home / FILE  # after the push service took it; a crash in between would send it once more
        wait_until(lambda: ask["ask"] in written.read_text("utf-8"), "what was sent, written down")
        house.kill()
        house.start()
        other = person.begin(title="Other")
        person.say(other, "!ask Which?")
        assert handset.wait(2)[1]["title"] == "Other"
        person.answer(session, ask["ask"], choice="deny").raise_for_status()
        assert handset.wait(3)[2]["shown"] == {"session": session, "name": ask["ask"]}
        assert handset.kinds == ["approval", "question", "over"]
        assert handset.headers[2]["topic"] == handset.headers[0]["topic"]


def test_what_was_answered_while_the_server_was_away_is_taken_back_when_it_is_here_again(tmp_path: Path) -> None:
    """Here by the end of the run itself: its runner dies while no server looks."""
    with subscribed(tmp_path / "home") as (house, person, handset):
        session = person.begin()
        person.say(session, "!approve make")
        (ask,) = person.wait_for_ask(session)
        handset.wait(1)
        wait_until(lambda: ask["ask"] in (house.home / FILE).read_text("utf-8"), "what was sent, written down")
        house.kill()
        house.end_runner(session)
        house.start()
        assert handset.wait(2)[1]["kind"] == "over"


def test_who_looks_at_the_session_is_told_nothing_and_who_looks_at_another_is(tmp_path: Path) -> None:
    with subscribed(tmp_path / "home") as (house, person, handset):
        looked_at, other = person.begin(title="Before the eyes"), person.begin(title="Elsewhere")
        live = f"/api/stream?visible=true&follow={looked_at}:0"
        with house.server.client() as tab, tab.stream("GET", live) as stream:
            assert stream.status_code == 200
            person.say(looked_at, "!ask Which?")
            person.wait_for_ask(looked_at)
            person.say(other, "!ask Which?")
            handset.wait(1)
            assert [each["title"] for each in handset.heard] == ["Elsewhere"]
        assert handset.wait(2)[1]["title"] == "Before the eyes"


def test_the_end_of_a_long_run_is_told_once_and_taken_back_when_it_was_seen(tmp_path: Path) -> None:
    with subscribed(tmp_path / "home", "run_seconds = 0.5\n") as (_, person, handset):
        session = person.begin(title="Long one")
        person.wait_for_end(session, person.say(session, "!say short"))
        turn = person.say(session, "!sleep 700\n!say long")
        person.wait_for_end(session, turn)
        (shown,) = handset.wait(1)
        assert (shown["kind"], shown["outcome"], shown["shown"]["name"]) == ("ended", "completed", turn)
        assert shown["body"] == "It is done."
        seen = person.get(f"/api/sessions/{session}").json()["session"]["activity"]
        person.patch(f"/api/sessions/{session}", {"seen": seen}).raise_for_status()
        assert handset.wait(2)[1]["kind"] == "over"


def test_a_command_is_shown_to_who_wants_it(tmp_path: Path) -> None:
    with subscribed(tmp_path / "home", details=True) as (_, person, handset):
        session = person.begin()
        person.say(session, "!approve make")
        assert handset.wait(1)[0]["body"] == "Waits for your approval.\nmake"


def test_a_subscription_ends_with_the_sign_in_of_its_device(tmp_path: Path) -> None:
    """And its address, which is a credential, leaves the disk."""
    with subscribed(tmp_path / "home") as (house, person, handset):
        kept, key = house.home / "push.json", house.home / "push.key"
        assert handset.ask(house, "GET", "/api/push").json()["on"]
        assert stat.S_IMODE(kept.stat().st_mode) == stat.S_IMODE(key.stat().st_mode) == 0o600
        assert "secret-of-this-browser" in kept.read_text()
        person.delete(f"/api/account/devices/{handset.device}").raise_for_status()
        wait_until(lambda: "secret-of-this-browser" not in kept.read_text(), "an end of the subscription")
        with Handset() as another:
            another.sign_in(house)
            another.subscribe(house).raise_for_status()
            person.say(person.begin(), "!ask Which?")
            another.wait(1)
        assert handset.heard == []


def test_what_a_push_service_does_not_take_is_tried_again_until_it_says_that_nobody_is_there(tmp_path: Path) -> None:
    with subscribed(tmp_path / "home") as (house, person, handset):
        handset.refusing = 503
        person.say(person.begin(), "!ask Which?")
        wait_until(lambda: handset.refused, "a refusal")
        handset.refusing = 0
        handset.wait(1)
        handset.refusing = 410
        person.say(person.begin(), "!ask Which?")
        wait_until(lambda: not handset.ask(house, "GET", "/api/push").json()["on"], "an end of the subscription")
        assert "secret-of-this-browser" not in logged(house)


def test_a_push_service_on_a_private_network_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    """Whatever a browser says its push service is: no request goes to this machine or its network."""
    with House(tmp_path / "home", CONFIG.replace("push_private = true\n", "")) as house, Handset() as handset:
        house.start()
        handset.sign_in(house)
        refused = handset.subscribe(house)
        assert (refused.status_code, "https" in refused.json()["error"]) == (400, True)
        secure = handset.endpoint.replace("http:", "https:")
        handset.subscribe(house, endpoint=secure).raise_for_status()
        person = Person(house)
        person.say(person.begin(), "!ask Which?")
        wait_until(lambda: "not allowed here" in logged(house), "a refusal")
        assert (handset.heard, handset.refused) == ([], 0)


def test_only_a_signed_in_device_with_keys_of_a_browser_can_be_pushed_to(tmp_path: Path) -> None:
    with House(tmp_path / "home", CONFIG) as house, Handset() as handset:
        house.start()
        handset.token = house.server.token
        assert handset.subscribe(house).status_code == 409
        handset.sign_in(house)
        for bad in ({"auth": "AAAA"}, {"p256dh": "BAAA"}, {"auth": "ä"}, {"endpoint": "file:///etc/passwd"}):
            assert handset.subscribe(house, **bad).status_code == 400
        state = handset.ask(house, "GET", "/api/push").json()
        assert (state["on"], state["details"], len(state["key"])) == (False, False, 87)
        handset.subscribe(house).raise_for_status()
        assert handset.ask(house, "GET", "/api/push").json()["on"]
        assert handset.ask(house, "DELETE", "/api/push").status_code == 204
        assert not handset.ask(house, "GET", "/api/push").json()["on"]
