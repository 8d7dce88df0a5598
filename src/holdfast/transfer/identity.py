"""What a session that comes from elsewhere is called here.

Law: the id follows from the program that it comes from and from what that program called it, and from nothing else. So
an import that is repeated finds what it brought before, and an address of the other program leads to the session here.
"""

from hashlib import blake2b

from holdfast.core import ids
from holdfast.core.errors import BadId, NoSuchSession
from holdfast.core.ids import SessionId, TurnId
from holdfast.store.protocol import Store

HERMES = "hermes"
"""hermes-webui and Hermes' own database name sessions from one space: a session may be in both."""
OPEN_WEBUI = "open-webui"
HOLDFAST = "holdfast"

ENTROPY = 10


def imported_id(source: str, name: str) -> SessionId:
    named = f"{source}\0{name}".encode("utf-8", "surrogatepass")
    return SessionId(ids.mint(blake2b(named, digest_size=ENTROPY).digest()))


def imported_turn(session: SessionId, number: int) -> TurnId:
    """The `number`th turn of an imported session."""
    return TurnId(f"{session}-{number}")


async def led_to(store: Store, name: str) -> SessionId:
    """The session that `name` means: its own id, or what hermes-webui called it, which need not be an id here. Raise
    `NoSuchSession`, or `BadId` for what can't be one."""
    imported = imported_id(HERMES, name)
    try:
        own = ids.session_id(name)
    except BadId:
        if await _is_there(store, imported):
            return imported
        raise
    for session in (own, imported):
        if await _is_there(store, session):
            return session
    raise NoSuchSession(name)


async def _is_there(store: Store, session: SessionId) -> bool:
    try:
        await store.wait(session, 0, 0)
    except NoSuchSession:
        return False
    return True
