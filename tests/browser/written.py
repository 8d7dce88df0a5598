"""Sessions written straight into the store, as their runners would have written them, before any server runs."""

import asyncio
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from holdfast.core import events as e
from holdfast.core.ids import CallId, SessionId, TurnId
from holdfast.settings import read_settings
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.store.stage import Run

BATCH = 500
Written = tuple[str, Sequence[e.AnyFact]]
"""A message, and what its run did."""

MARKDOWN = """\
## What changed

The parser reads `msgspec` values, see [the notes](https://example.com/notes). Three things matter:

1. It is **faster**, by a factor of three.
2. It keeps what it does not know:
   - kinds
   - fields
3. Nothing *else* moved.

| backend | appends/s | p50 |
|---|--:|--:|
| memory | 410,000 | 0.1 ms |
| SQLite | 35,000 | 0.4 ms |

```python
def greet(name: str) -> None:
    # says hello
    print(f"Hello, {name}!")
```

Its cost is $O(n \\log n)$, because

$$
\\sum_{i=1}^{n} \\log i \\le n \\log n
$$

> What is quoted stands aside.

- [x] ported
- [ ] measured
"""
TURN = TurnId("t1")


def say(text: str, parent: str | None = None) -> e.TextAppended:
    return e.TextAppended(turn=TURN, text=text, parent=CallId(parent) if parent else None)


def call(name: str, action: str, arguments: str, output: str = "", **fields: object) -> e.ToolChanged:
    known = {"status": "completed", "parent": None, **fields}
    return e.ToolChanged(
        turn=TURN, call=CallId(name), first=True, name=name, title=name, action=action, arguments=arguments,
        output=output, **known,  # pyright: ignore[reportArgumentType]  the tests choose what is set
    )  # fmt: skip


EVERYTHING: Sequence[e.AnyFact] = (
    e.ThoughtAppended(turn=TURN, text="First I read what is there.\n\nThen I port it."),
    call("read-1", "read", '{"path":"src/holdfast/core/codec.py"}', "import msgspec"),
    call("read-2", "read", '{"path":"src/holdfast/core/events.py"}', "class Event: ..."),
    call("search", "search", '{"pattern":"decode\\\\("}', "codec.py:12\ncodec.py:40"),
    call("edit", "edit", '{"path":"src/holdfast/core/codec.py"}', diffs=(
        e.Diff(path="src/holdfast/core/codec.py", old="a = 1\nb = 2\nc = 3\n", new="a = 1\nb = 4\nc = 3\nd = 5\n"),
    )),
    call("test", "execute", '{"command":"pytest tests/codec -q"}', "", status="failed", error="2 failed, 40 passed"),
    call("scout", "other", '{"task":"Look for callers"}', "found 3"),
    call("inner", "search", '{"query":"callers of decode"}', "3 hits", parent=CallId("scout")),
    say("There are three callers.", "scout"),
    e.NoticeRaised(turn=TURN, text="The context is nearly full.", level="warning"),
    say(MARKDOWN),
    e.UsageReported(turn=TURN, input=12_400, output=840, cost=40_000, context_used=12_400, context_window=128_000),
)  # fmt: skip


def write_session(home: Path, session: SessionId, turns: Iterable[Written], title: str = "") -> None:
    """In a thread of its own: Playwright keeps an event loop in this one. Turns are called t1, t2, t3."""
    writer = threading.Thread(target=lambda: asyncio.run(_write(home, session, list(turns), title)))
    writer.start()
    writer.join()


def talk(count: int) -> Iterable[Written]:
    """That many short questions and answers."""
    for number in range(1, count + 1):
        yield f"question {number}", [e.TextAppended(turn=TurnId(f"t{number}"), text=f"answer {number}")]


async def _write(home: Path, session: SessionId, turns: list[Written], title: str) -> None:
    settings = read_settings({}, home=home)
    store = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells))
    try:
        await store.create(session, e.SessionCreated(title=title, agent="tour"))
        run = await Run.claim(store, session)
        for first in range(0, len(turns), BATCH):
            batch = [(TurnId(f"t{first + n}"), *turn) for n, turn in enumerate(turns[first : first + BATCH], start=1)]
            await store.append(session, [e.TurnSubmitted(turn=turn, text=text) for turn, text, _ in batch])
            await run.write(*(fact for turn, _, facts in batch for fact in _whole(turn, facts)))
        await run.write(e.RunnerStopped())
    finally:
        await store.close()


def _whole(turn: TurnId, facts: Sequence[e.AnyFact]) -> list[e.AnyFact]:
    return [e.TurnStarted(turn=turn), *facts, e.TurnEnded(turn=turn, outcome="completed")]


def write_lying(home: Path, session: SessionId, title: str, *changes: e.Event) -> None:
    """A session in which nothing was said, left so a hundred days ago."""
    writer = threading.Thread(target=lambda: asyncio.run(_write_lying(home, session, title, changes)))
    writer.start()
    writer.join()


async def _write_lying(home: Path, session: SessionId, title: str, changes: Sequence[e.Event]) -> None:
    settings = read_settings({}, home=home)
    then = time.time_ns() // 1_000_000 - 100 * 24 * 60 * 60 * 1_000
    store = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells, now=lambda: then))
    try:
        await store.create(session, e.SessionCreated(title=title, agent="tour"))
        await store.append(session, changes)
    finally:
        await store.close()


def write_list(home: Path, count: int) -> None:
    """Sessions session-1, session-2 and so on, in which nothing was said yet.

    Every one of them is synced; so they are written where that costs nothing, and moved.
    """
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        writer = threading.Thread(target=lambda: asyncio.run(_write_list(Path(folder), count)))
        writer.start()
        writer.join()
        shutil.copytree(folder, read_settings({}, home=home).store)


async def _write_list(folder: Path, count: int) -> None:
    store = await SqliteStore.open_folder(folder)
    try:
        for first in range(1, count + 1, BATCH):
            async with asyncio.TaskGroup() as together:
                for number in range(first, min(first + BATCH, count + 1)):
                    created = e.SessionCreated(title=f"Number {number}", agent="tour")
                    together.create_task(store.create(SessionId(f"session-{number}"), created))
    finally:
        await store.close()
