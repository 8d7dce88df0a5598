"""A secret answer is handed to a door of our own, and to no other that stands where one should be."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from holdfast import door
from holdfast.core.ids import AskId, SessionId

S = SessionId("s1")
WORDS = door.Words(ask=AskId("a"), token="t", text="the secret")


@asynccontextmanager
async def thief(folder: Path) -> AsyncGenerator[bytearray]:
    """Listens where a runner would, and says that it took what it heard."""
    heard = bytearray()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.extend(await reader.readline())
        writer.write(door.TAKEN)
        writer.close()

    async with await asyncio.start_unix_server(answer, str(folder / S)):
        yield heard


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "doors"
    folder.mkdir(mode=0o700)
    return folder


async def test_the_runner_gets_the_words(folder: Path) -> None:
    taken: list[door.Words] = []
    async with door.door(folder, S, lambda words: not taken.append(words)):
        assert await door.hand_over(folder, S, WORDS)
    assert taken == [WORDS]
    assert not await door.hand_over(folder, S, WORDS), "it is closed"


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o711, 0o707])
async def test_nothing_is_said_at_a_door_that_others_could_have_put_there(folder: Path, mode: int) -> None:
    """A folder that others may write to, or look into, is not ours alone."""
    os.chmod(folder, mode)  # noqa: PTH101
    async with thief(folder) as heard:
        assert not await door.hand_over(folder, S, WORDS)
    assert not heard


async def test_nothing_is_said_behind_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    async with thief(folder) as heard:
        assert not await door.hand_over(tmp_path / "link", S, WORDS)
    assert not heard


async def test_nothing_is_said_to_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in a folder of theirs, and not to a process of theirs in a folder of ours."""
    async with thief(folder) as heard:
        monkeypatch.setattr(os, "getuid", lambda: 4711)
        assert not await door.hand_over(folder, S, WORDS)
        monkeypatch.setattr(door, "_private", lambda _: True)
        assert not await door.hand_over(folder, S, WORDS)
    assert not heard
