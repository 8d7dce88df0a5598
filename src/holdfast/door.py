"""The runner's private door: how a secret answer reaches it without ever being written down.

The server knocks at a Unix socket that only this user can open, hands over the words of one answer under a token, and
then records that an answer was given. The runner holds the words in memory until it reads that record. If the door
does not open, nothing was said and nothing is recorded: the question still waits.
"""

import asyncio
import contextlib
import os
import socket
import stat
import struct
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import msgspec

from holdfast.core.ids import AskId, SessionId

LONGEST = 1 << 20
PATIENCE = 5.0
TAKEN, REFUSED = b"taken\n", b"refused\n"


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """A secret answer on its way."""

    ask: AskId
    token: str
    text: str


Take = Callable[[Words], bool]


@contextlib.asynccontextmanager
async def door(folder: Path, session: SessionId, take: Take) -> AsyncGenerator[None]:
    """Open for the length of the block. Without a folder that is ours alone there is no door, and no secret is taken.

    The caller owns the session, so a socket that lies there is a dead owner's.
    """
    if not _private(folder):
        yield
        return
    path = folder / session
    path.unlink(missing_ok=True)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _answer(reader, writer, take)

    server = await asyncio.start_unix_server(answer, str(path), limit=LONGEST)
    path.chmod(0o600)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, take: Take) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            words = msgspec.json.decode(await reader.readline(), type=Words)
            ours = _user_of(writer) == os.getuid()
            writer.write(TAKEN if ours and take(words) else REFUSED)
            await writer.drain()
    except (TimeoutError, msgspec.DecodeError, ValueError, OSError):
        pass  # whoever knocked hears nothing, and takes that as a refusal
    finally:
        writer.close()


async def hand_over(folder: Path, session: SessionId, words: Words) -> bool:
    """Whether the session's runner has the words now. They go to no door that another user could have put there."""
    try:
        async with asyncio.timeout(PATIENCE):
            if not _private(folder):
                return False
            reader, writer = await asyncio.open_unix_connection(str(folder / session), limit=LONGEST)
            try:
                if _user_of(writer) != os.getuid():
                    return False
                writer.write(msgspec.json.encode(words) + b"\n")
                await writer.drain()
                return await reader.readline() == TAKEN
            finally:
                writer.close()
    except (TimeoutError, OSError):
        return False


def _private(folder: Path) -> bool:
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def _user_of(writer: asyncio.StreamWriter) -> int:
    """Who is at the other end. Where the system can't tell, the folder's mode has kept others out."""
    peer = writer.get_extra_info("socket")
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return os.getuid()
    _, user, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return user
