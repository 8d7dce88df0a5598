"""Looking for what has left a session's state: newest page first, because that is where it mostly is."""

from collections.abc import AsyncIterator

from holdfast.core.errors import NotSettled
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.core.items import Approval, Item, Question
from holdfast.core.session import Session
from holdfast.core.window import Settled, transcript
from holdfast.store.protocol import Page, Store


async def find_ask(store: Store, session: SessionId, state: Session, ask: AskId) -> Approval | Question | None:
    """An ask of this session, however long ago it was settled."""
    for entry in transcript(state):
        if isinstance(entry.item, Approval | Question) and entry.item.ask == ask:
            return entry.item
    async for entry in settled_newest_first(store, session):
        if isinstance(entry.item, Approval | Question) and entry.item.ask == ask:
            return entry.item
    return None


async def find_turn(store: Store, session: SessionId, turn: TurnId) -> tuple[int, list[Item]]:
    """The number and the settled items of a turn (of a long text: its last part). Raise `NotSettled`."""
    number, items = 0, dict[int, Item]()
    async for entry in settled_newest_first(store, session):
        if entry.item.turn != turn:
            continue
        number = entry.number
        items.setdefault(entry.item.k, entry.item)
        if entry.item.k == 0:
            return number, list(items.values())
    raise NotSettled(turn)


async def page_with(store: Store, session: SessionId, turn: TurnId, k: int) -> Page:
    """The page that holds this item (of a long text: its last part). Raise `NotSettled`."""
    async for page in _pages_newest_first(store, session):
        if any(entry.item.turn == turn and entry.item.k == k for entry in page.items):
            return page
    raise NotSettled(turn)


async def settled_newest_first(store: Store, session: SessionId) -> AsyncIterator[Settled]:
    async for page in _pages_newest_first(store, session):
        for entry in reversed(page.items):
            yield entry


async def _pages_newest_first(store: Store, session: SessionId) -> AsyncIterator[Page]:
    page = (await store.open(session)).page
    yield page
    while page.number > 1:
        page = await store.page(session, page.number - 1)
        yield page
