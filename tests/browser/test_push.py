"""The worker of the page keeps it for when the server is away, shows what is pushed, and leads to the card."""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Worker, expect

from holdfast.server.assets import FOLDER
from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, SCREENS, Desk, Seat, Theme, desk
from tests.browser.gate import Gate
from tests.journeys.handset import Handset
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.journeys.test_push import CONFIG

pytestmark = [pytest.mark.browser, pytest.mark.slow]

READY = "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"
# A browser without a screen shows none, and one without a network has no push service; these write down and pretend.
SHOWING = """() => {
    self.shown = []
    registration.showNotification = async (title, options) => {
        self.shown.push({title, ...options, close() { self.shown = self.shown.filter((each) => each !== this) }})
    }
    registration.getNotifications = async ({tag}) => self.shown.filter((each) => each.tag === tag)
    WindowClient.prototype.focus = async function () { return this }
}"""
SUBSCRIBING = """
    let standing = 'default'
    Object.defineProperty(Notification, 'permission', {get: () => standing})
    Notification.requestPermission = async () => (standing = 'granted')
    const given = {endpoint: ENDPOINT, keys: KEYS}
    let there = null
    PushManager.prototype.getSubscription = async () => there
    PushManager.prototype.subscribe = async (asked) => {
        if (!asked.userVisibleOnly || asked.applicationServerKey.length !== 87) throw new Error('no')
        return (there = {toJSON: () => given, unsubscribe: async () => (there = null)})
    }
"""
TELLING = """
    window.told = {}
    Object.defineProperty(Notification, 'permission', {get: () => 'granted'})
    ServiceWorkerRegistration.prototype.showNotification = async (title, {tag, body}) => { window.told[tag] = body }
    ServiceWorkerRegistration.prototype.getNotifications = async () => []
"""
UPGRADED = """
import sys
from pathlib import Path
from holdfast.cli import main
from holdfast.server import serve
serve.FOLDER = Path(sys.argv.pop(1))
sys.exit(main())
"""


def worker_of(place: Desk, seat: Seat) -> Worker:
    """The worker, once it rules over the tab."""
    wait_until(lambda: seat.page.evaluate(READY), "a worker")
    return place.context.service_workers[0]


def push(worker: Worker, **said: Any) -> list[dict[str, Any]]:
    """Deliver a push, and return what is shown then."""
    shown: list[dict[str, Any]] = worker.evaluate(
        """async (said) => {
            const data = {json: () => JSON.parse(said)}
            let done
            self.dispatchEvent(Object.assign(new Event('push'), {data, waitUntil: (act) => (done = act)}))
            await done
            return self.shown.map(({title, body, tag, data}) => ({title, body, tag, data}))
        }""",
        json.dumps(said),
    )
    return shown


def newer_page(folder: Path) -> Path:
    """The page of another release: what it is made of has other names there."""
    shutil.copytree(FOLDER, folder)
    scripts = list(folder.glob("assets/*.js"))
    for text in [*scripts, folder / "index.html", folder / "diagram.html"]:
        words = text.read_text("utf-8")
        for script in scripts:
            words = words.replace(script.name, f"{script.stem}-newer.js")
        text.write_text(words, "utf-8")
    for script in scripts:
        script.rename(script.with_name(f"{script.stem}-newer.js"))
    index = folder / "index.html"
    index.write_text(index.read_text("utf-8").replace("<title>", '<meta name="newer" content="" /><title>'), "utf-8")
    return folder


@pytest.mark.parametrize(("screen", "theme"), [("desk", "light"), ("phone", "dark")])
def test_while_the_server_is_away_the_page_opens_and_says_so(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    """At the session, at the list, where an installed page opens, and at every other address of it."""
    session = person.begin(title="Still here")
    link = house.server.link
    with Gate(link) as gate, desk(chromium, house, link=gate.link, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        worker_of(place, seat)
        gate.shut = True
        gate.cut()
        seat.page.reload()
        seat.expect_text("Looking for the server…")
        seat.expect_text("Can’t reach the server. Your messages wait here.")
        assert serious(seat) == []
        seat.expect_fits()
        seat.open()
        expect(seat.page.get_by_text("Can’t reach the server. Your sessions come when it answers.")).to_be_visible()
        assert serious(seat) == []
        seat.expect_fits()
        seat.shot(f"away-{screen}-{theme}")
        for place_of, title in (("settings", "Settings"), ("insights", "Insights")):
            seat.page.goto(f"{seat.link}/{place_of}")
            expect(seat.page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        seat.open(session)
        gate.shut = False
        expect(seat.field).to_be_visible(timeout=PATIENCE_MS)
        seat.expect_text("Still here")


def test_after_an_upgrade_a_tab_goes_on_whole_and_a_reload_is_the_new_page(
    chromium: Browser, own_house: House, tmp_path: Path
) -> None:
    with Gate(own_house.server.link) as gate, desk(chromium, own_house, link=gate.link) as place:
        seat = place.tab()
        worker_of(place, seat)
        command = (sys.executable, "-W", "error", "-c", UPGRADED, str(newer_page(tmp_path / "newer")))
        own_house.restart(command=command)
        gate.target = own_house.server.link
        seat.page.get_by_role("link", name="Settings").click()
        expect(seat.page.get_by_role("heading", name="Appearance")).to_be_visible()
        seat.page.reload()
        expect(seat.page.locator("meta[name=newer]")).to_have_count(1)
        expect(seat.page.get_by_role("heading", name="Appearance")).to_be_visible()
        assert any(re.search(r"SettingsView-[\w-]+-newer", address) for address in seat.addresses)


def test_after_an_upgrade_what_is_kept_is_the_new_page_and_nothing_else(
    chromium: Browser, own_house: House, tmp_path: Path
) -> None:
    """Once no tab runs on the page before: then it opens without a server, and the old one takes no room."""
    kept = "caches.keys().then((names) => names.filter((name) => name.startsWith('holdfast http')).length)"
    waits = "navigator.serviceWorker.getRegistration().then((each) => each.waiting !== null)"
    with Gate(own_house.server.link) as gate, desk(chromium, own_house, link=gate.link) as place:
        seat = place.tab()
        worker_of(place, seat)
        command = (sys.executable, "-W", "error", "-c", UPGRADED, str(newer_page(tmp_path / "newer")))
        own_house.restart(command=command)
        gate.target = own_house.server.link
        seat.page.reload()
        wait_until(lambda: seat.page.evaluate(waits), "a newer worker")
        assert seat.page.evaluate(kept) == 2
        seat.page.goto("about:blank")

        def renewed() -> bool:
            """It takes over in the moment in which no tab is left, or in the next."""
            seat.open()
            one = seat.page.evaluate(kept) == 1
            if not one:
                seat.page.goto("about:blank")
            return one

        wait_until(renewed, "the newer page alone")
        worker_of(place, seat)
        gate.shut = True
        gate.cut()
        seat.page.reload()
        expect(seat.page.locator("meta[name=newer]")).to_have_count(1)
        expect(seat.page.get_by_text("Can’t reach the server. Your sessions come when it answers.")).to_be_visible()


def test_a_push_is_shown_once_taken_back_and_leads_to_the_tab_and_the_card(
    chromium: Browser, house: House, person: Person
) -> None:
    waits, open_now = person.begin(title="Waits"), person.begin(title="Open")
    person.say(waits, "!approve make")
    (ask,) = person.wait_for_ask(waits)
    shown = {"session": waits, "name": ask["ask"]}
    with desk(chromium, house) as place:
        seat = place.tab(open_now)
        worker = worker_of(place, seat)
        worker.evaluate(SHOWING)
        (notice,) = push(worker, kind="approval", shown=shown, title="Waits", body="Waits for your approval.")
        assert notice["tag"] == f"holdfast-{ask['ask']}"
        worker.evaluate(
            """(data) => self.dispatchEvent(Object.assign(new Event('notificationclick'), {
                notification: {data, close() {}}, waitUntil() {},
            }))""",
            shown,
        )
        expect(seat.page).to_have_url(re.compile(f"/session/{waits}$"))
        expect(seat.cards).to_have_count(1)
        assert push(worker, kind="over", shown=shown, title="", body="") == []
        assert len(person.asks(waits)) == 1
        fresh = place.tab()
        fresh.page.goto(f"{fresh.link}/session/{waits}#ask={ask['ask']}")
        expect(fresh.cards).to_have_count(1)
        seat.expect_well()


def test_a_push_is_told_in_the_language_of_the_page(chromium: Browser, house: House, person: Person) -> None:
    """What the page has no words for is told as it came."""
    shown = {"session": person.begin(title="Waits"), "name": "ask"}
    with desk(chromium, house, script="localStorage.setItem('holdfast.language', '\"de\"')") as place:
        seat = place.tab()
        worker = worker_of(place, seat)
        told = "caches.keys().then((names) => names.some((name) => name.startsWith('holdfast-words ')))"
        wait_until(lambda: worker.evaluate(told), "the words of the page")
        worker.evaluate(SHOWING)
        push(worker, kind="approval", shown=shown, title="Waits", body="Waits for your approval.\nmake")
        push(worker, kind="ended", outcome="failed", shown=shown, title="Waits", body="It failed.")
        notices = push(worker, kind="ended", outcome="new", shown=shown, title="Waits", body="It is new.")
        bodies = ["Wartet auf eine Freigabe.\nmake", "Fehlgeschlagen.", "It is new."]
        assert [notice["body"] for notice in notices] == bodies


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", list(SCREENS))
def test_push_is_switched_on_in_the_settings_and_reaches_the_device(
    chromium: Browser, tmp_path: Path, screen: str, theme: Theme
) -> None:
    with House(tmp_path / "home", CONFIG) as house, Handset() as handset:
        house.start()
        handset.sign_in(house)
        script = SUBSCRIBING.replace("ENDPOINT", json.dumps(handset.endpoint)).replace("KEYS", json.dumps(handset.keys))
        script += f"localStorage.setItem('holdfast.token', {handset.token!r})"
        with desk(chromium, house, screen=screen, theme=theme, script=script) as place:
            seat = place.tab()
            worker_of(place, seat)
            seat.page.goto(f"{seat.link}/settings#notifications")
            switch = seat.page.get_by_role("checkbox", name="Tell me when no tab is open, too")
            expect(switch).to_be_enabled()
            expect(switch).not_to_be_checked()
            expect(seat.page.get_by_role("button", name="Notify me when something waits").last).to_be_visible()
            switch.click()
            seat.expect_text("This browser tells you when a session waits for an answer")  # it was asked once for both
            details = seat.page.get_by_role("checkbox", name="Show the command or the question as well")
            details.click()
            expect(details).to_be_checked()
            expect(details).to_be_enabled()
            assert handset.ask(house, "GET", "/api/push").json()["details"]
            assert serious(seat) == []
            seat.expect_fits()
            seat.shot(f"push-{screen}-{theme}")
            seat.page.close()
        person = Person(house)
        session = person.begin(title="Tidy up")
        person.say(session, "!approve make")
        assert handset.wait(1)[0]["body"] == "Waits for your approval.\nmake"


@pytest.mark.parametrize(("details", "body"), [("true", "make harbour"), ("false", "Waits for your approval.")])
def test_a_tab_tells_no_more_than_a_push_would(
    chromium: Browser, house: House, person: Person, details: str, body: str
) -> None:
    """Who wants no command on this screen gets none, though the page is open."""
    waits, open_now = person.begin(title="Waits"), person.begin(title="Open")
    script = f"{TELLING} localStorage.setItem('holdfast.push', '{{\"details\":{details}}}')"
    with desk(chromium, house, script=script) as place:
        seat = place.tab(open_now)
        worker_of(place, seat)
        person.say(waits, '!approve "make harbour"')
        (ask,) = person.wait_for_ask(waits)
        tagged = f"window.told['holdfast-{ask['ask']}'] ?? ''"
        wait_until(lambda: seat.page.evaluate(tagged), "a notification")
        assert seat.page.evaluate(tagged) == body
        seat.expect_well()


def test_where_nobody_may_be_told_the_settings_say_why(chromium: Browser, house: House) -> None:
    """By plain http from elsewhere there is no worker and no push; the page works all the same."""
    with Gate(house.server.link) as gate:
        link = gate.link.replace("127.0.0.1", "harbour.test")
        with desk(chromium, house, link=link) as place:
            seat = place.tab()
            seat.page.goto(f"{seat.link}/settings#notifications")
            seat.expect_text("Open Holdfast over https to switch it on.")
            expect(seat.page.get_by_role("checkbox", name="Tell me when no tab is open, too")).to_have_count(0)
            assert not seat.page.evaluate("'serviceWorker' in navigator")
            seat.expect_well()


def test_an_install_is_offered_in_the_settings_where_the_browser_offers_it(chromium: Browser, house: House) -> None:
    with desk(chromium, house) as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/settings#notifications")
        press = seat.page.get_by_role("button", name="Install", exact=True)
        expect(seat.page.get_by_role("heading", name="Notifications")).to_be_visible()
        expect(press).to_have_count(0)
        offer = (
            "dispatchEvent(Object.assign(new Event('beforeinstallprompt'), {prompt: async () => (window.asked = 1)}))"
        )
        seat.page.evaluate(offer)
        press.click()
        assert seat.page.evaluate("window.asked") == 1
        seat.page.evaluate(offer)
        seat.page.get_by_role("button", name="Don’t show this again").click()
        seat.page.reload()
        expect(seat.page.get_by_role("heading", name="Notifications")).to_be_visible()
        seat.page.evaluate(offer)
        expect(press).to_have_count(0)
