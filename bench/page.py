"""The page in a real browser: how soon it can be used, how it bears a flood of words, how long a restart is felt.

What is timed is timed inside the page, by its own clock; an ask is as old as its record in the log says.
"""

import asyncio
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import Browser, expect, sync_playwright

from bench.measure import Number, percentile
from bench.workshop import Workshop
from tests.browser.conftest import FLAGS
from tests.browser.desk import desk
from tests.browser.gate import Gate
from tests.browser.setup_chromium import MISSING, find_chromium
from tests.browser.weight import weigh
from tests.journeys.house import House
from tests.journeys.person import Person

PATIENCE_MS = 60_000
STILL_MS = 3_000
"""How long a page at rest is watched."""
USABLE = """
    new MutationObserver((_, observer) => {
        const field = document.querySelector('textarea[aria-label=Message]')
        if (field === null) return
        observer.disconnect()
        setTimeout(() => (window.usable = performance.now()))
    }).observe(document, {childList: true, subtree: true})
"""
WATCH = """() => {
    Object.assign(window, {tasks: [], frames: []})
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((each) => each.duration)))
        .observe({type: 'longtask'})
    let last = performance.now()
    const frame = (now) => (window.frames.push(now - last), (last = now), requestAnimationFrame(frame))
    requestAnimationFrame(frame)
}"""
GAPS = """() => {
    let last = performance.now()
    window.gap = 0
    new MutationObserver(() => {
        window.gap = Math.max(window.gap, performance.now() - last)
        last = performance.now()
    }).observe(document.querySelector('.said'), {childList: true, subtree: true, characterData: true})
}"""
CARDS = """() => {
    window.came = {}
    new MutationObserver(() => {
        for (const card of document.querySelectorAll('[data-ask]')) window.came[card.dataset.ask] ??= Date.now()
    }).observe(document, {childList: true, subtree: true})
}"""


async def run(workshop: Workshop) -> list[Number]:
    return await asyncio.to_thread(_run, workshop)  # Playwright's synchronous face wants a thread without a loop


def _run(workshop: Workshop) -> list[Number]:
    if find_chromium() is None:
        print(f"The page is not measured. {MISSING}", file=sys.stderr)
        return []
    times = 2 if workshop.quick else 7
    with _browser() as chromium:
        return [
            *_weight(chromium, workshop.folder),
            _usable(chromium, workshop.folder, times),
            *_flood(chromium, workshop.folder, workshop.size(3_000)),
            _restart(chromium, workshop.folder, 1 if workshop.quick else 5),
            *_without_streams(chromium, workshop.folder, times),
        ]


@contextmanager
def _browser() -> Generator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def _house(folder: Path, name: str) -> Generator[tuple[House, Person]]:
    with House(folder / f"page-{name}") as house:
        house.start()
        yield house, Person(house)


def _weight(chromium: Browser, folder: Path) -> list[Number]:
    """What is fetched until the first answer with its code block is there."""
    with _house(folder, "weight") as (house, _):
        weight = weigh(chromium, house)
    kilobytes, requests = weight.script / 1000, len(weight.requests)
    return [
        Number(
            group="page",
            name="scripts until the first answer is drawn, packed",
            value=kilobytes,
            unit="kB",
            goal="<= 150 kB",
            met=kilobytes <= 150,
            note=f"{weight.scripts} files",
        ),
        Number(
            group="page",
            name="requests until then",
            value=requests,
            unit="",
            goal="<= 20, none elsewhere",
            met=requests <= 20 and not weight.elsewhere,
            note=f"{len(weight.elsewhere)} elsewhere; {sum(a.startswith('/api/') for a in weight.requests)} to the API",
        ),
    ]


def _usable(chromium: Browser, folder: Path, times: int) -> Number:
    """A browser that knows nothing opens a session in which something was said; beside it, an answer of one word."""
    found, bare = list[float](), list[float]()
    with _house(folder, "usable") as (house, person):
        session = person.begin()
        person.wait_for_end(session, person.say(session, "!stream 200 0"))
        for _ in range(times):
            with desk(chromium, house, script=USABLE) as place:
                seat = place.tab(session)
                expect(seat.prose.first).to_contain_text("word200", timeout=PATIENCE_MS)
                found.append(seat.page.evaluate("window.usable"))
            with desk(chromium, house) as place:
                page = place.context.new_page()
                page.goto(f"{house.server.link}/health")
                bare.append(page.evaluate("performance.getEntriesByType('navigation')[0].duration"))
    note = f"a browser that knows nothing, worst of {times}: {max(found):.0f} ms"
    return _number("until it can be used", median(found), 1_000, note, (median(bare), "a page of one word"))


def _flood(chromium: Browser, folder: Path, words: int) -> list[Number]:
    """An answer of 50 kB stands there, and 200 words a second come."""
    with _house(folder, "flood") as (house, person), desk(chromium, house) as place:
        session = person.begin()
        seat = place.tab(session)
        expect(seat.field).to_be_visible(timeout=PATIENCE_MS)
        turn = person.say(session, f"!bytes 50000\n!stream {words} 5")
        expect(seat.prose.last).to_contain_text("word50 ", timeout=PATIENCE_MS)
        seat.page.evaluate(WATCH)
        expect(seat.prose.last).to_contain_text(f"word{words}", timeout=PATIENCE_MS)
        tasks: list[float] = seat.page.evaluate("window.tasks")
        frames: list[float] = seat.page.evaluate("window.frames")
        person.wait_for_end(session, turn)
        seat.page.evaluate("window.frames = []")
        seat.page.wait_for_timeout(STILL_MS)
        still: list[float] = seat.page.evaluate("window.frames")
    late, at_rest = percentile(frames, 0.99), percentile(still, 0.99)
    return [
        _number("longest task at 200 words/s under 50 kB", max(tasks, default=0.0), 50, f"{len(tasks)} above 50 ms"),
        Number(
            group="page",
            name="p99 between frames then",
            value=late,
            unit="ms",
            raw=at_rest,
            raw_name="the same page at rest",
            ratio=late / at_rest,
            note=f"{len(frames)} frames",
        ),
    ]


def _restart(chromium: Browser, folder: Path, times: int) -> Number:
    """The longest time without a new word while the server is killed and started again; beside it, that start alone."""
    found, starts = list[float](), list[float]()
    for number in range(times):
        with (
            _house(folder, f"restart-{number}") as (house, person),
            Gate(house.server.link) as gate,
            desk(chromium, house, link=gate.link) as place,
        ):
            session = person.begin()
            seat = place.tab(session)
            person.say(session, "!stream 600 20")
            expect(seat.prose.first).to_contain_text("word50", timeout=PATIENCE_MS)
            seat.page.evaluate(GAPS)
            house.kill()
            gate.cut()
            began = perf_counter()
            gate.target = house.start().link
            starts.append((perf_counter() - began) * 1000)
            expect(seat.prose.first).to_contain_text("word600", timeout=PATIENCE_MS)
            found.append(seat.page.evaluate("window.gap"))
    note = f"kill -9 and start; worst of {times}: {max(found):.0f} ms"
    beside = (median(starts), "the server's start alone")
    return _number("gap of a restart of the server", median(found), 2_000, note, beside)


def _without_streams(chromium: Browser, folder: Path, times: int) -> list[Number]:
    """Every live connection is refused: how old is an ask when its card is there?"""
    approvals, questions = list[float](), list[float]()
    with _house(folder, "polled") as (house, person), Gate(house.server.link) as gate:
        gate.no_streams = True
        with desk(chromium, house, link=gate.link) as place:
            session = person.begin()
            seat = place.tab(session)
            expect(seat.field).to_be_visible(timeout=PATIENCE_MS)
            seat.page.evaluate(CARDS)
            for _ in range(times):
                turn = person.say(session, "!sleep 700\n!approve make\n!sleep 700\n!ask Which? | one | two")
                for ages, answer in ((approvals, {"choice": "once"}), (questions, {"text": "one"})):
                    (ask,) = person.wait_for_ask(session)
                    expect(seat.page.locator(f"[data-ask='{ask['ask']}']")).to_be_visible(timeout=PATIENCE_MS)
                    ages.append(seat.page.evaluate("(ask) => window.came[ask]", ask["ask"]) - ask["time"])
                    person.answer(session, ask["ask"], **answer).raise_for_status()
                person.wait_for_end(session, turn)
    return [
        _number("an approval, without any stream", max(approvals), 1_500, f"worst of {times}"),
        _number("a question, without any stream", max(questions), 3_000, f"worst of {times}"),
    ]


def _number(name: str, value: float, goal: int, note: str, beside: tuple[float, str] | None = None) -> Number:
    raw, raw_name = beside or (None, "")
    return Number(
        group="page",
        name=name,
        value=value,
        unit="ms",
        raw=raw,
        raw_name=raw_name,
        ratio=None if raw is None else value / raw,
        goal=f"<= {goal:,} ms",
        met=value <= goal,
        note=note,
    )
