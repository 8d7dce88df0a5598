"""How a soak goes: people work, viewers come and go, blows fall; then all is let come to rest and looked at."""

import asyncio
import traceback
from collections import Counter
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.crashes.home import Home
from tests.crashes.verdict import Flaw
from tests.crashes.viewer import Stuck
from tests.soak import verdict
from tests.soak.blows import Blows
from tests.soak.heard import Heard
from tests.soak.person import Person
from tests.soak.plan import Plan
from tests.soak.samples import Sample, Samples, size
from tests.soak.viewer import Viewer


class Outcome(msgspec.Struct, kw_only=True):
    """What was found. `did` counts what people did, `ends` how turns ended.

    `heard_bytes` are all that viewers were sent, `heard_word_bytes` those of them that brought words of agents.
    """

    plan: Plan
    flaws: dict[str, list[Flaw]]
    samples: list[Sample]
    did: Counter[str]
    blows: Counter[str]
    ends: Counter[str]
    records: int = 0
    words: int = 0
    heard_bytes: int = 0
    heard_word_bytes: int = 0
    heard_words: int = 0
    returns: int = 0
    reloads: int = 0
    disk: int = 0
    home: str = ""


class Cast:
    """Everybody who takes part."""

    def __init__(self, plan: Plan, home: Home, hands: asyncio.TaskGroup) -> None:
        self.heard = {name: Heard(name) for name in plan.names}
        self.people = [Person(home, self.heard[name], plan.dice("person", name), hands) for name in plan.names]
        self.viewers = [self._viewer(plan, home, number) for number in range(plan.viewers)]
        self.blows = Blows(home, plan)
        self.samples = Samples(home, list(self.heard.values()))

    def _viewer(self, plan: Plan, home: Home, number: int) -> Viewer:
        followed = [self.heard[name] for name in plan.followed(number)]
        return Viewer(
            home.address, number, followed, plan.dice("viewer", number), stay=plan.stay, keeps=number < plan.sessions
        )


async def soak(plan: Plan, folder: Path) -> Outcome:
    """Soak a home of its own, which is kept if a promise was broken."""
    home = Home(folder / "home", spare=True, places=plan.sessions)
    outcome = Outcome(plan=plan, flaws={}, samples=[], did=Counter(), blows=Counter(), ends=Counter())
    try:
        await _play(plan, home, outcome)
    except Exception as exc:  # noqa: BLE001  whatever went wrong is what was found
        outcome.flaws["nothing is stuck"] = _reasons(exc)
    finally:
        flawed = any(outcome.flaws.values())
        outcome.home = str(home.path) if flawed else ""
        await home.close(keep=flawed)
    return outcome


async def _play(plan: Plan, home: Home, outcome: Outcome) -> None:
    await home.up()
    async with asyncio.TaskGroup() as hands:
        cast = Cast(plan, home, hands)
        outcome.samples = cast.samples.taken
        try:
            await asyncio.gather(*(person.create() for person in cast.people))
            beside = [hands.create_task(work) for work in (cast.samples.take(plan.pause), *_beside(cast))]
            await _work(plan, cast)
            outcome.flaws["every viewer has all, once and in order"] = await verdict.caught_up(home, cast.viewers)
            for task in beside:
                task.cancel()
        finally:
            _tally(outcome, cast)
    _look(home, outcome, cast)
    outcome.flaws["servers end only when they are struck"] = verdict.unforeseen(home.deaths, cast.blows.deaths)
    outcome.flaws["holdfast stop leaves nothing behind"] = await verdict.stop(home)
    outcome.flaws["no error in operators' logs"] = verdict.complained(home)
    outcome.flaws["the store is sound"] = verdict.unsound(home)
    outcome.disk = sum(size(path) for path in home.settings.store.glob("store.db*"))


def _beside(cast: Cast) -> list[Coroutine[Any, Any, None]]:
    return [*(viewer.watch() for viewer in cast.viewers), *(person.attend() for person in cast.people)]


async def _work(plan: Plan, cast: Cast) -> None:
    """Until the time is over; then everybody finishes, undisturbed."""
    until = asyncio.get_running_loop().time() + plan.seconds
    async with asyncio.TaskGroup() as working:
        working.create_task(cast.blows.strike(until))
        for person in cast.people:
            working.create_task(person.work(until))
    await asyncio.gather(*(person.finish() for person in cast.people))


def _look(home: Home, outcome: Outcome, cast: Cast) -> None:
    found: list[Flaw] = []
    for person, heard in zip(cast.people, cast.heard.values(), strict=True):
        log = home.log(heard.name)
        outcome.records += len(log)
        outcome.ends += Counter(str(turn.outcome) for turn in heard.session.turns.values())
        found += verdict.judge_session(home, heard, person, log)
    for name, kinds in PROMISES.items():
        outcome.flaws[name] = [*outcome.flaws.get(name, []), *(flaw for flaw in found if flaw.kind in kinds)]
    outcome.flaws["every viewer has all, once and in order"] += [f for viewer in cast.viewers for f in viewer.flaws]


PROMISES = {
    "nothing is lost: log, pages and list agree with what was seen": ("lost", "broken"),
    "nothing is doubled: facts, turns, answers, effects": ("doubled",),
    "nothing is stuck": ("stuck",),
    "nothing was refused without a reason": ("refused",),
}


def _tally(outcome: Outcome, cast: Cast) -> None:
    outcome.did = sum((person.did for person in cast.people), Counter[str]())
    outcome.blows = Counter({str(blow): count for blow, count in cast.blows.struck.items()})
    outcome.words = sum(heard.words for heard in cast.heard.values())
    outcome.heard_bytes = sum(viewer.bytes for viewer in cast.viewers)
    outcome.heard_word_bytes = sum(viewer.word_bytes for viewer in cast.viewers)
    outcome.heard_words = sum(viewer.words for viewer in cast.viewers)
    outcome.returns = sum(viewer.returns for viewer in cast.viewers)
    outcome.reloads = sum(viewer.reloads for viewer in cast.viewers)


def _reasons(exc: BaseException) -> list[Flaw]:
    if isinstance(exc, BaseExceptionGroup):
        return [flaw for each in _parts(exc) for flaw in _reasons(each)]
    if isinstance(exc, Stuck):
        return [Flaw("stuck", str(exc))]
    return [Flaw("broken", "".join(traceback.format_exception(exc)))]


def _parts(group: BaseExceptionGroup[BaseException]) -> Sequence[BaseException]:
    return group.exceptions
