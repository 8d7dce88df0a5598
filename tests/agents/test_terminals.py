import asyncio
import itertools
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from holdfast.agents.acp.terminals import Exit, NotStarted, Output, Terminal, shell_line
from holdfast.agents.tree import MARK, TERMINAL, tree
from tests.agents.audience import PATIENCE

NAMES = itertools.count()


class Screen:
    """Shows what was printed, once it is `lit`."""

    def __init__(self) -> None:
        self.text = ""
        self.lit = asyncio.Event()
        self.lit.set()
        self._changed = asyncio.Event()

    async def show(self, text: str) -> None:
        await self.lit.wait()
        self.text += text
        self._changed.set()

    async def until(self, text: str) -> None:
        while text not in self.text:
            self._changed.clear()
            await self._changed.wait()


@asynccontextmanager
async def running(
    folder: Path, command: str, *args: str, env: Mapping[str, str] | None = None
) -> AsyncGenerator[tuple[Terminal, Screen]]:
    """A terminal for the length of the block, and what it printed."""
    screen, tag = Screen(), f"{folder.name}:1.1"
    name = str(next(NAMES))
    terminal = Terminal.start(shell_line(command, args), cwd=folder, env=env or {}, tag=tag, name=name)
    reading = asyncio.create_task(terminal.run(screen.show))
    try:
        async with asyncio.timeout(PATIENCE):
            yield terminal, screen
    finally:
        await terminal.kill()
        await reading
        assert not tree(f"{tag}/{name}", mark=TERMINAL)


async def test_a_command_prints_and_ends(tmp_path: Path) -> None:
    async with running(tmp_path, "pwd; echo wrong >&2; exit 3") as (terminal, screen):
        assert terminal.exit is None
        await terminal.over.wait()
        assert terminal.exit == Exit(3, None)
        assert screen.text == str(terminal.output) == f"{tmp_path}\nwrong\n"


async def test_arguments_are_handed_over_as_they_are(tmp_path: Path) -> None:
    async with running(tmp_path, "printf", "%s|", "a b", "$HOME", "") as (terminal, _):
        await terminal.over.wait()
        assert str(terminal.output) == "a b|$HOME||"


async def test_a_command_sees_no_secret_of_ours_and_its_mark_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-private")
    async with running(tmp_path, "env", env={"COLOUR": "red", MARK: "stolen"}) as (terminal, _):
        await terminal.over.wait()
        shown = str(terminal.output).splitlines()
        assert "COLOUR=red" in shown
        assert f"{MARK}={tmp_path.name}:1.1" in shown
        assert "sk-private" not in str(terminal.output)


async def test_a_killed_command_ends_with_all_that_it_started_and_keeps_its_output(tmp_path: Path) -> None:
    async with running(tmp_path, "setsid sleep 1000 & sleep 1000 & echo begun; wait") as (terminal, screen):
        await screen.until("begun")
        await terminal.kill()
        await terminal.over.wait()
        assert terminal.exit == Exit(None, "SIGKILL")
        assert str(terminal.output) == "begun\n"
        assert not tree(f"{tmp_path.name}:1.1")


async def test_what_a_command_leaves_behind_does_not_hold_up_its_end(tmp_path: Path) -> None:
    # It lives on without anybody who listens.
    left_behind = "(trap '' PIPE; while :; do echo tick; sleep 0.1; done) &"
    async with running(tmp_path, f"{left_behind} echo done") as (terminal, _):
        await terminal.over.wait()
        assert terminal.exit == Exit(0, None)
        assert "done\n" in str(terminal.output)
        deadline = asyncio.get_running_loop().time() + 30
        while not tree(f"{tmp_path.name}:1.1"):  # one that is just becoming another program shows no mark
            assert asyncio.get_running_loop().time() < deadline
            await asyncio.sleep(0.01)


async def test_killing_a_terminal_leaves_others_of_the_run_alone(tmp_path: Path) -> None:
    sleep = "echo begun; exec sleep 1000"
    async with running(tmp_path, sleep) as (first, _), running(tmp_path, sleep) as (second, screen):
        await screen.until("begun")
        await first.kill()
        await first.over.wait()
        assert second.exit is None
        await second.kill()


async def test_a_program_that_does_not_exist_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match=r"no-such-program can't be started in .*: No such file"):
        Terminal.start(["no-such-program", "a"], cwd=tmp_path, env={}, tag="t:1.1", name="x")
    with pytest.raises(NotStarted, match="can't be started"):
        Terminal.start(["env", "a"], cwd=tmp_path, env={"a=b": "c", "n\0": "x"}, tag="t:1.1", name="x")


async def test_whoever_reads_slowly_holds_the_command_up_and_loses_nothing(tmp_path: Path) -> None:
    over = tmp_path / "over"
    async with running(tmp_path, "seq 1 300000; touch over") as (terminal, screen):
        screen.lit.clear()
        await asyncio.sleep(0.3)
        assert not over.exists()
        screen.lit.set()
        await terminal.over.wait()
        assert screen.text.split() == [str(number) for number in range(1, 300001)]
        assert over.exists()


@pytest.mark.parametrize(
    ("limit", "kept", "cut"),
    [(100, "aäöü", False), (7, "aäöü", False), (6, "äöü", True), (5, "öü", True), (4, "öü", True), (1, "", True)],
)
def test_output_is_cut_at_the_front_between_characters(limit: int, kept: str, *, cut: bool) -> None:
    output = Output(limit)
    for byte in "aäöü".encode():
        output.feed(bytes([byte]))
    assert (str(output), output.cut) == (kept, cut)


def test_bytes_that_are_no_text_take_no_more_room_than_was_allowed() -> None:
    output = Output(4)
    output.feed(b"\xff\xff\xff", final=True)
    assert str(output) == "\ufffd"
    assert output.cut
