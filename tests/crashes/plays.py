"""How each case goes: bring the session to the point, strike there, let the person go on.

A case of the column *second kill* first kills server and runner in the middle of a turn; the second blow falls while
that is being recovered from, or on the turn that takes the interrupted one up.
"""

import asyncio
import contextlib
import os
import random
import signal
from collections.abc import AsyncGenerator, Generator

from holdfast.core.ids import SessionId
from holdfast.store.spool import look, spool_path
from tests.crashes.cases import MOMENTS, TURNING, VICTIMS, Case
from tests.crashes.home import Home
from tests.crashes.points import Role, state
from tests.crashes.scene import Missed, Scene, Victim, scene
from tests.crashes.scripts import ALL, BY_NAME, OUTPUT, STREAM, Script, words


@contextlib.asynccontextmanager
async def played(case: Case, home: Home, session: str, attempt: int) -> AsyncGenerator[list[Scene]]:
    """Play the case and give its scenes, while their browsers still watch."""
    await home.up()
    async with scene(home, session, attempt) as ours:
        scenes = [ours]
        if case.seed:
            await _random(case.seed, ours, attempt)
        elif case.point.startswith("supervisor.") and case.column != "second kill":
            async with scene(home, f"{session}-2", attempt) as other:
                scenes.append(other)
                await _beside(case, ours, other)
                await other.finish()
                await ours.finish()
                yield scenes
                return
        else:
            await _play(case, ours)
        await ours.finish()
        yield scenes


async def _play(case: Case, ours: Scene) -> None:
    match case:
        case Case(point=point) if point in MOMENTS:
            await _moment(case, ours)
        case Case(at="runner", point=point) if point in TURNING:
            await _turning(case, ours)
        case Case(at="runner", point="ownership.locked" | "store.claimed" | "salvage.claimed" | "salvage.adopted"):
            await _taking_over(case, ours)
        case Case(at="runner"):
            await _streaming(case, ours)
        case Case(point="store.settled" | "store.claimed" | "salvage.claimed" | "salvage.adopted"):
            await _recording(case, ours)
        case Case(point="supervisor.spawning" | "supervisor.spawned"):
            await _respawning(case, ours)
        case _:
            await _asked(case, ours)
    ours.home.points.clear()


# Parts.


async def _lose_a_run(ours: Scene, script: Script) -> None:
    """Kill server and runner in the middle of the first turn. What the person does is kept for the next."""
    await ours.begin(script._replace(deeds=()))
    await ours.output(2)
    await ours.strike("server", "runner")
    ours.home.points.clear()


async def _resumed(ours: Scene, script: Script) -> None:
    """The person sees that the first turn was interrupted and has it taken up."""
    await ours.home.up()
    await ours.viewer.see("turn.ended", turn="t1")
    ours.person.act("t2", script)
    await ours.person.resume("t2", script, "t1")


async def _stand(ours: Scene, role: Role, point: str, turn: str = "") -> None:
    """Wait until a process stands at the point; note what it has spooled. The turn that leads there must not end."""
    reached = asyncio.create_task(ours.home.points.reached(role, point))
    ended = asyncio.create_task(ours.viewer.see("turn.ended", turn=turn or "no such turn"))
    try:
        await asyncio.wait((reached, ended), return_when=asyncio.FIRST_COMPLETED)
        if not reached.done():
            raise Missed("the turn was over before the point was reached")
        await reached
    finally:
        reached.cancel()
        ended.cancel()
        await asyncio.gather(reached, ended, return_exceptions=True)
    if point == "spool.written":
        _note_spool(ours)


def _note_spool(ours: Scene) -> None:
    epoch = ours.home.state(ours.session).epoch
    body = spool_path(ours.home.settings.spools, SessionId(ours.session), epoch)
    copy = ours.home.path / "spool.copy"
    copy.write_bytes(body.read_bytes())  # the spool itself is locked by its owner
    ours.spooled |= {(epoch, fact.n) for fact in look(copy).facts}
    assert ours.spooled, "the runner stands where it has spooled, and nothing is in its spool"


def _victims(case: Case) -> tuple[Victim, ...]:
    if case.column == "second kill":
        return (case.at or "runner",)
    return VICTIMS[case.column]


# A runner while its agent works.


async def _streaming(case: Case, ours: Scene) -> None:
    script, turn = BY_NAME[case.script], "t1"
    if case.column == "second kill":
        await _lose_a_run(ours, script)
        await _resumed(ours, script)
        turn = "t2"
    else:
        await ours.begin(script)
    await ours.output(2, turn)
    ours.home.points.arm("runner", case.point)
    if case.point == "spool.written":
        ours.home.points.fill_disk("runner")
    await _stand(ours, "runner", case.point, turn)
    await ours.strike(*_victims(case))


async def _turning(case: Case, ours: Scene) -> None:
    script = BY_NAME[case.script]
    if case.column == "second kill":
        await _lose_a_run(ours, script)
    elif case.column == "agent" and case.point == "runner.turn_started":
        await ours.begin(STREAM, "t0")  # so that there is an agent when the next turn starts
        await ours.viewer.see("turn.ended", turn="t0")
    ours.home.points.arm("runner", case.point)
    if case.column == "second kill":
        await _resumed(ours, script)
    else:
        await ours.begin(script)
    await _stand(ours, "runner", case.point, "t2" if case.column == "second kill" else "t1")
    await ours.strike(*_victims(case))


# A dead run is taken over, by a runner or by the server.


async def _taking_over(case: Case, ours: Scene) -> None:
    await _die_with(case, ours, ("server", "runner"))
    for _ in range(2 if case.column == "second kill" else 1):
        ours.home.points.clear()
        if "server" in _victims(case):
            await _server_beside_a_runner(ours)
        ours.home.points.arm("runner", case.point)
        if not ours.home.runner(ours.session):
            ours.home.start_runner(ours.session)
        elif case.point != "ownership.locked":
            ours.home.points.let_go("runner", "ownership.locked")
        await _stand(ours, "runner", case.point)
        await ours.strike(*_victims(case), counts=False)


async def _server_beside_a_runner(ours: Scene) -> None:
    """Start a server that finds a runner in the middle of taking the session over, and leaves it alone."""
    ours.home.points.arm("runner", "ownership.locked")
    ours.home.start_runner(ours.session)
    await _stand(ours, "runner", "ownership.locked")
    await ours.home.up()


async def _recording(case: Case, ours: Scene) -> None:
    ours.home.points.arm("server", case.point)
    await _die_with(case, ours, ("runner",))
    await _stand(ours, "server", case.point)
    await ours.strike("server", counts=False)
    if case.column == "second kill":
        ours.home.points.clear()
        ours.home.points.arm("server", case.point)
        ours.home.start_server()
        ours.person.reload_soon()  # a loss that is written down already is looked into when somebody looks
        await _stand(ours, "server", case.point)
        await ours.strike("server", counts=False)


async def _die_with(case: Case, ours: Scene, victims: tuple[Victim, ...]) -> None:
    """Kill in the middle of the first turn; where a spool is to be adopted, with a spool."""
    await ours.begin(BY_NAME[case.script])
    await ours.output(2)
    if case.point.startswith("salvage."):
        ours.home.points.arm("runner", "spool.written")
        ours.home.points.fill_disk("runner")
        await _stand(ours, "runner", "spool.written")
    await ours.strike(*victims)


# A server when a person does something.


async def _asked(case: Case, ours: Scene) -> None:
    script = BY_NAME[case.script]
    if case.column == "second kill":
        await _asked_again(case, ours, script._replace(deeds=()))
        return
    ours.person.answering.clear()
    await ours.begin(script._replace(deeds=()))
    await ours.viewer.see("approval.requested" if case.script == "approve" else OUTPUT, 1, turn="t1")
    with _slow_to_cancel(ours, script):
        ours.home.points.arm("server", case.point)
        ours.person.answering.set()
        ours.person.act("t1", script._replace(when=1))
        await _stand(ours, "server", case.point, "t1")
        await ours.strike(*_victims(case))


async def _asked_again(case: Case, ours: Scene, script: Script) -> None:
    """The second blow falls on the server's first write, which tells of the loss; or when the person goes on."""
    await _lose_a_run(ours, script)
    if case.point == "server.appended":
        await ours.home.up()
        await ours.viewer.see("turn.ended", turn="t1")
        ours.person.resume_soon("t2", script, "t1")
    ours.home.points.arm("server", case.point)
    if not ours.home.server:
        ours.home.start_server()
    await _stand(ours, "server", case.point)
    await ours.strike("server", counts=False)


# A server that starts a runner.


async def _beside(case: Case, ours: Scene, other: Scene) -> None:
    """While our turn runs, the other session's is to be started."""
    await ours.begin(STREAM._replace(text="!stream 100 5", said=words(100)))
    await ours.output(2)
    ours.home.points.arm("server", case.point)
    other.person.submit_soon("t1", STREAM)
    await _stand(ours, "server", case.point, "t1")
    await ours.strike(*_victims(case))
    ours.home.points.clear()
    other.struck_at = ours.struck_at


async def _respawning(case: Case, ours: Scene) -> None:
    script = BY_NAME[case.script]
    await _lose_a_run(ours, script)
    await ours.home.up()
    await ours.viewer.see("turn.ended", turn="t1")
    ours.home.points.arm("server", case.point)
    ours.person.resume_soon("t2", script, "t1")
    await _stand(ours, "server", case.point)
    await ours.strike("server", counts=False)


# Moments.


async def _moment(case: Case, ours: Scene) -> None:
    name, kind, count = MOMENTS[case.point]
    script, turn = BY_NAME[name], "t1"
    if kind in ("approval.requested", "question.asked"):
        ours.person.answering.clear()
    if case.column == "second kill":
        await ours.begin(script._replace(deeds=()))
        await ours.output(1)
        await ours.strike("server", "runner")
        turn = "t2"
        await _resumed(ours, script._replace(deeds=()))
    else:
        await ours.begin(script._replace(deeds=()))
    await ours.output(1, turn)
    with _slow_to_cancel(ours, script):
        ours.person.act(turn, script._replace(when=1))
        await _see(ours, kind, count, turn)
        await ours.strike(*_victims(case))
    ours.person.answering.set()


@contextlib.contextmanager
def _slow_to_cancel(ours: Scene, script: Script) -> Generator[None]:
    """Stop the agent while a cancel is on its way: it would obey at once, and nothing would run any more."""
    agent = ours.pid("agent") if "cancel" in script.deeds else 0
    if agent:
        os.kill(agent, signal.SIGSTOP)
    try:
        yield
    finally:
        if agent and state(agent) == "T":
            os.kill(agent, signal.SIGCONT)


async def _see(ours: Scene, kind: str, count: int, turn: str) -> None:
    if kind == "approval.answered":
        await ours.viewer.see("approval.requested", turn=turn)
        before = sum(frame.kind == kind for frame in ours.viewer.frames)
        await ours.viewer.see(kind, before + count)
    elif kind == "turn.submitted":
        await ours.viewer.see(kind, turn=f"{turn}-1")
    else:
        await ours.viewer.see(kind, count, turn=turn)


# Chance.


async def _random(seed: int, ours: Scene, attempt: int) -> None:
    """One to three blows, when and upon whom the seed chooses; earlier if the last attempt was too late."""
    dice = random.Random(seed)
    script = dice.choice(ALL)
    more: list[tuple[Victim, ...]] = [("runner", "server"), ("server", "agent")]
    victims = dice.choice([*VICTIMS.values(), *more])
    gentle = victims == ("server",) and dice.random() < 0.3
    await ours.begin(script)
    await ours.output(max(1, dice.randint(1, script.moments) >> (attempt - 1)))
    await asyncio.sleep(dice.choice([0.0, dice.uniform(0, 0.01), dice.uniform(0, 0.05)]) / attempt)
    await ours.strike(*victims, how=signal.SIGTERM if gentle else signal.SIGKILL)
    for _ in range(dice.choice([0, 0, 0, 1, 1, 2])):
        if not ours.home.server:
            ours.home.start_server()
        await asyncio.sleep(dice.uniform(0, 1.5))
        with contextlib.suppress(Missed):
            await ours.strike(*dice.choice([*VICTIMS.values()]), counts=False)
