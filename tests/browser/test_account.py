"""Settings that reach the server: agents, model endpoints, the password, devices, and a link for a phone."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, Seat, desk
from tests.browser.found import NAMES, models
from tests.journeys.house import House

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PASSWORD = "eleven swans at low tide"


def arrived(seat: Seat, section: str) -> None:
    seat.page.goto(f"{seat.link}/settings#{section}")


def test_an_endpoint_is_tried_added_changed_and_removed(chromium: Browser, house: House) -> None:
    with models() as address, desk(chromium, house) as place:
        seat = place.tab()
        arrived(seat, "models")
        region = seat.page.get_by_role("region", name="Models")
        region.get_by_role("button", name="Add an endpoint").click()
        region.get_by_label("Name").fill("harbour")
        region.get_by_label("Address").fill(address)
        region.get_by_label("Key").fill("sk-swans")
        region.get_by_role("button", name="Test").click()
        expect(region.get_by_role("status")).to_have_text("It answers, with 3 models.", timeout=PATIENCE_MS)
        region.get_by_role("checkbox", name=NAMES[1]).check()
        region.get_by_role("button", name="Save").click()
        line = region.get_by_role("listitem")
        expect(line).to_contain_text("1 model · Key saved")
        line.get_by_role("button", name="Edit").click()
        expect(region.get_by_label("Key")).to_have_value("")
        region.get_by_label("Another model").fill("of-my-own")
        region.get_by_role("button", name="Save").click()
        expect(line).to_contain_text("2 models · Key saved")
        with house.server.client() as client:
            (endpoint,) = client.get("/api/endpoints").json()["endpoints"]
            assert endpoint["models"] == [NAMES[1], "of-my-own"]
        line.get_by_role("button", name="Remove").click()
        expect(line).to_have_count(0)
        assert "sk-swans" not in seat.page.content()
        seat.expect_well()


def test_an_address_that_does_not_answer_says_so(chromium: Browser, house: House) -> None:
    with models() as address:
        pass  # nobody is there any more
    with desk(chromium, house) as place:
        seat = place.tab()
        arrived(seat, "models")
        region = seat.page.get_by_role("region", name="Models")
        region.get_by_role("button", name="Add an endpoint").click()
        region.get_by_label("Address").fill(address)
        region.get_by_role("button", name="Test").click()
        expect(region.get_by_role("status")).to_contain_text("can't be reached", timeout=PATIENCE_MS)
        seat.expect_well()


def test_agents_are_checked_and_chosen(chromium: Browser, own_house: House) -> None:
    with desk(chromium, own_house) as place:
        seat = place.tab()
        arrived(seat, "agents")
        region = seat.page.get_by_role("region", name="Agents")
        region.get_by_role("button", name="Check Tour").click(timeout=PATIENCE_MS)
        expect(region.get_by_text("It works.")).to_be_visible(timeout=PATIENCE_MS)
        builtin = region.get_by_role("listitem").filter(has_text="Built-in").first
        expect(builtin).to_contain_text("It has no model yet.")
        expect(builtin.get_by_role("button", name="for new sessions")).to_be_disabled()
        seat.expect_well()


def test_the_password_is_set_by_whoever_stays_signed_in(chromium: Browser, own_house: House) -> None:
    """Every other sign-in ends at once, live ones too; the new password opens the door again."""
    with desk(chromium, own_house) as place, chromium.new_context() as elsewhere:
        other = Seat(elsewhere.new_page(), own_house.server.link)
        other.page.goto(f"{other.link}/#code={own_house.server.code}")
        expect(other.page.get_by_role("heading", name="What should be done?")).to_be_visible(timeout=PATIENCE_MS)
        seat = place.tab()
        arrived(seat, "sign-in")
        region = seat.page.get_by_role("region", name="Sign-in")
        region.get_by_role("button", name="Set a password").click()
        region.get_by_label("The new one").fill(PASSWORD)
        region.get_by_role("button", name="Save").click()
        expect(region.get_by_text("A password is set.")).to_be_visible(timeout=PATIENCE_MS)
        other.expect_text("not valid any more")
        other.page.get_by_label("Or with the password").fill("not this one, I fear")
        other.page.get_by_role("button", name="Sign in").click()
        expect(other.page.get_by_role("alert")).to_be_visible(timeout=PATIENCE_MS)
        other.page.get_by_label("Or with the password").fill(PASSWORD)
        other.page.get_by_role("button", name="Sign in").click()
        expect(other.page.get_by_role("heading", name="What should be done?")).to_be_visible(timeout=PATIENCE_MS)
        # Whoever changed it goes on, and hears what happens.
        seat.page.get_by_role("link", name="Settings").click()
        other.say("!say hello")
        expect(seat.rows.first).to_be_visible(timeout=PATIENCE_MS)


def test_a_phone_is_connected_and_signed_out(chromium: Browser, own_house: House) -> None:
    with desk(chromium, own_house) as place, chromium.new_context(viewport={"width": 390, "height": 844}) as pocket:
        seat = place.tab()
        arrived(seat, "sign-in")
        region = seat.page.get_by_role("region", name="Sign-in")
        region.get_by_role("button", name="Connect a phone").click()
        expect(region.get_by_role("img", name="The link as a QR code")).to_be_visible(timeout=PATIENCE_MS)
        phone = Seat(pocket.new_page(), own_house.server.link)
        phone.page.goto(region.locator("code").inner_text())
        expect(phone.page.get_by_role("button", name="New session")).to_be_visible(timeout=PATIENCE_MS)
        region.get_by_role("button", name="Done").click()
        seat.page.reload()
        others = region.get_by_role("region", name="Devices").get_by_role("listitem")
        others.get_by_role("button", name="Sign out").first.click(timeout=PATIENCE_MS)
        phone.expect_text("not valid any more")
        seat.expect_well()
