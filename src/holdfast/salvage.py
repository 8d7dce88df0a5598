"""Takes a session over from a dead owner: ends its processes, writes down its loss, takes in what it had spooled.

Law: end, append, spawn, in that order. Whatever dies half way is done again from the start and gives the same
transcript, because the store skips what it has. Used by a runner when it claims its session, and by the server for a
session that nobody runs.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec

from holdfast import faults
from holdfast.agents.tree import end_tree
from holdfast.core import recovery
from holdfast.core.events import AnyFact
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Position
from holdfast.core.recovery import Sight
from holdfast.core.session import Session
from holdfast.core.state import Recovering
from holdfast.ownership import Lock
from holdfast.settings import Settings
from holdfast.store.protocol import Store
from holdfast.store.spool import Spooled, dead_spools, look, spool_path


class Owned(msgspec.Struct):
    """A session that is ours: its epoch, the last fact number used, the head of its log, and what was true there."""

    epoch: int
    n: int
    head: int
    session: Session


class Write(Protocol):
    """Appends facts of the present owner, in their place among its others."""

    async def __call__(self, *facts: AnyFact) -> None: ...


async def take_over(store: Store, lock: Lock, settings: Settings, now: int) -> Owned:
    """Become the owner of a locked session, and look once at what earlier owners left.

    That there is something to look for is part of the claim: whoever dies before the look leaves it to the next owner.
    Where nobody ever was, nobody is looked for: every process of a run was started after a claim.
    """

    def loss(session: Session) -> Sequence[AnyFact]:
        turn = None if session.running is None else session.turns.get(session.running)
        sight = "nothing" if turn is None else see(spool_path(settings.spools, lock.session, turn.epoch))[0]
        return [*recovery.loss(session), *([] if turn is None else recovery.first_verdict(turn.id, sight))]

    if await store.claims(lock.session):
        await asyncio.to_thread(end_tree, f"{lock.session}:", home=str(settings.home))
    claimed = await store.claim(lock.session, loss)
    faults.point("salvage.claimed")
    owned = Owned(claimed.epoch, claimed.n, claimed.head, claimed.session)
    await look_again(store, owned, lock.session, settings.spools, now, partial(_append, store, owned, lock.session))
    _remove_empty(settings.spools, lock.session, owned.epoch)
    return owned


async def look_again(store: Store, owned: Owned, session: SessionId, spools: Path, now: int, write: Write) -> None:
    """One attempt for every interrupted turn whose recovery is pending. While output arrives, nothing is written."""
    for turn, pending in list(owned.session.recovering.items()):
        path = spool_path(spools, session, pending.epoch)
        expired = recovery.expired(pending, now)
        sight, facts = ("nothing", []) if expired else see(path)
        await _adopt(store, owned, session, turn, pending.epoch, facts)
        await write(*recovery.verdict(turn, pending, sight, now))
        if not expired:
            _drop(path, sight)


def anything_to_do(session: SessionId, spools: Path, recovering: dict[TurnId, Recovering], now: int) -> bool:
    """Whether an attempt would write something. Looks, and writes nothing."""
    return any(
        recovery.expired(pending, now) or see(spool_path(spools, session, pending.epoch))[0] != "arriving"
        for pending in recovering.values()
    )


def see(path: Path) -> tuple[Sight, list[Spooled]]:
    """What a spool shows: output, nothing (none was begun, or it is sealed and empty), or that more may arrive."""
    try:
        found = look(path)
    except FileNotFoundError:
        return "nothing", []
    except OSError:
        return "arriving", []
    if found.held or (found.begun and not found.facts and not found.sealed):
        return "arriving", []
    return ("output", list(found.facts)) if found.facts else ("nothing", [])


async def _adopt(
    store: Store, owned: Owned, session: SessionId, turn: TurnId, epoch: int, facts: Sequence[Spooled]
) -> None:
    late = [(Position(epoch=epoch, n=fact.n), fact.event) for fact in facts]
    if late:
        owned.head = (await store.adopt(session, late, turn=turn, epoch=owned.epoch)).last
        faults.point("salvage.adopted")


async def _append(store: Store, owned: Owned, session: SessionId, *facts: AnyFact) -> None:
    if facts:
        appended = await store.append(session, facts, position=Position(epoch=owned.epoch, n=owned.n + 1))
        owned.n += len(facts)
        owned.head = appended.last


def _drop(path: Path, sight: Sight) -> None:
    """What is in the log needs no spool. One that may still be written, or can't be read, is left alone."""
    if sight == "output":
        path.unlink(missing_ok=True)


def _remove_empty(spools: Path, session: SessionId, epoch: int) -> None:
    """Give back the space that dead owners had reserved and never used."""
    for _, path in dead_spools(spools, session, epoch):
        if see(path)[0] == "nothing":
            path.unlink(missing_ok=True)
