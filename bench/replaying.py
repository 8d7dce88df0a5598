"""The replay of a long turn in a real browser: how soon its time line is there, how it bears being pulled along.

What is timed is timed inside the page, which shows the session: from the new address to the frame in which the time
line is drawn and the first records are there.
"""

import asyncio
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright

from bench.material import Material
from bench.measure import Number
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from tests.browser.conftest import FLAGS
from tests.browser.desk import desk
from tests.browser.setup_chromium import MISSING, find_chromium
from tests.journeys.house import House

LONG, TURN = SessionId("long"), TurnId("t1")
PATIENCE_MS = 60_000
MOVES = 120
OPEN = """(address) => new Promise((resolve) => {
    const records = () => performance.getEntriesByType('resource').some(({name}) => name.includes('/records?after='))
    const drawn = () => document.querySelector('[role=slider]') !== null && records()
    performance.clearResourceTimings()
    const began = performance.now()
    const look = () => (drawn() ? setTimeout(() => resolve(performance.now() - began)) : requestAnimationFrame(look))
    history.pushState(null, '', address)
    dispatchEvent(new PopStateEvent('popstate'))
    look()
})"""
END = """() => new Promise((resolve) => {
    const slider = document.querySelector('[role=slider]')
    const began = performance.now()
    const ended = () => document.querySelector('.scroller .usage') !== null
    const look = () => (ended() ? setTimeout(() => resolve(performance.now() - began)) : requestAnimationFrame(look))
    slider.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))
    look()
})"""
PULL = """(moves) => new Promise((resolve) => {
    const slider = document.querySelector('[role=slider]')
    const { left, width, top } = slider.firstElementChild.getBoundingClientRect()
    const frames = []
    const move = (name, share) => slider.dispatchEvent(new PointerEvent(name,
        {clientX: left + width * share, clientY: top, pointerId: 1, button: 0, bubbles: true}))
    slider.setPointerCapture = slider.firstElementChild.setPointerCapture = () => undefined
    move('pointerdown', 0)
    let last = performance.now()
    let i = 0
    const step = (now) => {
        frames.push(now - last)
        last = now
        if (i === moves) return move('pointerup', 0), resolve(frames.slice(1))
        i += 1
        // To and fro, a bit farther every time, and now and then right across.
        move('pointermove', i % 10 === 0 ? (i * 0.37) % 1 : Math.abs(((i / moves) * 4) % 2 - 1))
        requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
})"""


async def run(workshop: Workshop) -> list[Number]:
    return await asyncio.to_thread(_run, workshop)  # Playwright's synchronous face wants a thread without a loop


def _run(workshop: Workshop) -> list[Number]:
    if find_chromium() is None:
        print(f"The replay is not measured. {MISSING}", file=sys.stderr)
        return []
    events, times = workshop.size(50_000), 2 if workshop.quick else 7
    with sync_playwright() as playwright, House(workshop.folder / "replaying") as house:
        _fill(house.home / "store", workshop.material, events)
        house.start()
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        opened, first, frames, busy = _looked(browser, house, times)
        browser.close()
    late = sorted(frames)[int(len(frames) * 0.99)]
    worst = f"worst of {times}: {max(opened):.0f} ms"
    return [
        _number(f"a turn of {events:,} events, until its time line is there", median(opened), 300, worst),
        _number("the first jump to its end, which loads all of it", median(first), None, f"worst: {max(first):.0f} ms"),
        _number("processor time of a jump while it is pulled along", median(busy), 33, f"worst: {max(busy):.0f} ms"),
        _number("p99 between frames then", late, None, f"{len(frames)} frames, a jump in each"),
    ]


def _fill(folder: Path, material: Material, events: int) -> None:
    """One turn as real work is, many times over, with an ask and a failure now and then."""

    def worked() -> Iterator[e.Event]:
        while True:
            yield from material.run(TURN)
            yield from material.approval(TURN)

    with writer(folder) as writing:
        author = Author(writing, LONG, "A long turn")
        author.begin()
        author.append([e.TurnSubmitted(turn=TURN, text="Work.", client="desk")])
        author.fill([e.TurnStarted(turn=TURN), *islice(worked(), events), e.TurnEnded(turn=TURN, outcome="completed")])
        author.append([e.RunnerStopped()])


def _looked(browser: Browser, house: House, times: int) -> tuple[list[float], ...]:
    opened, first, frames, busy = list[float](), list[float](), list[float](), list[float]()
    with desk(browser, house) as place:
        for _ in range(times):
            seat = place.tab(LONG)
            expect(seat.field).to_be_visible(timeout=PATIENCE_MS)
            opened.append(seat.page.evaluate(OPEN, f"/session/{LONG}/replay/{TURN}"))
            first.append(seat.page.evaluate(END))
            tools: Any = place.context.new_cdp_session(seat.page)  # its answers have no types
            tools.send("Performance.enable", {"timeDomain": "threadTicks"})
            before = _spent(tools)
            frames += seat.page.evaluate(PULL, MOVES)
            busy.append((_spent(tools) - before) / MOVES)
            seat.expect_well()
            seat.page.close()
    return opened, first, frames, busy


def _spent(tools: Any) -> float:
    """Milliseconds of a processor that the page has had, whoever else wanted it."""
    answer: dict[str, Any] = tools.send("Performance.getMetrics")
    metrics: list[dict[str, Any]] = answer["metrics"]
    return next(1000 * float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


def _number(name: str, value: float, goal: int | None, note: str) -> Number:
    wanted = "" if goal is None else f"<= {goal} ms"
    met = None if goal is None else value <= goal
    return Number(group="replay", name=name, value=value, unit="ms", goal=wanted, met=met, note=note)
