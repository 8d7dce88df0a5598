"""Several tabs, and tabs that come back: one connection for all, and current as soon as somebody looks."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, desk, stored_words
from tests.browser.gate import Gate
from tests.browser.test_live import LED, words
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIGNS = {
    "visibilitychange": "document.dispatchEvent(new Event('visibilitychange'))",
    "resume": "document.dispatchEvent(new Event('resume'))",
    "pageshow": "dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))",
    "online": "dispatchEvent(new Event('online'))",
}
DOUBT_MS = 8_500
"""After so much silence a connection is doubted as soon as somebody looks; by itself only after a minute."""


@pytest.mark.contract("C12")
def test_without_shared_workers_one_tab_has_the_connection_for_all_and_another_takes_over(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link, script=LED) as place:
        seats = [place.tab(session) for _ in range(4)]
        for seat in seats:
            expect(seat.field).to_be_visible()
        wait_until(lambda: gate.streams == 1, "one live connection")
        person.say(session, "!stream 400 20")
        for seat in seats:
            expect(seat.prose.first).to_contain_text("word20", timeout=PATIENCE_MS)
        leader, *others = seats
        leader.page.close()
        for seat in others:
            expect(seat.prose.first).to_have_text(words(400), timeout=60_000)
            assert seat.words() == stored_words(person, session)
            seat.expect_well()
        assert gate.streams == 1


@pytest.mark.parametrize("sign", SIGNS)
def test_a_tab_that_comes_back_is_current_at_once(chromium: Browser, house: House, person: Person, sign: str) -> None:
    """A connection that died in silence, as under a closed lid, is replaced when somebody looks, not a minute later."""
    session = person.begin()
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link) as place:
        seat = place.tab(session)
        person.wait_for_end(session, person.say(session, "!say here"))
        expect(seat.prose).to_have_text(["here"], timeout=PATIENCE_MS)
        seat.expect_idle()
        seat.page.wait_for_timeout(1_000)  # what the page wants to follow is settled
        opened = gate.opened
        gate.freeze()
        person.wait_for_end(session, person.say(session, "!say while you were away"))
        seat.page.wait_for_timeout(DOUBT_MS)
        expect(seat.prose).to_have_text(["here"])
        seat.page.evaluate(SIGNS[sign])
        expect(seat.prose).to_have_text(["here", "while you were away"], timeout=PATIENCE_MS)
        assert gate.opened == opened + 1
        assert seat.troubles == []
