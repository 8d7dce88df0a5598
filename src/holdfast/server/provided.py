"""What a message needs is there: the files that it names, and the folder that its agent is to work in.

Law: it is looked for before a message is recorded, never after. The same message again is still the same one, whatever
has become of its files meanwhile.
"""

import asyncio
from pathlib import Path

from msgspec import UNSET

from holdfast.core import commands as c
from holdfast.core.decide import turn_key
from holdfast.core.errors import Refused
from holdfast.core.events import Attachment
from holdfast.core.ids import SessionId
from holdfast.core.session import Session
from holdfast.server.wiring import Wiring
from holdfast.store.blobs import Blobs, NoSuchBlob
from holdfast.workspace.files import is_folder

Message = c.SubmitTurn | c.StartTurn | c.InterruptTurn | c.ReplaceTurn


class FileMissing(Refused):
    """The file {0!r} is not on this server, so the message was not sent. Attach it again, or leave it out."""

    status = 400


class FolderMissing(Refused):
    """There is no folder {0}, so nobody can work there and the message was not sent. Put it back, or choose another
    folder for this session."""

    status = 400


async def check_provided(wiring: Wiring, session: SessionId, state: Session, message: Message) -> None:
    """Raise `FileMissing` or `FolderMissing`."""
    chosen = message.workspace if isinstance(message, c.StartTurn) else UNSET
    folder = state.workspace if chosen is UNSET else chosen
    if not folder and not message.attachments:
        return  # a folder of its own is made
    missing = await asyncio.to_thread(_missing, Blobs(wiring.settings.blobs), message.attachments, folder)
    if missing is not None and not await wiring.store.keyed(session, turn_key(message.turn)):
        raise missing


def _missing(blobs: Blobs, attachments: tuple[Attachment, ...], folder: str) -> Refused | None:
    for attachment in attachments:
        try:
            blobs.path(attachment.blob)
        except NoSuchBlob:
            return FileMissing(attachment.name)
    return FolderMissing(folder) if folder and not _is_folder(folder) else None


def _is_folder(folder: str) -> bool:
    try:
        return is_folder(Path(folder).expanduser())
    except RuntimeError:  # the home of nobody
        return False
