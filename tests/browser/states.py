"""Every state that the page can be in, brought about by a real run: for pictures, and for checks of what is reachable.

Each is a function that leaves a tab showing the state. Long, because it is one list: whoever wonders what the page can
look like finds all of it here.
"""

import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from holdfast.agents.scripted.directives import SCRIPT
from holdfast.core.events import SessionChanged
from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, Desk, Seat
from tests.browser.found import DATA, HERMES, finds, ollama, talked, used
from tests.browser.gate import Gate
from tests.browser.written import write_lying
from tests.journeys.house import House
from tests.journeys.person import Person
from tests.transfer.webui import Webui, turns

THINK = "!think The build folder may hold something that is still needed. I look first, then I ask."
MEASURE = '!tool execute {"command":"du -sh build ~/.cache/docker"} 60 3.2G build'
LOOK = f'!tool list_files {{"path":"./build"}} 40 objects.o main.o\n{MEASURE}'
FOUND = (
    "!say The build directory holds **3.2 GB** of stale objects and Docker's cache another **11 GB**. I'd like to "
    "remove both. The images can be pulled again; the build takes about four minutes."
)

CLEAR = "rm -rf ./build && docker system prune -af"
BOTH = f"!approveall {CLEAR} # Deletes files recursively | rm -rf ~/.cache/pip # Deletes files outside of its folder"
CLEAN = "Please clean the build directory and free some disk space."
WALK = "Walk along the shore and tell me what you see."
SEEN = (
    "The tide is out, so the whole ledge lies bare. Nearest to the wall the rock is grey and dry, with lichen on it; a "
    "step further down it turns black, and then the barnacles begin. Below them hang the wracks, bladder wrack first, "
    "toothed wrack where it stays wet for longer. Under their fronds it is cool: periwinkles, a crab or two, limpets "
    "that have ground themselves a place to sit in. Right at the edge of the water stands the kelp. Each plant holds "
    "on to the rock by a fist of branched fingers, its holdfast, and the swell pulls at it without moving it an inch. "
)
WANDER = "!think Whether the ledge can be walked depends on the tide. I look that up, then I go."
TIDE = (
    '!tool read {"path":"tide-table.txt"} 40 Low water 13:10, 0.4 m\n'
    '!tool search {"pattern":"holdfast","path":"field-notes"} 60 kelp.md: it holds on by a fist of branched fingers'
)
SET_OUT = "!say Low water is at **13:10**, so there are two hours. I start at the wall and go down to the water."
TELLS = f"!speak 30 {SEEN * 12}"

RELEASES = (
    '!tool read {"path":"CHANGELOG.md"} 40 0.3: the parser reads msgspec values\n'
    '!tool execute {"command":"python -m bench --only appends"} 60 memory 410,000 per second'
)

MARKDOWN = """\
## What changed

The parser reads `msgspec` values, see [the notes](https://example.com/notes). Its cost is $O(n \\log n)$.

| backend | appends/s | p50 |
|---|--:|--:|
| memory | 410,000 | 0.1 ms |
| SQLite | 35,000 | 0.4 ms |

```python
def greet(name: str) -> None:
    print(f"Hello, {name}!")
```

```mermaid
flowchart LR
  A[Agent] --> B{Dangerous?}
  B -->|yes| C[Ask]
  B -->|no| D[Run]
```
"""


@dataclass(frozen=True)
class Scene:
    """Where a state is brought about."""

    place: Desk
    person: Person
    gate: Gate
    house: House
    folder: Path
    """In which every session works, and in which lies what its agent does."""

    def begin(self, title: str) -> SessionId:
        """A session of this title, and the only one: a state leaves behind what the next may not show twice."""
        for row in self.listed(title):
            self.person.delete(f"/api/sessions/{row}").raise_for_status()
        return self.person.begin(title=title, workspace=str(self.folder))

    def once(self, title: str, **fields: Any) -> SessionId:
        """The session of this title; it is begun if there is none."""
        there = self.listed(title)
        return there[0] if there else self.person.begin(title=title, workspace=str(self.folder), **fields)

    def listed(self, title: str) -> list[SessionId]:
        rows = self.person.get("/api/sessions?limit=200").raise_for_status().json()["sessions"]
        return [SessionId(row["id"]) for row in rows if row["title"] == title]

    def say(self, session: SessionId, said: str, *does: str) -> str:
        """Say something as people do; what the agent does then stands in its folder."""
        script = self.folder / SCRIPT
        known: dict[str, str] = json.loads(script.read_text("utf-8")) if script.exists() else {}
        script.write_text(json.dumps(known | {said: "\n".join(does)}), "utf-8")
        return self.person.say(session, said)

    def ran(self, session: SessionId, said: str, *does: str) -> None:
        self.person.wait_for_end(session, self.say(session, said, *does))

    def began(self, title: str, said: str, *does: str) -> tuple[Seat, SessionId, str]:
        """A session with one message, and a tab that shows it."""
        session = self.begin(title)
        turn = self.say(session, said, *does)
        return self.place.tab(session), session, turn


Act = Callable[[Scene], Seat]
KEPT = "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"
"""That the page has a worker, which opens it without a server."""


def started(seat: Seat) -> Seat:
    expect(seat.page.locator(".frame")).to_be_visible(timeout=PATIENCE_MS)
    if seat.page.get_by_role("button", name="New session").is_visible() and not seat.field.is_visible():
        seat.page.get_by_role("button", name="New session").click()
    expect(seat.field).to_be_visible()
    return seat


def first_run(scene: Scene, *hints: dict[str, Any]) -> Seat:
    """Nothing was ever begun, and this was found on the machine."""
    seat = Seat(scene.place.context.new_page(), scene.place.link)
    finds(seat.page, *hints)
    seat.open()
    started(seat)
    words = "Found on this machine" if hints else "No agent and no model was found"
    expect(seat.page.get_by_text(words).first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def first_run_nothing(scene: Scene) -> Seat:
    return first_run(scene)


def first_run_hermes(scene: Scene) -> Seat:
    return first_run(scene, HERMES, DATA)


def first_run_models(scene: Scene) -> Seat:
    return first_run(scene, ollama())


def choosing(scene: Scene) -> Seat:
    session = scene.begin("What takes up the space")
    scene.ran(session, "What takes up the space here?", LOOK, FOUND)
    seat = scene.place.tab(session)
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    seat.page.get_by_role("button", name=re.compile("^Agent")).click()
    if seat.page.get_by_role("button", name="Agent, model and folder").is_visible():  # one for all of them
        seat.page.get_by_role("dialog").get_by_role("button", name="Agent").click()
    expect(seat.page.get_by_role("option").first).to_be_visible()
    return seat


def commands(scene: Scene) -> Seat:
    seat, session, turn = scene.began("What takes up the space", "What takes up the space here?", LOOK, FOUND)
    scene.person.wait_for_end(session, turn)
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    seat.field.press_sequentially("/")
    expect(seat.page.get_by_role("option").first).to_be_visible()
    return seat


def overview(scene: Scene) -> Seat:
    waits = scene.begin("Clean the build directory")
    scene.say(waits, CLEAN, f"!approve {CLEAR}")
    asks = scene.begin("Deploy docs site")
    scene.say(asks, "Deploy the docs site.", "!ask Which environment should I deploy to? | staging | production")
    runs = scene.begin("Port the parser to msgspec")
    scene.say(
        runs, "Port it.", "!plan Read; Port; Test; Tidy", '!tool execute {"command":"pytest tests/codec -q"} 600000 ok'
    )
    done = scene.begin("Why is the sidebar slow?")
    scene.ran(done, "Why is the sidebar slow?", "!say It reads every row.")
    failed = scene.begin("Nightly triage")
    scene.ran(failed, "Look through what came in tonight.", "!fail The model is out of tea.")
    scene.begin("Rename the settings keys")
    seat = scene.place.tab()
    region = seat.page.get_by_role("region", name="Waits for you")
    expect(region.get_by_text("Deploy docs site").first).to_be_visible(timeout=PATIENCE_MS)
    expect(seat.page.get_by_text("0/4").first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def streaming(scene: Scene) -> Seat:
    seat, *_ = scene.began("A walk at low water", WALK, WANDER, TIDE, SET_OUT, TELLS)
    expect(seat.prose.last).to_contain_text("bare.", timeout=PATIENCE_MS)
    return seat


def approval(scene: Scene) -> Seat:
    command = f"!approve {CLEAR}"
    seat, *_ = scene.began("Clean the build directory", CLEAN, THINK, LOOK, FOUND, command)
    expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
    return seat


def first_sight(scene: Scene) -> Seat:
    """What the README shows first: a run among others that asks before it deletes anything."""
    overview(scene).page.close()
    session = scene.begin("Clean the build directory")
    scene.say(session, CLEAN, THINK, MEASURE, FOUND, BOTH)
    scene.person.wait_for_ask(session, 2)
    seat = scene.place.tab(session)
    expect(seat.page.get_by_text("1 of 2").first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def approvals(scene: Scene) -> Seat:
    seat, *_ = scene.began("Four at once", "Do all four of them.", "!approvemany 4")
    expect(seat.page.get_by_text("1 of 4")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def question(scene: Scene) -> Seat:
    asked = "!ask Which environment should I deploy to? | staging | production | timeout=55"
    seat, *_ = scene.began("Deploy docs site", "Deploy the docs site.", asked)
    expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
    return seat


def queued(scene: Scene) -> Seat:
    seat, session, _turn = scene.began("A long walk", WALK, TELLS)
    scene.person.say(session, "Then write down what you saw.")
    scene.person.say(session, "And mind the tide.")
    expect(seat.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")).to_have_count(2)
    return seat


def stopped(scene: Scene) -> Seat:
    seat, session, turn = scene.began("Stopped half way", WALK, TIDE, TELLS)
    expect(seat.prose.last).to_contain_text("bare.", timeout=PATIENCE_MS)
    scene.person.cancel(session, turn).raise_for_status()
    seat.expect_text("You stopped this at")
    return seat


def failed(scene: Scene) -> Seat:
    seat, *_ = scene.began("Out of tea", CLEAN, FOUND, "!fail The model is out of tea. Put the kettle on.")
    expect(seat.page.get_by_role("note")).to_contain_text("Put the kettle on.", timeout=PATIENCE_MS)
    return seat


def interrupted(scene: Scene) -> Seat:
    seat, session, _ = scene.began("Cut off", WALK, SET_OUT, TELLS)
    expect(seat.prose.last).to_contain_text("bare.", timeout=PATIENCE_MS)
    scene.house.end_runner(session)
    expect(seat.page.get_by_role("button", name="Continue")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def gone(scene: Scene) -> Seat:
    seat = scene.place.tab("nowhere")
    seat.expect_text("This session is not here.")
    return seat


def away(scene: Scene) -> Seat:
    scene.gate.shut = False
    seat, *_ = scene.began("Out at sea", CLEAN, FOUND)
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    scene.gate.shut = True
    scene.gate.cut()
    seat.say("Are you there?")
    seat.expect_text("Runs go on")
    seat.expect_text("Waits here until the server answers")
    return seat


def mortar(scene: Scene, looked_for: str) -> Seat:
    """A session of which something is looked for."""
    session = scene.begin("Mend the harbour wall")
    scene.ran(session, "Which mortar do we need?", "!say The **mortar** wants seawater.")
    scene.ran(session, "What is next?", "!say Tomorrow: fresh mortar, then the mortar of the old wall.")
    seat = scene.place.tab(session)
    expect(seat.prose).to_have_count(2, timeout=PATIENCE_MS)
    seat.page.keyboard.press("Control+f")
    seat.page.get_by_role("textbox", name="Find in this session").fill(looked_for)
    return seat


def finding(scene: Scene) -> Seat:
    seat = mortar(scene, "mortar")
    seat.page.get_by_text("1 of 4").wait_for()
    seat.page.keyboard.press("Shift+Enter")
    seat.page.get_by_text("4 of 4").wait_for()
    return seat


def finding_nothing(scene: Scene) -> Seat:
    seat = mortar(scene, "granite")
    seat.page.get_by_text("Not found").wait_for()
    return seat


def searched(scene: Scene) -> Seat:
    session = scene.begin("Harbour walls")
    scene.ran(session, "Does anything grow on the granite?", "!say The limpets hold fast to the granite.")
    seat = scene.place.tab()
    seat.page.get_by_role("searchbox", name="Search sessions").fill("granite")
    expect(seat.page.locator("nav mark").first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def loading(scene: Scene) -> Seat:
    """The list is there, the session is not yet."""
    session = scene.begin("On its way")
    seat = scene.place.tab()
    expect(seat.page.locator(".frame")).to_be_visible(timeout=PATIENCE_MS)
    seat.page.evaluate("() => void (window.fetch = () => new Promise(() => undefined))")  # nothing is answered any more
    seat.page.locator(f"nav a[href='/session/{session}']").click()
    seat.expect_text("Opening…")
    return seat


def prose(scene: Scene) -> Seat:
    words = MARKDOWN.replace("\n", "\\n")
    seat, session, turn = scene.began("What changed", "What changed since the last release?", RELEASES, f"!say {words}")
    scene.person.wait_for_end(session, turn)
    expect(seat.page.locator(".prose math").first).to_be_visible(timeout=PATIENCE_MS)
    expect(seat.page.locator(".prose .diagram img")).to_be_attached(timeout=PATIENCE_MS)
    return seat


def answering(scene: Scene) -> Seat:
    waits = scene.begin("Clean the build directory")
    scene.say(waits, CLEAN, f"!approve {CLEAR}")
    seat = scene.place.tab()
    row = seat.page.get_by_role("listitem").filter(has=seat.page.locator(f"a[href='/session/{waits}']"))
    row.get_by_role("button", name="Answer").click(timeout=PATIENCE_MS)
    expect(row.get_by_role("button", name="Allow once")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def settings(scene: Scene) -> Seat:
    seat = scene.place.tab()
    seat.page.goto(f"{seat.link}/settings")
    expect(seat.page.get_by_role("heading", name="Approval rules")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def settings_models(scene: Scene) -> Seat:
    seat = settings(scene)
    region = seat.page.get_by_role("region", name="Models")
    region.get_by_role("button", name="Add an endpoint").click()
    region.scroll_into_view_if_needed()
    return seat


def settings_sign_in(scene: Scene) -> Seat:
    seat = settings(scene)
    region = seat.page.get_by_role("region", name="Sign-in")
    region.get_by_role("button", name="Connect a phone").click()
    expect(region.get_by_role("img", name="The link as a QR code")).to_be_visible(timeout=PATIENCE_MS)
    region.evaluate("(node) => node.scrollIntoView({block: 'start'})")
    return seat


def settings_storage(scene: Scene) -> Seat:
    """What takes room; one press away from removing what was put away long ago."""
    for number in range(3):
        write_lying(scene.house.home, SessionId(f"away-{number}"), "Put away", SessionChanged(archived=True))
    seat = scene.place.tab()
    seat.page.goto(f"{seat.link}/settings#storage")
    remove = seat.page.get_by_role("button", name="Remove…")
    expect(remove).to_have_count(3, timeout=PATIENCE_MS)
    remove.nth(1).click()
    expect(seat.page.get_by_role("button", name="for good")).to_be_visible()
    return seat


def settings_about(scene: Scene) -> Seat:
    seat = scene.place.tab()
    seat.page.goto(f"{seat.link}/settings#about")
    seat.page.get_by_role("button", name="Look at everything it stands on").click()
    expect(seat.page.get_by_text("The store is sound")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def larger(scene: Scene) -> Seat:
    """The largest words, where they have the least room."""
    seat = scene.began("What takes up the space", "What takes up the space here?", THINK, LOOK, FOUND)[0]
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    seat.page.evaluate("localStorage.setItem('holdfast.size', '\"larger\"')")
    seat.page.reload()
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    seat.page.evaluate("localStorage.removeItem('holdfast.size')")
    return seat


def settings_moving(scene: Scene) -> Seat:
    """After the sessions of hermes-webui were taken over, but for one that can't be read."""
    webui = Webui(Path(tempfile.mkdtemp()) / "state")
    for number in range(1, 13):
        webui.session(f"a{number}", turns(number, 3), title=f"From hermes-webui, {number}")
    (webui.sessions / "b1.json").write_text("{", "utf-8")
    seat = scene.place.tab()
    seat.page.goto(f"{seat.link}/settings#moving")
    region = seat.page.get_by_role("region", name="Import", exact=True)
    region.get_by_role("textbox").fill(str(webui.folder))
    region.get_by_role("button", name="Take over its sessions").click()
    region.get_by_text("Not taken over: 1").click(timeout=PATIENCE_MS)
    region.get_by_role("textbox").fill("")
    return seat


def going_on(scene: Scene) -> Seat:
    """With Hermes found, what it was told elsewhere."""
    seat = Seat(scene.place.context.new_page(), scene.place.link)
    finds(seat.page, HERMES)
    talked(seat.page)
    seat.open()
    started(seat)
    if seat.page.get_by_role("button", name="Agent, model and folder").is_visible():  # one for all of them
        seat.page.get_by_role("button", name="Agent, model and folder").click()
        seat.page.get_by_role("dialog").get_by_role("button", name="Agent").click()
        seat.page.get_by_role("option", name="Hermes").click()
        seat.page.get_by_role("button", name="Close").last.click()
    else:
        seat.page.get_by_role("button", name=re.compile("^Agent:")).click()
        seat.page.get_by_role("option", name="Hermes").click()
    seat.page.get_by_text("Go on with a conversation that Hermes had elsewhere").click()
    expect(seat.page.get_by_role("button", name="Go on").first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def signed_out(scene: Scene) -> Seat:
    seat = Seat(scene.place.context.new_page(), scene.place.link)
    seat.page.add_init_script("localStorage.removeItem('holdfast.token')")
    seat.open()
    seat.expect_text("holdfast link")
    return seat


def sorted_out(scene: Scene) -> Seat:
    """The list with what its sessions are filed under, not narrowed."""
    scene.once("Mend the harbour wall before the storm", project="Harbour works", tags=["stone", "sea"])
    scene.once("Tar the boat shed", project="Harbour works", tags=["sea"])
    scene.once("Feed the gulls", tags=["birds"])
    seat = Seat(scene.place.context.new_page(), scene.place.link)
    seat.open()
    seat.page.evaluate("localStorage.removeItem('holdfast.filter')")
    seat.open()
    expect(seat.page.locator("nav").get_by_role("link", name="Feed the gulls").first).to_be_visible()
    return seat


def labels(scene: Scene) -> Seat:
    seat = sorted_out(scene)
    seat.page.locator("nav").get_by_role("link", name="Tar the boat shed").first.hover()
    seat.page.get_by_role("button", name="More for Tar the boat shed").first.click()
    seat.page.get_by_role("menuitem", name="Project and tags…").click()
    expect(seat.page.get_by_role("dialog").get_by_role("button", name="#birds")).to_be_visible()
    return seat


def filtering(scene: Scene) -> Seat:
    seat = sorted_out(scene)
    seat.page.get_by_role("button", name="Filter the list").click()
    expect(seat.page.get_by_role("dialog").get_by_role("button", name="#birds")).to_be_visible()
    return seat


def narrowed(scene: Scene) -> Seat:
    """The list with what it is narrowed to above it."""
    seat = filtering(scene)
    for name in ("Harbour works", "#stone"):
        seat.page.get_by_role("dialog").get_by_role("button", name=name).click()
    seat.page.get_by_role("button", name="Done").click()
    expect(seat.page.get_by_role("button", name="Without #stone")).to_be_visible()
    seat.page.evaluate("localStorage.removeItem('holdfast.filter')")
    return seat


def selecting(scene: Scene) -> Seat:
    seat = sorted_out(scene)
    seat.page.get_by_role("button", name="Select sessions").click()
    for title in ("Feed the gulls", "Mend the harbour wall"):
        seat.page.locator("nav").get_by_role("checkbox", name=re.compile(title)).first.click()
    expect(seat.page.get_by_text("2 selected")).to_be_visible()
    return seat


def replay(scene: Scene) -> Seat:
    """A turn played again, at the moment of its ask; it was allowed, and failed later."""
    session = scene.begin("Free some disk space")
    turn = scene.say(session, CLEAN, THINK, LOOK, FOUND, "!approve rm -rf build", "!fail The disk went away.")
    (ask,) = scene.person.wait_for_ask(session)
    scene.person.answer(session, ask["ask"], choice="once").raise_for_status()
    scene.person.wait_for_end(session, turn)
    seat = scene.place.tab()
    seat.page.goto(f"{seat.link}/session/{session}/replay/{turn}")
    seat.page.get_by_role("button", name="To the next ask or failure").click()
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def insights(scene: Scene) -> Seat:
    """With a month behind it."""
    seat = Seat(scene.place.context.new_page(), scene.place.link)
    used(seat.page)
    seat.page.goto(f"{seat.link}/insights")
    expect(seat.page.get_by_role("heading", name="How the server is")).to_be_visible()
    expect(seat.page.get_by_role("img", name="Failed or interrupted per day")).to_be_visible()
    return seat


def insights_below(scene: Scene) -> Seat:
    seat = insights(scene)
    seat.page.get_by_text("The largest sessions").click()
    seat.page.get_by_role("heading", name="How the server is").scroll_into_view_if_needed()
    seat.page.locator(".scroller").evaluate("(node) => node.scrollTo(0, node.scrollHeight)")
    return seat


def palette(scene: Scene) -> Seat:
    seat = palette_open(scene)
    dialog = seat.page.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("harb")
    expect(dialog.get_by_role("option").first).to_contain_text("arb")
    return seat


def palette_open(scene: Scene) -> Seat:
    """Before anything is looked for."""
    seat = scene.place.tab(scene.once("Mend the harbour wall"))
    expect(seat.field).to_be_visible()
    seat.page.keyboard.press("Control+k")
    expect(seat.page.get_by_role("dialog").get_by_role("option").first).to_be_visible()
    return seat


def keys(scene: Scene) -> Seat:
    seat = scene.place.tab(scene.once("Tar the roof"))
    expect(seat.field).to_be_visible()
    seat.page.get_by_role("region", name="Conversation").focus()
    seat.page.keyboard.press("?")
    expect(seat.page.get_by_role("dialog").get_by_text("New session")).to_be_visible()
    return seat


def rewriting(scene: Scene) -> Seat:
    session = scene.begin("Name the boats")
    boats = {"left": "One red boat.", "right": "Two blue boats.", "far out": "Three grey boats."}
    for where, said in boats.items():
        scene.ran(session, f"Which boats lie {where}?", f"!say {said}")
    seat = scene.place.tab(session)
    expect(seat.prose).to_have_count(3, timeout=PATIENCE_MS)
    edit = seat.page.get_by_role("button", name="Edit and send again").nth(1)
    edit.focus()
    edit.press("Enter")
    expect(seat.page.get_by_role("textbox", name="Edit your message")).to_be_focused()
    return seat


def settings_rules(scene: Scene) -> Seat:
    """A rule that has answered since it was made, and what takes it back."""
    if not scene.person.get("/api/approval-rules").raise_for_status().json()["rules"]:
        session = scene.begin("Tidy up every night")
        asked = '!approve "rm -r build" "recursive delete"'
        turn = scene.say(session, "Tidy up, now and always.", asked, asked)
        (ask,) = scene.person.wait_for_ask(session)
        scene.person.answer(session, ask["ask"], choice="always", everywhere=True).raise_for_status()
        scene.person.wait_for_end(session, turn)
    seat = scene.place.tab()
    seat.page.goto(f"{seat.link}/settings#rules")
    expect(seat.page.get_by_text("Last used on")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def german(scene: Scene) -> Seat:
    seat = approval(scene)
    seat.page.evaluate("localStorage.setItem('holdfast.language', '\"de\"')")
    seat.page.reload()
    expect(seat.page.get_by_role("button", name="Einmal erlauben")).to_be_visible(timeout=PATIENCE_MS)
    seat.page.evaluate("localStorage.removeItem('holdfast.language')")
    return seat


def mirrored(scene: Scene) -> Seat:
    """As it is read from right to left."""
    seat = approval(scene)
    seat.page.evaluate("() => (document.documentElement.dir = 'rtl')")
    return seat


def offline(scene: Scene) -> Seat:
    """Opened while the server is away."""
    seat = scene.place.tab()
    seat.page.wait_for_function(KEPT)
    scene.gate.shut = True
    scene.gate.cut()
    seat.page.reload()
    seat.expect_text("Can’t reach the server. Your sessions come when it answers.")
    return seat


STATES: dict[str, Act] = {
    "signed-out": signed_out,
    "first-run-nothing": first_run_nothing,
    "first-run-hermes": first_run_hermes,
    "first-run-models": first_run_models,
    "loading": loading,
    "prose": prose,
    "streaming": streaming,
    "approval": approval,
    "approvals": approvals,
    "question": question,
    "queued": queued,
    "stopped": stopped,
    "failed": failed,
    "replay": replay,
    "interrupted": interrupted,
    "gone": gone,
    "searched": searched,
    "finding": finding,
    "finding-nothing": finding_nothing,
    "rewriting": rewriting,
    "palette": palette,
    "palette-open": palette_open,
    "keys": keys,
    "insights": insights,
    "insights-below": insights_below,
    "choosing": choosing,
    "commands": commands,
    "settings": settings,
    "settings-storage": settings_storage,
    "settings-rules": settings_rules,
    "settings-about": settings_about,
    "larger": larger,
    "settings-models": settings_models,
    "settings-sign-in": settings_sign_in,
    "going-on": going_on,
    "answering": answering,
    "overview": overview,
    "labels": labels,
    "filtering": filtering,
    "narrowed": narrowed,
    "selecting": selecting,
    "settings-moving": settings_moving,
    "german": german,
    "mirrored": mirrored,
    "offline": offline,
    "away": away,
}
"""In this order: what comes last leaves something behind, or shuts the scene.gate."""
