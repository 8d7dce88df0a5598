"""Which session and which ask a request means."""

from typing import Annotated

from holdfast.core import ids
from holdfast.core.askqueue import AskKind, AskQueue
from holdfast.core.errors import BadCommand, BadId, NoSuchAsk, NoSuchSession, NotNow
from holdfast.core.ids import AskId, SessionId
from holdfast.server.endpoint import QueryField
from holdfast.server.wiring import Wiring
from holdfast.store.protocol import Opened
from holdfast.transfer.identity import led_to

SessionQuery = Annotated[str | None, QueryField("The session")]
Flag = Annotated[str, QueryField("1 for yes, 0 for no")]


def on(flag: str) -> bool:
    return flag.lower() in ("1", "true", "yes", "on")


async def named_session(wiring: Wiring, text: str | None) -> SessionId:
    """The session of that id, or that hermes-webui called so. A text that can't name one names none that there is."""
    if not text:
        raise BadCommand("session_id is required")
    try:
        return await led_to(wiring.store, text)
    except BadId as exc:
        raise NoSuchSession(text) from exc


async def opened(wiring: Wiring, session: SessionId) -> Opened:
    """The session as it is now. One that was deleted is not there."""
    found = await wiring.store.open(session)
    if found.session.deleted:
        raise NoSuchSession(session)
    return found


async def meant_ask(wiring: Wiring, session: SessionId, text: str | None, kind: type[AskKind]) -> AskId:
    """The ask of that id, which need not wait any more; without one, the oldest of its kind that waits."""
    if text:
        try:
            return ids.ask_id(text)
        except BadId as exc:
            raise NoSuchAsk(text) from exc
    head = AskQueue((await opened(wiring, session)).session, kind).head
    if head is None:
        raise NotNow("Nothing waits for an answer in this session.")
    return head.ask
