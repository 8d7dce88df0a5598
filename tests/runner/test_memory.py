"""How a runner has memory committed: by whom, and what becomes of the processes."""
# ruff: noqa: N802  tests name the rule they show

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.agents.tree import tree
from holdfast.core.events import (
    AgentOpened,
    AnyFact,
    HistoryTruncated,
    MemoryFailed,
    MemoryRequested,
    MemoryStarted,
    SessionChanged,
)
from holdfast.core.ids import TurnId
from holdfast.core.ledger import Ledger
from holdfast.core.session import Session
from holdfast.runner import memory
from holdfast.runner.agents import Agents
from holdfast.runner.outbox import Outbox
from tests.runner.stage import S, Stage, staged


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as stage:
        yield stage


def ledger(session: Session) -> Ledger:
    return session.ledger or Ledger()


async def done(stage: Stage, turn: str, text: str = "!say done") -> None:
    await stage.say(turn, text)
    await stage.until_ended(turn)


async def owners(stage: Stage) -> list[str]:
    return [record.event.owner for record in await stage.records() if isinstance(record.event, MemoryStarted)]


async def opened(stage: Stage) -> list[AgentOpened]:
    return [record.event for record in await stage.records() if isinstance(record.event, AgentOpened)]


def living(stage: Stage) -> set[int]:
    return tree(f"{S}:", home=str(stage.settings.home))


@pytest.mark.contract("M6")
async def test_M6_the_old_agent_is_kept_until_its_turns_are_committed(stage: Stage) -> None:
    """Another agent takes over the talk. It commits no memory, and is neither counted nor asked."""
    async with stage.running():
        await done(stage, "a")
        await stage.append(SessionChanged(agent="polly"))
        await done(stage, "b", "hello")
        tour, polly = await opened(stage)
        assert living(stage) == {tour.pid, polly.pid}
        assert ledger(await stage.session()).uncommitted == 1
        await stage.append(MemoryRequested())
        await stage.until(lambda session: not ledger(session).segments, "a commit")
        assert await owners(stage) == [tour.instance]
        await done(stage, "c", "hello again")
        assert living(stage) == {polly.pid}
    assert ledger(await stage.session()) == Ledger(generation=1, commits=1, tries=1)


@pytest.mark.contract("M6")
async def test_M6_removing_messages_keeps_whoever_has_not_committed_them(stage: Stage) -> None:
    """The next turn has a new process; the old one still commits what it completed."""
    async with stage.running():
        await done(stage, "a")
        await done(stage, "b")
        await stage.append(HistoryTruncated(turn=TurnId("b")))
        await done(stage, "c")
        old, new = await opened(stage)
        assert living(stage) == {old.pid, new.pid}
        assert [segment.owner for segment in ledger(await stage.session()).segments] == [old.instance, new.instance]
    assert await owners(stage) == [old.instance, new.instance], "a stop commits everybody's, the oldest first"
    assert ledger(await stage.session()).committed == 3


@pytest.mark.contract("M6")
async def test_M6_whoever_is_being_opened_is_not_closed_by_a_commit_that_ends(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While its opening is written down it is nobody's owner and nobody talks to it yet. It is wanted all the same."""
    made: list[Agents] = []
    begin, commit = Agents.__init__, Outbox.commit

    def remembered(self: Agents, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        made.append(self)

    async def interrupted(self: Outbox, *facts: AnyFact) -> None:
        await commit(self, *facts)
        if isinstance(facts[0], AgentOpened):
            await made[0].conclude(Ledger())  # as a commit of memory does that ends just now

    monkeypatch.setattr(Agents, "__init__", remembered)
    monkeypatch.setattr(Outbox, "commit", interrupted)
    async with stage.running():
        await done(stage, "a")
        await stage.append(HistoryTruncated(turn=TurnId("a")))
        await done(stage, "b")
    assert len(await opened(stage)) == 2


@pytest.mark.contract("M4")
@pytest.mark.contract("M8")
async def test_M8_a_turn_does_not_wait_for_an_eviction(stage: Stage) -> None:
    """A message that comes while the last commit of an idle runner is slow runs at once, and keeps the runner."""
    async with stage.running() as runner:
        await done(stage, "a", "!memory slow 3000\n!say slow")
        runner.retire()
        await stage.until(lambda session: ledger(session).attempt, "an eviction")
        await done(stage, "b", "!memory ok\n!say quick")
        assert ledger(await stage.session()).attempt is not None
        await stage.until(lambda session: not session.alive, "the end of the runner")
    session = await stage.session()
    assert (ledger(session).committed, ledger(session).commits) == (2, 2)


@pytest.mark.contract("M10")
async def test_M10_a_commit_whose_agent_died_is_in_doubt(stage: Stage) -> None:
    """It may have been made. The next agent repeats it with the same token, although more was completed meanwhile."""
    async with stage.running():
        await done(stage, "a", "!memory slow 600000\n!say slow")
        await stage.append(MemoryRequested())
        await stage.until(lambda session: ledger(session).attempt, "a commit")
        await done(stage, "b")
        os.kill((await opened(stage))[0].pid, signal.SIGKILL)
        await stage.until(lambda session: ledger(session).doubt, "a doubt")
        await stage.append(MemoryRequested())
        await stage.until(lambda session: not ledger(session).segments, "two commits")
    records = [record.event for record in await stage.records() if isinstance(record.event, MemoryStarted)]
    assert [event.token for event in records] == ["s:1-1", "s:1-1", "s:2-2"]
    assert ledger(await stage.session()).may_be_doubled


@pytest.mark.contract("M7")
async def test_M7_a_provider_that_does_not_answer_is_not_waited_for_for_ever(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its time the commit has failed and is in doubt, and the next can begin."""
    monkeypatch.setattr(memory, "COMMIT_SECONDS", 0.2)
    async with stage.running():
        await done(stage, "a", "!memory slow 1000\n!say slow")
        await stage.append(MemoryRequested())
        await stage.until(lambda session: ledger(session).failures, "a failure")
        (failed,) = [record.event for record in await stage.records() if isinstance(record.event, MemoryFailed)]
        assert failed.in_doubt
        monkeypatch.setattr(memory, "COMMIT_SECONDS", 30.0)
        await stage.append(MemoryRequested())
        await stage.until(lambda session: not ledger(session).segments, "a commit")
    assert len(set(await owners(stage))) == 1


@pytest.mark.contract("M3")
async def test_M3_an_idle_session_commits_nothing_by_itself(stage: Stage) -> None:
    """Turns end, and nobody is asked until there is a boundary; the end of the runner is one."""
    async with stage.running():
        for turn in ("a", "b", "c"):
            await done(stage, turn)
        await asyncio.sleep(0.5)
        assert await owners(stage) == []
    assert len(await owners(stage)) == 1
    assert ledger(await stage.session()).committed == 3
