"""Two minutes of looking to and fro between sessions that stream: what the page holds does not grow with time.

The heap is measured after garbage was collected, and its slope is that of a line through all measurements but the first
ones, in which the page fills its caches. What a session holds while it is open is part of every measurement alike.
"""

from statistics import linear_regression
from time import monotonic

import pytest
from playwright.sync_api import Browser, CDPSession, expect

from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, Desk, desk
from tests.browser.test_live import words
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SECONDS = 120
WARM = 12
"""Looks, in which the page fills its caches and the engine compiles."""
SLOPE = 40_000
"""Bytes a look, which has some 30 kB of text: twice what noise gives, half of what is kept of a look that leaks."""


LEAKS = """() => (window.leaked ??= []).push(document.querySelector('main').cloneNode(true))"""
"""Keep what one look has shown, as a page would that forgets to let go of it."""


def held(tools: CDPSession) -> float:
    """Bytes of objects, of nodes and of buffers, after the garbage has gone."""
    tools.send("HeapProfiler.collectGarbage")
    found = tools.send("Runtime.getHeapUsage")
    return float(found["usedSize"] + found["embedderHeapUsedSize"] + found["backingStorageSize"])


def test_two_minutes_of_streams_and_looks_leave_nothing_behind(chromium: Browser, house: House, person: Person) -> None:
    sessions = [person.begin(title=f"Soak {number}") for number in range(3)]
    with desk(chromium, house) as place:
        looks, sizes = soaked(place, person, sessions, SECONDS)
        slope, _ = linear_regression(looks, sizes)
        print(f"slope {slope:.0f}")
        assert slope < SLOPE, [f"{look}: {size / 1e6:.2f} MB" for look, size in zip(looks, sizes, strict=True)]


def test_the_soak_sees_a_page_that_keeps_what_it_has_shown(chromium: Browser, house: House, person: Person) -> None:
    sessions = [person.begin(title=f"Leak {number}") for number in range(3)]
    with desk(chromium, house) as place:
        looks, sizes = soaked(place, person, sessions, 60, leaks=True)
        slope, _ = linear_regression(looks, sizes)
        print(f"slope {slope:.0f}")
        assert slope > SLOPE, [f"{look}: {size / 1e6:.2f} MB" for look, size in zip(looks, sizes, strict=True)]


def soaked(
    place: Desk, person: Person, sessions: list[SessionId], seconds: float, *, leaks: bool = False
) -> tuple[list[int], list[float]]:
    seat = place.tab(sessions[0])
    tools = place.context.new_cdp_session(seat.page)
    started, looks, sizes = monotonic(), list[int](), list[float]()
    for number in range(10_000):
        session = sessions[number % len(sessions)]
        seat.page.locator(f"nav a[href='/session/{session}']").click()
        expect(seat.page.locator(f"nav a[href='/session/{session}']")).to_have_attribute("aria-current", "page")
        # What was said before leaves the session, so that every look sees as much as the one before.
        person.post(f"/api/sessions/{session}/truncate", {}).raise_for_status()
        turn = person.say(session, f'!tool read {{"path":"a.txt"}} 1 found\n!bytes 30000\n!stream 100 5 n{number}-')
        expect(seat.prose.last).to_have_text(words(100, f"n{number}-"), timeout=PATIENCE_MS)
        person.wait_for_end(session, turn)
        seat.expect_idle()
        if leaks:
            seat.page.evaluate(LEAKS)
        elapsed = monotonic() - started
        if number >= WARM:
            looks.append(number)
            sizes.append(held(tools))
        if elapsed > seconds and len(looks) > WARM:
            break
    seat.expect_well()
    return looks, sizes
