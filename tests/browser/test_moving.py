"""Coming from elsewhere and leaving: sessions are taken over and handed out by a press, and nothing of them is lost."""

import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, Seat, desk
from tests.browser.found import HERMES, finds, talked
from tests.browser.test_sessions import menu, row
from tests.journeys.house import QUIET, House
from tests.journeys.person import Person
from tests.transfer.webui import Webui, assistant, user

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def settings(seat: Seat) -> None:
    seat.page.goto(f"{seat.link}/settings#moving")
    expect(seat.page.get_by_role("heading", name="Import and export")).to_be_in_viewport(timeout=PATIENCE_MS)


@pytest.mark.parametrize(("screen", "theme"), [("desk", "light"), ("phone", "dark")])
def test_the_sessions_of_hermes_webui_are_taken_over(
    chromium: Browser, own_house: House, tmp_path: Path, screen: str, theme: str
) -> None:
    webui = Webui(tmp_path / "state")
    parts = [{"type": "text", "text": "Where is the harbour?"}, {"type": "audio"}, {"type": "audio"}]
    webui.session("aa11", [user(parts), assistant("Behind the second pier.")], title="The harbour")
    webui.session("bb22", [user("And the lighthouse?"), assistant("On the rock.")], title="The lighthouse")
    (webui.sessions / "cc33.json").write_text("{", "utf-8")
    with desk(chromium, own_house, screen=screen, theme="dark" if theme == "dark" else "light") as place:
        seat = place.tab()
        settings(seat)
        region = seat.page.get_by_role("region", name="Import", exact=True)
        region.get_by_role("textbox").fill(str(webui.folder))
        region.get_by_role("button", name="Take over its sessions").click()
        expect(region.get_by_text("2 sessions taken over, with 4 messages.")).to_be_visible(timeout=PATIENCE_MS)
        seat.page.reload()  # whoever comes back finds how it went
        expect(region.get_by_text("2 sessions taken over, with 4 messages.")).to_be_visible(timeout=PATIENCE_MS)
        region.get_by_text("Not taken over: 3").click()  # two of these are the same line
        expect(region.get_by_text("cc33", exact=False).first).to_be_visible()
        seat.expect_fits()
        assert serious(seat) == []
        region.get_by_role("textbox").fill(str(webui.folder))
        region.get_by_role("button", name="Take over its sessions").click()
        expect(region.get_by_text("2 of", exact=False)).to_be_visible(timeout=PATIENCE_MS)
        # The address that somebody has written down leads there.
        seat.page.goto(f"{seat.link}/session/aa11")
        expect(seat.prose.first).to_have_text("Behind the second pier.", timeout=PATIENCE_MS)
        assert not seat.page.url.endswith("aa11")
        seat.expect_well()


def test_one_that_is_not_there_is_said(chromium: Browser, own_house: House, tmp_path: Path) -> None:
    with desk(chromium, own_house) as place:
        seat = place.tab()
        settings(seat)
        region = seat.page.get_by_role("region", name="Import", exact=True)
        region.get_by_role("textbox").fill(str(tmp_path / "nowhere"))
        region.get_by_role("button", name="Take over its sessions").click()
        expect(region.get_by_role("alert")).to_contain_text("nowhere", timeout=PATIENCE_MS)


def test_a_session_is_kept_as_a_file(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    session = person.begin(title="The harbour")
    person.wait_for_end(session, person.say(session, "!say Behind the **second** pier."))
    with desk(chromium, own_house) as place:
        seat = place.tab(session)
        menu(seat, "The harbour", "Export…")
        with seat.page.expect_download(timeout=PATIENCE_MS) as kept:
            seat.page.get_by_role("menuitem", name="Markdown").click()
        assert kept.value.suggested_filename.endswith(".md")
        assert "Behind the **second** pier." in Path(kept.value.path()).read_text("utf-8")
        expect(seat.page.get_by_role("menu")).to_have_count(0)
        seat.expect_well()


def test_an_export_that_does_not_come_is_told_where_it_was_asked_for(chromium: Browser, own_house: House) -> None:
    session = Person(own_house).begin(title="The harbour")
    with desk(chromium, own_house) as place:
        seat = place.tab(session)
        seat.page.route("**/export?*", lambda route: route.abort())
        menu(seat, "The harbour", "Export…")
        seat.page.get_by_role("menuitem", name="JSON").click()
        expect(seat.page.get_by_role("menu").get_by_role("alert")).to_have_text("The server does not answer.")


def test_what_is_exported_here_can_be_imported_there(chromium: Browser, own_house: House, tmp_path: Path) -> None:
    person = Person(own_house)
    session = person.begin(title="The harbour")
    person.wait_for_end(session, person.say(session, "!say Behind the second pier."))
    with desk(chromium, own_house) as place:
        seat = place.tab(session)
        menu(seat, "The harbour", "Export…")
        with seat.page.expect_download(timeout=PATIENCE_MS) as kept:
            seat.page.get_by_role("menuitem", name="JSON").click()
        file = tmp_path / "harbour.json"
        kept.value.save_as(file)
        settings(seat)
        seat.page.get_by_role("region", name="Export", exact=True).get_by_role("combobox").select_option("json")
        with seat.page.expect_download(timeout=PATIENCE_MS) as every:
            seat.page.get_by_role("button", name="Export all sessions").click()
        assert every.value.suggested_filename.endswith(".zip")
        archive = tmp_path / "all.zip"
        every.value.save_as(archive)
    with House(tmp_path / "there") as there:
        there.start()
        with desk(chromium, there) as place:
            seat = place.tab()
            settings(seat)
            region = seat.page.get_by_role("region", name="Import", exact=True)
            region.get_by_label("Import a file").set_input_files(file)
            expect(region.get_by_text("1 session taken over", exact=False)).to_be_visible(timeout=PATIENCE_MS)
            row(seat, "The harbour").click()
            expect(seat.prose.first).to_have_text("Behind the second pier.", timeout=PATIENCE_MS)
            settings(seat)
            region.get_by_label("Import a file").set_input_files(archive)
            expect(region.get_by_text("here from an earlier time", exact=False)).to_be_visible(timeout=PATIENCE_MS)
            seat.expect_well()


def test_what_hermes_was_told_elsewhere_is_gone_on_with(chromium: Browser, tmp_path: Path) -> None:
    """The session is Hermes' own conversation from its first message on. The scripted agent stands in for Hermes."""
    config = f'[agents.hermes]\ntitle = "Hermes"\ncommand = ["{sys.executable}", "-m", "holdfast.agents.scripted"]\n'
    with House(tmp_path / "home", QUIET + config) as house:
        house.start()
        with desk(chromium, house) as place:
            seat = Seat(place.context.new_page(), place.link)
            finds(seat.page, HERMES)
            talked(seat.page)
            seat.open()
            seat.page.get_by_role("button", name=re.compile("^Agent:")).click()
            seat.page.get_by_role("option", name="Hermes").click()
            seat.page.get_by_text("Go on with a conversation that Hermes had elsewhere").click()
            seat.page.get_by_role("button", name="Go on with Weekly report").click(timeout=PATIENCE_MS)
            expect(seat.page.get_by_role("heading", level=1)).to_have_text("Weekly report", timeout=PATIENCE_MS)
            session = seat.page.url.rpartition("/")[2]
            with house.server.client() as client:
                (created, *_) = client.get(f"/api/sessions/{session}/records", params={"after": 0}).json()["records"]
            assert (created["event"]["agent"], created["event"]["reference"]) == ("hermes", "s2")
            seat.expect_well()
