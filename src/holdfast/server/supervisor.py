"""Sees to it that every session that needs a runner has one, and that no session is ever stuck.

It carries out `recovery.plan`: what is true is read from the log and from the locks, the plan is pure, the acts are
end, append, spawn. It holds no truth of its own; a server that starts anew finds living runners by their locks and
leaves them alone.
"""

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import assert_never

import msgspec

from holdfast import faults
from holdfast.agents.tree import end_tree
from holdfast.core import recovery
from holdfast.core.cover import Cover
from holdfast.core.errors import HoldfastError
from holdfast.core.events import TurnEnded
from holdfast.core.house import House
from holdfast.core.ids import HOUSE, SessionId
from holdfast.core.overview import Overview
from holdfast.core.records import Position
from holdfast.known import learn_all
from holdfast.owned import make_folder, owner_only
from holdfast.ownership import Holder, Lock, probe
from holdfast.salvage import anything_to_do, take_over
from holdfast.server.schema.house import Places
from holdfast.server.spare import Spare
from holdfast.settings import Settings
from holdfast.store.changed import Changed
from holdfast.store.protocol import Store
from holdfast.store.tail import BATCH

log = logging.getLogger(__name__)

TICK = 0.5
SETTLING = 5.0
"""Seconds that a command waits, at most, for the loss of a dead owner to be written down before it."""
ON_THEIR_WAY = 3.0
"""Seconds that runners get to have their sessions when the server ends. One whose session is taken needs two."""
GLANCE = 0.01
FORGOTTEN = 600.0
"""Seconds after which starts that failed are no reason any more not to start a runner."""
TAKEN = 75
"""Exit code of a runner that found its session owned by another."""


class Heard(msgspec.Struct):
    """The last sign of life of a holder, 0 for one on its way, and when we saw it, by our own clock."""

    beat: int
    at: float


class Failed(msgspec.Struct, frozen=True):
    """Starts that failed in a row, why the last one did, and when, by our own clock."""

    count: int
    why: str
    at: float


class Supervisor:
    """Watches the sessions of one home."""

    def __init__(self, store: Store, settings: Settings, early: Callable[[str], str] = lambda chosen: chosen) -> None:
        """`early` names the agent that the spare is to have started, empty for none: of the one that a person has
        chosen for new sessions, if any."""
        self._store = store
        self._settings = settings
        self._early = early
        self._changed = Changed(store)
        self._rows: dict[SessionId, Overview] = {}
        self._heard: dict[SessionId, Heard] = {}
        self._spawned: dict[SessionId, subprocess.Popen[str]] = {}
        self._working: list[subprocess.Popen[str]] = []
        self._failed: dict[SessionId, Failed] = {}
        self._read: set[SessionId] = set()
        self._wanted: set[SessionId] = set()
        self._nudged = asyncio.Event()
        self._awaited: list[asyncio.Future[None]] = []
        self._spare = Spare(self._start_spare)
        self._house = House()
        self.holders: dict[SessionId, Holder] = {}
        self.places = Places()

    def nudge(self, session: SessionId) -> None:
        """Something was asked of the session, or it was read: look at it now."""
        self._read.add(session)
        self._nudged.set()

    def wake(self, session: SessionId) -> None:
        """Somebody is about to write to the session: have its agent opened, if there is a free place."""
        self._wanted.add(session)
        self._nudged.set()

    async def settle(self, session: SessionId) -> bool:
        """See to it that a dead owner's loss lies in the log; whether it was looked for.

        What a person asks for now comes after the loss then: a message runs instead of being held with what it had
        interrupted, and an answer is refused instead of never being delivered.
        """
        holder = probe(self._settings.locks, session)
        if holder is not None and holder.pid != os.getpid():
            return False
        looked = asyncio.get_running_loop().create_future()
        self._awaited.append(looked)
        self._nudged.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLING):
                await looked
        return True

    @property
    def spooling(self) -> bool:
        """Whether a runner can't reach the store."""
        return any(holder.spooling for holder in self.holders.values())

    async def run(self) -> None:
        """Watch until cancelled. Runners are left alone then; only the spare ends.

        Those on their way are waited for, so that whoever has seen us end can see every runner by its lock.
        """
        try:
            while True:
                awaited, self._awaited = self._awaited, []
                try:
                    await self._look()
                except HoldfastError:
                    log.exception("supervisor.failed")
                finally:
                    for looked in awaited:
                        if not looked.done():
                            looked.set_result(None)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(TICK):
                        await self._nudged.wait()
                self._nudged.clear()
        finally:
            self._spare.dismiss()
            await self._see_off()
            for process in (*self._spawned.values(), *self._working):
                process.returncode = process.poll() or 0  # it outlives us: nobody waits for it any more

    async def _see_off(self) -> None:
        """Return when every runner that was spawned has its session, or has ended, or is too long about it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ON_THEIR_WAY):
                while self._spawned:
                    self._reap()
                    await asyncio.sleep(GLANCE)

    async def _look(self) -> None:
        await self._read_rows()
        self._reap()
        alive = {owner.session for owner in await self._store.owners()}
        situations: list[recovery.Situation] = []
        for session in self._interesting(alive):
            with self._alone(session):
                situations.append(self._situation(session, alive))
        actions = recovery.plan(situations, self._settings.file.runners.max)
        waiting = [action for action in actions if isinstance(action, recovery.Wait)]
        self.places = Places(
            running=max((wait.running for wait in waiting), default=0),
            waiting=tuple(wait.session for wait in waiting),
        )
        self._wanted.clear()
        for action in actions:
            with self._alone(action.session):
                await self._carry_out(action)
        self._make_room()
        read, self._read = self._read, set()  # what is read from now on is looked at next
        for session in read & set(self._rows):
            if self._rows[session].recovering and session not in self.holders:
                with self._alone(session):
                    await self._attempt(session)
        with self._alone(HOUSE):  # the spare is no session's yet
            await self._keep_spare()

    @contextlib.contextmanager
    def _alone(self, session: SessionId) -> Generator[None]:
        """What goes wrong with one session in here costs the others nothing. The next look meets it again."""
        try:
            yield
        except (HoldfastError, OSError):
            log.exception("supervisor.failed", extra={"session": session})

    async def _read_rows(self) -> None:
        async for row in self._changed.rows():
            before = self._rows.get(row.id)
            if row.overview.state == "queued" and (before is None or before.state != "queued"):
                self._failed.pop(row.id, None)  # what failed before this message came says nothing of it
            if _needs_nobody(row.overview):
                self._rows.pop(row.id, None)
            else:
                self._rows[row.id] = row.overview

    def _interesting(self, alive: set[SessionId]) -> list[SessionId]:
        wanting = (s for s, row in self._rows.items() if row.state != "idle" or row.uncommitted)
        return sorted({*alive, *self._spawned, *self.holders, *self._wanted, *wanting})

    def _situation(self, session: SessionId, alive: set[SessionId]) -> recovery.Situation:
        row = self._rows.get(session)
        holder = probe(self._settings.locks, session)
        if holder is None:
            self.holders.pop(session, None)
        else:
            self.holders[session] = holder
        if holder is not None or (row is not None and row.state in ("running", "waiting")):
            self._failed.pop(session, None)
        return recovery.Situation(
            session=session,
            startable=row is not None and row.state == "queued" and not row.deleted,
            alive=session in alive,
            holder=0 if holder is None else holder.pid or -1,
            silent=self._silence(session, holder),
            spawned=self._spawned[session].pid if session in self._spawned else 0,
            failed_starts=self._failed_starts(session),
            forgetful=row is not None and row.uncommitted > 0 and time.time() * 1000 >= row.memory_again,
            lingering=row is not None and row.state == "idle" and row.memory_again > 0,
            wanted=session in self._wanted,
        )

    def _silence(self, session: SessionId, holder: Holder | None) -> float:
        """Seconds since we last saw the holder move, or since one is on its way, by our monotonic clock."""
        if holder is None and session not in self._spawned:
            self._heard.pop(session, None)
            return 0.0
        heard, beat = self._heard.get(session), 0 if holder is None else holder.beat
        if heard is None or heard.beat != beat:
            self._heard[session] = heard = Heard(beat, time.monotonic())
        return time.monotonic() - heard.at

    # Acts.

    async def _carry_out(self, action: recovery.Action) -> None:
        match action:
            case recovery.End(session, pid):
                await self._end(session, pid)
            case recovery.Record(session):
                await self._record(session)
            case recovery.Spawn(session, ready):
                self._spawn(session, ready=ready)
            case recovery.Wait():
                pass  # `places` says so
            case recovery.Fail(session):
                await self._fail(session)
            case _:
                assert_never(action)

    async def _end(self, session: SessionId, pid: int) -> None:
        log.warning("runner.silent", extra={"session": session, "pid": pid})
        if pid > 0:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(end_tree, f"{session}:", home=str(self._settings.home))

    def _make_room(self) -> None:
        """Ask as many idle runners as there are who wait to give up their places. A busy one is never asked.

        Nor is one that takes no place: it only waits to commit its memory again.
        """
        busy = {session for session, row in self._rows.items() if row.state != "idle" or row.memory_again}
        idle = [holder for session, holder in self.holders.items() if holder.pid > 0 and session not in busy]
        for holder in idle[: len(self.places.waiting)]:
            log.info("runner.retired", extra={"session": holder.session, "pid": holder.pid})
            with self._alone(holder.session), contextlib.suppress(ProcessLookupError):
                os.kill(holder.pid, signal.SIGUSR2)

    async def _record(self, session: SessionId) -> None:
        """Write down what was lost, as a passing owner."""
        lock = Lock.take(self._settings.locks, session, patience=0)
        if lock is None:
            return
        try:
            await take_over(self._store, lock, self._settings, time.time_ns() // 1_000_000)
            log.info("session.recovered", extra={"session": session})
        finally:
            lock.release()

    async def _attempt(self, session: SessionId) -> None:
        """One more look for output of an interrupted turn, on behalf of everybody who reads the session now."""
        recovering = (await self._store.open(session)).session.recovering
        if anything_to_do(session, self._settings.spools, recovering, time.time_ns() // 1_000_000):
            await self._record(session)

    async def _fail(self, session: SessionId) -> None:
        """Its runners did not come up three times in a row: say so instead of trying for ever."""
        lock = Lock.take(self._settings.locks, session, patience=0)
        if lock is None:
            return
        try:
            owned = await take_over(self._store, lock, self._settings, time.time_ns() // 1_000_000)
            opened = (await self._store.open(session)).session
            turn = next((turn for turn in opened.queue if not opened.turns[turn].held), None)
            if turn is not None:
                ended = TurnEnded(
                    turn=turn,
                    outcome="failed",
                    error=f"The run could not be started, three times in a row: {self._failed[session].why}",
                    stderr=self._last_words(session),
                )
                await self._store.append(session, [ended], position=Position(epoch=owned.epoch, n=owned.n + 1))
            self._failed.pop(session, None)
        finally:
            lock.release()

    def _last_words(self, session: SessionId) -> str:
        """What its process wrote when it died, with secrets covered as a runner would have."""
        cover = Cover()
        learn_all(cover, self._settings)
        return cover.covered(_last_lines(self._errors(session)))

    # Runner processes.

    def _spawn(self, session: SessionId, *, ready: bool) -> None:
        faults.point("supervisor.spawning")
        runner = self._spare.take(f"{session} open\n" if ready else f"{session}\n")
        if runner is None:
            try:
                runner = self._start([session, *(["--open"] if ready else [])], self._errors(session))
            except OSError as exc:
                self._count_failed_start(session, f"its process could not be made ({exc.strerror or exc}).")
                raise
        self._spawned[session] = runner
        faults.point("supervisor.spawned")
        log.info("runner.spawned", extra={"session": session, "pid": runner.pid})

    def _start(self, arguments: list[str], errors: Path, *, piped: bool = False) -> "subprocess.Popen[str]":
        make_folder(errors.parent)
        command = [sys.executable, "-P", "-m", "holdfast.runner", *arguments, "--home", str(self._settings.home)]
        with open(errors, "w", opener=owner_only) as stderr:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=self._settings.home,
                start_new_session=True,
                text=True,
            )

    async def _keep_spare(self) -> None:
        """Not while another is on its way: it would take the processor from the one that somebody waits for."""
        if not self._settings.file.runners.spare or self._spawned:
            return
        for record in await self._store.read(HOUSE, self._house.seq, BATCH):
            self._house.apply(record)
        self._spare.keep(self._early(self._house.defaults.agent))

    def _start_spare(self, agent: str) -> "subprocess.Popen[str]":
        named = ["--agent", agent] if agent else []
        return self._start(["--spare", *named], self._settings.logs / "runners" / "spare.err", piped=True)

    def _reap(self) -> None:
        """Forget runners that have ended; count those that ended before they did anything."""
        self._working = [process for process in self._working if process.poll() is None]
        for session, process in list(self._spawned.items()):
            with self._alone(session):
                self._reap_one(session, process)

    def _reap_one(self, session: SessionId, process: "subprocess.Popen[str]") -> None:
        code = process.poll()
        if code is None and probe(self._settings.locks, session) is None:
            return  # still on its way
        del self._spawned[session]
        if code is None:
            self._working.append(process)  # it has its session; only its end is still to be noticed
        elif code not in (0, TAKEN):
            self._count_failed_start(session, "its process ended at once.")

    def _count_failed_start(self, session: SessionId, why: str) -> None:
        self._failed[session] = Failed(self._failed_starts(session) + 1, why, time.monotonic())

    def _failed_starts(self, session: SessionId) -> int:
        """Those in a row. After a while it is tried anew: a full disk may have room again."""
        failed = self._failed.get(session)
        return 0 if failed is None or time.monotonic() - failed.at > FORGOTTEN else failed.count

    def _errors(self, session: SessionId) -> Path:
        return self._settings.logs / "runners" / f"{session}.err"


def _needs_nobody(row: Overview) -> bool:
    return row.state == "idle" and not row.recovering and not row.uncommitted


def _last_lines(path: Path) -> str:
    try:
        return "\n".join(path.read_text("utf-8", "replace").splitlines()[-20:])
    except OSError:
        return ""
