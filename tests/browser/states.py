"""Every state that the page can be in, brought about by a real run: for pictures, and for checks of what is reachable.

Each is a function that leaves a tab showing the state. Long, because it is one list: whoever wonders what the page can
look like finds all of it here.
"""

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from holdfast.core.events import SessionChanged
from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, Desk, Seat
from tests.browser.found import DATA, HERMES, finds, ollama, talked
from tests.browser.gate import Gate
from tests.browser.written import write_lying
from tests.journeys.house import House
from tests.journeys.person import Person
from tests.transfer.webui import Webui, turns

THINK = "!think The build folder may hold something that is still needed. I look first, then I ask."
LOOK = (
    '!tool list_files {"path":"./build"} 40 objects.o main.o\n'
    '!tool execute {"command":"du -sh build ~/.cache/docker"} 60 3.2G build'
)
FOUND = (
    "!say The build directory holds **3.2 GB** of stale objects and Docker's cache another **11 GB**. I'd like to "
    "remove both. The images can be pulled again; the build takes about four minutes."
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

    def began(self, title: str, text: str) -> tuple[Seat, SessionId, str]:
        """A session with one message, and a tab that shows it."""
        session = self.person.begin(title=title)
        turn = self.person.say(session, text)
        return self.place.tab(session), session, turn


Act = Callable[[Scene], Seat]


def start(scene: Scene) -> Seat:
    return started(scene.place.tab())


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
    session = scene.person.begin(title="Port the parser to msgspec")
    scene.person.wait_for_end(session, scene.person.say(session, f"{LOOK}\n{FOUND}"))
    seat = scene.place.tab(session)
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    seat.page.get_by_role("button", name=re.compile("^Agent")).click()
    if seat.page.get_by_role("button", name="Agent, model and folder").is_visible():  # one for all of them
        seat.page.get_by_role("dialog").get_by_role("button", name="Agent").click()
    expect(seat.page.get_by_role("option").first).to_be_visible()
    return seat


def commands(scene: Scene) -> Seat:
    seat, session, turn = scene.began("Why is the sidebar slow?", FOUND)
    scene.person.wait_for_end(session, turn)
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    seat.field.press_sequentially("/")
    expect(seat.page.get_by_role("option").first).to_be_visible()
    return seat


def overview(scene: Scene) -> Seat:
    waits = scene.person.begin(title="Clean the build directory")
    scene.person.say(waits, "!approve rm -rf ./build && docker system prune -af")
    asks = scene.person.begin(title="Deploy docs site")
    scene.person.say(asks, "!ask Which environment should I deploy to? | staging | production")
    runs = scene.person.begin(title="Port the parser to msgspec")
    scene.person.say(runs, '!plan Read; Port; Test; Tidy\n!tool execute {"command":"pytest tests/codec -q"} 600000 ok')
    done = scene.person.begin(title="Why is the sidebar slow?")
    scene.person.wait_for_end(done, scene.person.say(done, "!say Because."))
    failed = scene.person.begin(title="Nightly triage")
    scene.person.wait_for_end(failed, scene.person.say(failed, "!fail The model is out of tea."))
    scene.person.begin(title="Rename the settings keys")
    seat = scene.place.tab()
    region = seat.page.get_by_role("region", name="Waits for you")
    expect(region.get_by_text("Deploy docs site").first).to_be_visible(timeout=PATIENCE_MS)
    expect(seat.page.get_by_text("0/4").first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def streaming(scene: Scene) -> Seat:
    seat, *_ = scene.began("Read about kelp", f"{THINK}\n{LOOK}\n{FOUND}\n!stream 3000 30")
    expect(seat.prose.last).to_contain_text("word10", timeout=PATIENCE_MS)
    return seat


def approval(scene: Scene) -> Seat:
    text = f"Please clean the build directory and free some disk space.\n{THINK}\n{LOOK}\n{FOUND}\n"
    command = "!approve rm -rf ./build && docker system prune -af"
    seat, *_ = scene.began("Clean the build directory", text + command)
    expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
    return seat


def approvals(scene: Scene) -> Seat:
    seat, *_ = scene.began("Four at once", "!approvemany 4")
    expect(seat.page.get_by_text("1 of 4")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def question(scene: Scene) -> Seat:
    text = "!ask Which environment should I deploy to? | staging | production | timeout=55"
    seat, *_ = scene.began("Deploy docs site", text)
    expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
    return seat


def queued(scene: Scene) -> Seat:
    seat, session, _turn = scene.began("A long walk", "!stream 3000 30")
    scene.person.say(session, "Then write down what you saw.")
    scene.person.say(session, "And mind the tide.")
    expect(seat.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")).to_have_count(2)
    return seat


def stopped(scene: Scene) -> Seat:
    seat, session, turn = scene.began("Stopped half way", f"{LOOK}\n!stream 3000 30")
    expect(seat.prose.last).to_contain_text("word10", timeout=PATIENCE_MS)
    scene.person.cancel(session, turn).raise_for_status()
    seat.expect_text("You stopped this at")
    return seat


def failed(scene: Scene) -> Seat:
    seat, *_ = scene.began("Out of tea", f"{FOUND}\n!fail The model is out of tea. Put the kettle on.")
    expect(seat.page.get_by_role("note")).to_contain_text("Put the kettle on.", timeout=PATIENCE_MS)
    return seat


def interrupted(scene: Scene) -> Seat:
    seat, session, _ = scene.began("Cut off", f"{FOUND}\n!stream 3000 30")
    expect(seat.prose.last).to_contain_text("word10", timeout=PATIENCE_MS)
    scene.house.end_runner(session)
    expect(seat.page.get_by_role("button", name="Continue")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def gone(scene: Scene) -> Seat:
    seat = scene.place.tab("nowhere")
    seat.expect_text("This session is not here.")
    return seat


def away(scene: Scene) -> Seat:
    seat, *_ = scene.began("Out at sea", FOUND)
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    scene.gate.shut = True
    scene.gate.cut()
    seat.say("Are you there?")
    seat.expect_text("Runs go on")
    seat.expect_text("Waits here until the server answers")
    return seat


def finding(scene: Scene) -> Seat:
    session = scene.person.begin(title="Mend the harbour wall")
    for text in (
        "!say The **mortar** wants seawater.",
        "!say Tomorrow: fresh mortar, then the mortar of the old wall.",
    ):
        scene.person.wait_for_end(session, scene.person.say(session, text))
    seat = scene.place.tab(session)
    expect(seat.prose).to_have_count(2, timeout=PATIENCE_MS)
    seat.page.keyboard.press("Control+f")
    seat.page.get_by_role("textbox", name="Find in this session").fill("mortar")
    seat.page.get_by_text("1 of 4").wait_for()
    seat.page.keyboard.press("Shift+Enter")
    seat.page.get_by_text("4 of 4").wait_for()
    return seat


def searched(scene: Scene) -> Seat:
    session = scene.person.begin(title="Harbour walls")
    scene.person.wait_for_end(session, scene.person.say(session, "!say The limpets hold fast to the granite."))
    seat = scene.place.tab()
    seat.page.get_by_role("searchbox", name="Search sessions").fill("granite")
    expect(seat.page.locator("nav mark").first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def loading(scene: Scene) -> Seat:
    """The list is there, the session is not yet."""
    session = scene.person.begin(title="On its way")
    seat = scene.place.tab()
    expect(seat.page.locator(".frame")).to_be_visible(timeout=PATIENCE_MS)
    seat.page.evaluate("() => void (window.fetch = () => new Promise(() => undefined))")  # nothing is answered any more
    seat.page.locator(f"nav a[href='/session/{session}']").click()
    seat.expect_text("Opening…")
    return seat


def prose(scene: Scene) -> Seat:
    words = MARKDOWN.replace("\n", "\\n")
    seat, session, turn = scene.began("What changed", f"{LOOK}\n!say {words}")
    scene.person.wait_for_end(session, turn)
    expect(seat.page.locator(".prose math").first).to_be_visible(timeout=PATIENCE_MS)
    expect(seat.page.locator(".prose .diagram img")).to_be_attached(timeout=PATIENCE_MS)
    return seat


def answering(scene: Scene) -> Seat:
    waits = scene.person.begin(title="Clean the build directory")
    scene.person.say(waits, "!approve rm -rf ./build && docker system prune -af")
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
    seat = scene.began("Port the parser to msgspec", f"{THINK}\n{LOOK}\n{FOUND}")[0]
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
    scene.person.begin(title="Mend the harbour wall before the storm", project="Harbour works", tags=["stone", "sea"])
    scene.person.begin(title="Tar the roof", project="Harbour works", tags=["sea"])
    scene.person.begin(title="Feed the gulls", tags=["birds"])
    seat = Seat(scene.place.context.new_page(), scene.place.link)
    seat.open()
    seat.page.evaluate("localStorage.removeItem('holdfast.filter')")
    seat.open()
    expect(seat.page.locator("nav").get_by_role("link", name="Feed the gulls").first).to_be_visible()
    return seat


def labels(scene: Scene) -> Seat:
    seat = sorted_out(scene)
    seat.page.locator("nav").get_by_role("link", name="Tar the roof").first.hover()
    seat.page.get_by_role("button", name="More for Tar the roof").first.click()
    seat.page.get_by_role("menuitem", name="Project and tags…").click()
    expect(seat.page.get_by_role("dialog").get_by_role("button", name="#birds")).to_be_visible()
    return seat


def filtering(scene: Scene) -> Seat:
    seat = sorted_out(scene)
    seat.page.get_by_role("button", name="Filter the list").click()
    expect(seat.page.get_by_role("dialog").get_by_role("button", name="#birds")).to_be_visible()
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
    session = scene.person.begin(title="Free some disk space")
    turn = scene.person.say(session, f"{THINK}\n{LOOK}\n{FOUND}\n!approve rm -rf build\n!fail The disk went away.")
    (ask,) = scene.person.wait_for_ask(session)
    scene.person.answer(session, ask["ask"], choice="once").raise_for_status()
    scene.person.wait_for_end(session, turn)
    seat = scene.place.tab()
    seat.page.goto(f"{seat.link}/session/{session}/replay/{turn}")
    seat.page.get_by_role("button", name="To the next ask or failure").click()
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def insights(scene: Scene) -> Seat:
    """With some days behind it, as far as one run of pictures can have them."""
    session = scene.person.begin(title="Count the boats")
    for text in ("!usage 12000 3400\n!say Forty-two.", "!usage 8000 900\n!say Forty-three.", "!fail The fog came in."):
        scene.person.wait_for_end(session, scene.person.say(session, text))
    seat = scene.place.tab()
    seat.page.goto(f"{seat.link}/insights")
    expect(seat.page.get_by_role("heading", name="How the server is")).to_be_visible()
    expect(seat.page.get_by_role("img", name="Failed or interrupted per day")).to_be_visible()
    return seat


def palette(scene: Scene) -> Seat:
    seat = scene.place.tab(scene.person.begin(title="Mend the harbour wall"))
    expect(seat.field).to_be_visible()
    seat.page.keyboard.press("Control+k")
    dialog = seat.page.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("harb")
    expect(dialog.get_by_role("option").first).to_be_visible()
    return seat


def keys(scene: Scene) -> Seat:
    seat = scene.place.tab(scene.person.begin(title="Tar the roof"))
    expect(seat.field).to_be_visible()
    seat.page.get_by_role("region", name="Conversation").focus()
    seat.page.keyboard.press("?")
    expect(seat.page.get_by_role("dialog").get_by_text("New session")).to_be_visible()
    return seat


def rewriting(scene: Scene) -> Seat:
    session = scene.person.begin(title="Name the boats")
    for text in ("!say One red boat.", "!say Two blue boats.", "!say Three grey boats."):
        scene.person.wait_for_end(session, scene.person.say(session, text))
    seat = scene.place.tab(session)
    expect(seat.prose).to_have_count(3, timeout=PATIENCE_MS)
    edit = seat.page.get_by_role("button", name="Edit and send again").nth(1)
    edit.focus()
    edit.press("Enter")
    expect(seat.page.get_by_role("textbox", name="Edit your message")).to_be_focused()
    return seat


STATES: dict[str, Act] = {
    "signed-out": signed_out,
    "first-run-nothing": first_run_nothing,
    "first-run-hermes": first_run_hermes,
    "first-run-models": first_run_models,
    "start": start,
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
    "rewriting": rewriting,
    "palette": palette,
    "keys": keys,
    "insights": insights,
    "choosing": choosing,
    "commands": commands,
    "settings": settings,
    "settings-storage": settings_storage,
    "settings-about": settings_about,
    "larger": larger,
    "settings-models": settings_models,
    "settings-sign-in": settings_sign_in,
    "going-on": going_on,
    "answering": answering,
    "overview": overview,
    "labels": labels,
    "filtering": filtering,
    "selecting": selecting,
    "settings-moving": settings_moving,
    "away": away,
}
"""In this order: what comes last leaves something behind, or shuts the scene.gate."""
