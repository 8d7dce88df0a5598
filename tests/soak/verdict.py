"""What must be true when all is quiet: the looks that the crash tests take, and what only many viewers can show."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from holdfast.core.ids import SessionId
from holdfast.core.overview import overview
from holdfast.core.records import Record
from holdfast.core.session import replay
from holdfast.store.sqlite.check import check_store
from holdfast.store.sqlite.connection import connect
from holdfast.store.sqlite.reading import Reading
from holdfast.store.sqlite.store import DATABASE
from tests.crashes.home import Home
from tests.crashes.points import alive
from tests.crashes.verdict import Flaw, complaints, judge_log
from tests.served import HOLDFAST
from tests.soak.errands import answered
from tests.soak.heard import PATIENCE, Heard
from tests.soak.person import Person
from tests.soak.viewer import Viewer


def judge_session(home: Home, heard: Heard, person: Person, log: list[Record]) -> list[Flaw]:
    """What the crash tests look at, and whether what browsers folded is what the log folds to."""
    flaws = judge_log(home, heard.name, log, answered(person.scripts, log))
    named = [Flaw(flaw.kind, f"{heard.name}: {flaw.sentence}") for flaw in flaws]
    folded = replay(log[: heard.seq])
    if overview(folded) != overview(heard.session):
        named.append(Flaw("lost", f"{heard.name}: browsers see {overview(heard.session)}, the log {overview(folded)}"))
    return [*named, *heard.flaws, *heard.differs(log), *person.flaws]


async def caught_up(home: Home, viewers: Sequence[Viewer]) -> list[Flaw]:
    """Wait until every viewer has all that the store has, and say who has not."""
    try:
        async with asyncio.timeout(PATIENCE):
            while behind(home, viewers):  # noqa: ASYNC110  a store has no event
                await asyncio.sleep(0.2)
    except TimeoutError:
        return [Flaw("lost", sentence) for sentence in behind(home, viewers)]
    return []


def behind(home: Home, viewers: Sequence[Viewer]) -> list[str]:
    reading = Reading(connect(home.settings.store / DATABASE))
    try:
        rows = reading.changes(0, 1_000_000)
        heads = {row.id: reading.head(row.id) for row in rows}
    finally:
        reading.close()
    change = max((row.change for row in rows), default=0)
    late = [viewer for viewer in viewers if viewer.lists and viewer.change < change]
    missing = [f"a list stands at change {viewer.change}, the store at {change}" for viewer in late]
    for viewer in viewers:
        cursors = [(name, seq, heads[SessionId(name)]) for name, seq in viewer.cursors.items()]
        missing += [f"a viewer has {seq} of {head} records of {name}" for name, seq, head in cursors if seq < head]
    return missing


async def stop(home: Home) -> list[Flaw]:
    """End the home as a person does, and say what is left of it."""
    command = [*HOLDFAST, "stop", "--home", str(home.path)]
    stopping = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    said, _ = await stopping.communicate()
    flaws = [Flaw("stuck", f"holdfast stop: {said.decode()}")] if stopping.returncode else []
    deadline = time.monotonic() + PATIENCE
    # A server lets go of its home a moment before it ends.
    while (left := remaining(home)) and time.monotonic() < deadline:  # noqa: ASYNC110  a process has no event
        await asyncio.sleep(0.1)
    return [*flaws, *(Flaw("stuck", f"still there after the end: {line}") for line in left)]


def remaining(home: Home) -> list[str]:
    """The living processes that belong to the home, by their mark or by their arguments."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        try:
            variables = (folder / "environ").read_bytes().split(b"\0") if folder.name.isdecimal() else []
            arguments = (folder / "cmdline").read_bytes().split(b"\0") if variables else []
        except OSError:
            continue
        path = str(home.path).encode()
        ours = b"HOLDFAST_RUN_HOME=" + path in variables or (b"--home" in arguments and path in arguments)
        if ours and alive(int(folder.name)):
            found.append(f"{folder.name} {b' '.join(arguments).decode('utf-8', 'replace')}")
    return found


def unforeseen(deaths: list[int], blows: list[int]) -> list[Flaw]:
    """Servers end when they are struck, and as it must be: killed, or with a clean exit."""
    if deaths == blows:
        return []
    return [Flaw("broken", f"servers ended as {deaths}, and were struck as {blows}")]


def complained(home: Home) -> list[Flaw]:
    """What operators' logs say that they should not say."""
    logs = home.settings.logs
    paths = [home.path / "server.err", *logs.glob("*.log*"), *logs.glob("runners/*")]
    return [Flaw("complained", f"{path.name}: {line}") for path in paths for line in complaints(path, 0)[1]]


def unsound(home: Home) -> list[Flaw]:
    """What SQLite itself has to say against the store."""
    try:
        check_store(home.settings.store)
    except Exception as exc:  # noqa: BLE001  whatever it is, it is what is said of the store
        return [Flaw("lost", f"the store is not sound: {exc}")]
    return []
