"""uvloop closes a pipe's descriptor before it asks the file to: whoever has the number by then keeps it."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO

import pytest
import uvloop

from holdfast.agents import child as child_module
from holdfast.agents.acp import terminals
from holdfast.agents.child import Child
from holdfast.agents.pipes import End

LOOPS = {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


def refers_to(fd: int) -> str:
    try:
        return str(Path(f"/proc/self/fd/{fd}").readlink())
    except OSError:
        return ""


class Probe(End):
    """Others open something between the two times that the loop closes the pipe."""

    all: "list[Probe]" = []  # noqa: RUF012 (emptied by the test)

    def __init__(self, file: IO[bytes] | None) -> None:
        super().__init__(file)
        self.pipe = refers_to(self.fileno())
        self.closed = asyncio.Event()
        self.taken: list[str] = []
        Probe.all.append(self)

    def close(self) -> None:
        opened = [os.open("/", os.O_RDONLY) for _ in range(4)]
        super().close()
        self.taken += [str(fd) for fd in opened if refers_to(fd) != "/"]
        for fd in opened:
            if refers_to(fd) == "/":
                os.close(fd)
        self.closed.set()


async def a_child(folder: Path) -> None:
    child = await Child.start(("cat",), tag="pipes:child", cwd=folder, home=str(folder))
    child.write(b"heard")
    assert await child.read() == b"heard"
    await child.end()


async def a_terminal(folder: Path) -> None:
    heard = ""

    async def printed(text: str) -> None:
        nonlocal heard
        heard += text

    terminal = terminals.Terminal.start(("echo", "heard"), tag="pipes", name="1", cwd=folder, env={}, home=str(folder))
    await terminal.run(printed)
    assert heard == "heard\n"


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(("started", "pipes"), [(a_child, 3), (a_terminal, 1)])
def test_what_others_opened_stays_open(
    started: Callable[[Path], Awaitable[None]], pipes: int, loop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Probe.all.clear()
    monkeypatch.setattr(child_module, "End", Probe)
    monkeypatch.setattr(terminals, "End", Probe)

    async def play() -> None:
        await started(tmp_path)
        async with asyncio.timeout(30):
            await asyncio.gather(*(end.closed.wait() for end in Probe.all))

    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.run(play())
    assert len(Probe.all) == pipes
    for end in Probe.all:
        assert not end.taken
        assert refers_to(end.fileno()) != end.pipe
