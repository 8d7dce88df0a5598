"""The first run: what is on the machine is offered as choices of one press, and nothing of it stands in the way."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, Desk, Seat, desk
from tests.browser.found import DATA, HERMES, NAMES, finds, models, ollama
from tests.journeys.house import HOLDFAST, House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def arriving(place: Desk, *hints: dict[str, Any]) -> Seat:
    seat = Seat(place.context.new_page(), place.link)
    finds(seat.page, *hints)
    seat.open()
    return seat


def test_models_that_are_served_here_are_used_by_one_press(chromium: Browser, own_house: House) -> None:
    with models() as address, desk(chromium, own_house) as place:
        seat = arriving(place, ollama(address))
        seat.page.get_by_role("button", name="Use Ollama (3 models)").click()
        expect(seat.page.get_by_role("button", name=re.compile("^Model:"))).to_contain_text(NAMES[0])
        with own_house.server.client() as client:
            (endpoint,) = client.get("/api/endpoints").json()["endpoints"]
            assert (endpoint["base_url"], tuple(endpoint["models"])) == (address, NAMES)
            chosen = client.get("/api/agents").json()["defaults"]
            assert (chosen["agent"], chosen["model"]) == ("builtin", f"ollama/{NAMES[0]}")
        seat.expect_well()


def test_an_agent_is_chosen_for_all_sessions_by_one_press(chromium: Browser, own_house: House) -> None:
    with desk(chromium, own_house) as place:
        seat = arriving(place, HERMES, DATA)
        expect(seat.page.get_by_text("48 sessions")).to_be_visible()
        seat.page.get_by_role("button", name="Use Hermes 0.19.0").click()
        expect(seat.page.get_by_role("button", name=re.compile("^Agent:"))).to_contain_text("Hermes")
        with own_house.server.client() as client:
            assert client.get("/api/agents").json()["defaults"]["agent"] == "hermes"
        seat.expect_well()


def test_a_key_in_the_environment_is_used_with_the_model_that_is_chosen(chromium: Browser, tmp_path: Path) -> None:
    with models() as address, House(tmp_path / "home") as house:
        given = ("env", "OPENAI_API_KEY=sk-in-the-environment", f"OPENAI_BASE_URL={address}")
        house.start(command=(*given, *HOLDFAST))
        with desk(chromium, house) as place:
            seat = Seat(place.context.new_page(), place.link)
            seat.open()
            seat.page.get_by_role("button", name="Use OPENAI_API_KEY").click(timeout=PATIENCE_MS)
            seat.page.get_by_label("Model", exact=True).select_option(NAMES[1], timeout=PATIENCE_MS)
            expect(seat.page.get_by_role("button", name=re.compile("^Model:"))).to_contain_text(NAMES[1])
            with house.server.client() as client:
                (endpoint,) = client.get("/api/endpoints").json()["endpoints"]
                assert (endpoint["key_from"], endpoint["key_env"]) == ("environment", "OPENAI_API_KEY")
            assert "sk-in-the-environment" not in (house.home / "endpoints.json").read_text()
            seat.expect_well()


def test_with_nothing_found_there_is_the_tour_and_a_way_to_settings(chromium: Browser, own_house: House) -> None:
    with desk(chromium, own_house) as place:
        seat = arriving(place)
        seat.page.get_by_role("link", name="Add a model").click()
        expect(seat.page.get_by_role("heading", name="Models")).to_be_in_viewport()
        seat.page.go_back()
        seat.page.get_by_role("button", name="Start the tour").click()
        expect(seat.page.get_by_role("heading", name="Welcome to Holdfast")).to_be_visible(timeout=PATIENCE_MS)
        seat.expect_well()


def test_whoever_has_begun_something_is_offered_nothing(chromium: Browser, own_house: House) -> None:
    Person(own_house).begin(title="The first one")
    with desk(chromium, own_house) as place:
        seat = arriving(place, HERMES)
        expect(seat.page.get_by_role("button", name=re.compile("^Agent:"))).to_contain_text("Tour")
        expect(seat.page.get_by_role("button", name="Use Hermes 0.19.0")).to_have_count(0)
        seat.page.wait_for_timeout(1_500)
        assert len([address for address in seat.addresses if address.endswith("/api/agents")]) == 1
        seat.page.unroute_all(behavior="wait")
        seat.expect_well()


def test_a_folder_offers_what_could_be_asked_first_and_a_press_writes_it_down(
    chromium: Browser, own_house: House, tmp_path: Path
) -> None:
    (tmp_path / "README.md").touch()
    (tmp_path / "Makefile").touch()
    person = Person(own_house)
    with desk(chromium, own_house, script=f"localStorage.setItem('holdfast.folder', '\"{tmp_path}\"');") as place:
        seat = place.tab()
        offered = seat.page.get_by_role("list", name="To begin with").get_by_role("button")
        expect(offered).to_have_count(3)
        offered.first.click()
        expect(seat.field).to_have_value("Read README.md and tell me what this project is.")
        expect(seat.field).to_be_focused()
        expect(offered).to_have_count(0)
        seat.field.fill("")
        expect(offered).to_have_count(3)
        person.begin(workspace=str(tmp_path))
        expect(offered).to_have_count(0)  # whoever has begun something here knows the way
        seat.expect_well()
