"""A home and a run of an earlier release, under this one. What was kept is never changed."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from holdfast.core.ids import SessionId
from holdfast.server.links import Links
from tests.journeys.house import House
from tests.journeys.installation import Installation
from tests.journeys.person import Person
from tests.served import HOLDFAST, Served

pytestmark = pytest.mark.slow

RELEASES = sorted(path for path in (Path(__file__).parent / "releases").iterdir() if (path / "shown.json").exists())
"""What was kept, by its version. `0.1.0.dev0` is from before the first release: its store has format 1, where that of
0.1.0 has format 4. Its wheel calls itself 0.1.0 already."""


def test_a_release_is_kept() -> None:
    assert RELEASES


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_a_home_of_an_earlier_release_shows_what_it_showed_and_goes_on(release: Path, tmp_path: Path) -> None:
    house = House(tmp_path / "home")
    restored = house.run("restore", str(release / "home.tar"))
    assert restored.returncode == 0, restored.stderr
    with house:
        house.start()
        person = Person(house)
        session = SessionId("kept")
        seen = person.look(session)
        shown = json.loads((release / "shown.json").read_text())
        found = {(item["turn"], item["k"]): item for item in seen.items}
        for item in shown:
            now = found[item["turn"], item["k"]]
            assert {name: now[name] for name in item} == item
        assert [seen.end(turn)["outcome"] for turn in ("first", "second", "third")] == [
            "completed",
            "cancelled",
            "failed",
        ]
        turn = person.say(session, "!approve append notes.txt again")
        (ask,) = person.wait_for_ask(session)
        assert person.answer(session, ask["ask"], choice="once").status_code == 200
        assert person.wait_for_end(session, turn).text(turn) == "approved:once"
        assert person.get("/api/search?q=words").json()["hits"]


@pytest.fixture(scope="module", params=RELEASES, ids=lambda path: path.name)
def old(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An earlier release, with all that it stands on."""
    (wheel,) = request.param.glob("*.whl")
    return Installation(tmp_path_factory.mktemp("installed") / "old", wheel)


@pytest.mark.contract("G2")
def test_G2_a_run_of_an_earlier_release_goes_on_under_this_server(old: Installation, tmp_path: Path) -> None:  # noqa: N802
    """Same process, every word once; it is answered and cancelled by the newer server as by its own."""
    with House(tmp_path / "home") as house:
        house.start(command=old.command)
        person = Person(house)
        session = person.begin(project="Old", tags=["old"])
        turn = person.say(session, "!stream 300 10\n!approve append notes.txt once")
        with person.follow(session) as live:
            live.until_words(20)
            runner = house.running(session)
            assert "old" in Path(f"/proc/{runner}/cmdline").read_text() or sys.platform != "linux"
            house.kill()
            house.start()
            person.begin(project="Old", tags=["old"])
            live.until_words(300)
            assert house.running(session) == runner
            (ask,) = person.wait_for_ask(session)
            assert person.answer(session, ask["ask"], choice="once").status_code == 200
            live.until_ended(turn)
        seen = person.wait_for_end(session, turn)
        said = " ".join(f"word{number}" for number in range(1, 301))
        assert seen.text(turn) == f"{said}approved:once"
        assert live.seqs == list(range(1, live.seqs[-1] + 1))
        listed, *filtered = [
            [row["id"] for row in person.get(f"/api/sessions?{asked}").json()["sessions"]]
            for asked in ("limit=9", "tag=old", "project=Old")
        ]
        assert listed[0] == session  # which was active last, by its own runner's word
        assert filtered == [listed, listed]
        cancelled = person.say(session, "!sleep 60000")
        with person.follow(session, live.seqs[-1]) as rest:
            rest.until_kind("turn.started")
        assert person.cancel(session, cancelled).status_code == 200
        assert person.wait_for_end(session, cancelled).end(cancelled)["outcome"] == "cancelled"
        assert house.running(session) == runner


def test_a_browser_that_signed_in_under_an_earlier_release_stays_signed_in(old: Installation, tmp_path: Path) -> None:
    """Nobody who upgrades has to look for a link."""
    with House(tmp_path / "home") as house:
        stays_signed_in(house, house.start(command=old.command), HOLDFAST)


def test_a_device_stays_signed_in_through_an_upgrade(tmp_path: Path) -> None:
    """It keeps its credential, its name and its line in the list; one that was signed out does not come back."""
    ours = Installation(tmp_path / "ours")
    with House(tmp_path / "home") as house:
        server = house.start(command=ours.command)
        gone = httpx.post(f"{server.link}/api/sign-in", json={"code": Links(house.home).issue(), "name": "gone"}).json()
        with server.client() as owner:
            assert owner.delete(f"/api/account/devices/{gone['device']}").status_code == 204
        ours.upgrade()
        phone = stays_signed_in(house, server, ours.command)
        address = f"{house.server.link}/api/account"
        (listed,) = httpx.get(address, headers=phone).json()["devices"]
        assert (listed["name"], listed["current"]) == ("phone", True)
        assert httpx.get(address, headers={"authorization": f"Bearer {gone['token']}"}).status_code == 401


def stays_signed_in(house: House, server: Served, command: Sequence[str]) -> dict[str, str]:
    """Sign in by the link that the server printed, restart it under `command`, and look: the credential's header."""
    answer = httpx.post(f"{server.link}/api/sign-in", json={"code": server.code}, headers={"holdfast-client": "phone"})
    phone = {"authorization": f"Bearer {answer.json()['token']}"}
    assert httpx.get(f"{server.link}/api/sessions", headers=phone).status_code == 200
    house.restart(command=command)
    assert httpx.get(f"{house.server.link}/api/sessions", headers=phone).status_code == 200
    return phone
