"""What an agent would not hear while it worked becomes the next turn."""

import logging
import secrets
from collections.abc import Sequence

import msgspec

from holdfast.core.decide import turn_key
from holdfast.core.errors import StoreError
from holdfast.core.events import TurnSubmitted
from holdfast.core.ids import SessionId, TurnId, mint
from holdfast.store.protocol import Store

log = logging.getLogger(__name__)


class Unheard(msgspec.Struct, frozen=True):
    """Words, and who sent them."""

    text: str
    client: str


async def put_ahead(store: Store, session: SessionId, unheard: Sequence[Unheard]) -> None:
    """Queue them before everything else that waits, in their order."""
    for words in reversed(unheard):
        turn = TurnId(mint(secrets.token_bytes(10)))
        submitted = TurnSubmitted(turn=turn, text=words.text, ahead=True, client=words.client)
        try:
            await store.append(session, [submitted], key=turn_key(turn))
        except StoreError as exc:
            log.warning("words.not_told", extra={"session": session, "error": str(exc)})
