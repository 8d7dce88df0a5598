"""An address of hermes-webui, opened here: the session that it meant, at its own address."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, desk
from tests.journeys.house import House
from tests.transfer.test_generated import run
from tests.transfer.webui import Webui, assistant, interrupted, user

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_an_old_address_leads_to_the_session_and_it_goes_on(
    chromium: Browser, own_house: House, tmp_path: Path
) -> None:
    webui = Webui(tmp_path / "webui")
    messages = [assistant("Before anybody asked."), user("Where is Igor?", 2), assistant("In the garden.", 3)]
    webui.session("0123456789ab", [*messages, user("And now?", 4), interrupted(5)], title="Hedgehogs")
    code, said = run(webui.folder, own_house.home)
    assert code == 0, said
    with desk(chromium, own_house) as place:
        seat = place.tab()
        seat.open("0123456789ab")
        seat.expect_text("In the garden.")
        expect(seat.page.get_by_role("heading", level=1)).to_contain_text("Hedgehogs", timeout=PATIENCE_MS)
        expect(seat.page).not_to_have_url(re.compile("0123456789ab"))
        assert seat.troubles == []
        seat.shot("imported")
