"""What a person allowed for good: read from and written to the house log, by the server and by runners alike."""

from hashlib import blake2b

from holdfast.core.errors import Refused
from holdfast.core.events import RuleRemembered, RuleRevoked, RuleUsed
from holdfast.core.house import House
from holdfast.core.ids import HOUSE, SessionId
from holdfast.core.items import Approval
from holdfast.core.policy import rules_of
from holdfast.store.protocol import Store

BATCH = 1_000
DAY = 24 * 60 * 60 * 1_000


class NoSuchRule(Refused):
    """There is no rule {0}. It may have been revoked already."""

    status = 404


async def read_house(store: Store) -> House:
    """All that the house log says."""
    house = House()
    while records := await store.read(HOUSE, house.seq, BATCH):
        for record in records:
            house.apply(record)
    return house


async def remember(store: Store, session: SessionId, approval: Approval) -> None:
    """Write down what an answer of *always* allows for good. Any number of times is once: the ask names the rules."""
    name = blake2b(f"{session}:{approval.ask}".encode(), digest_size=10).hexdigest()
    rules = rules_of(approval, name, everywhere=approval.everywhere)
    events = [
        RuleRemembered(rule=rule, session=session, ask=approval.ask, client=approval.answered_from) for rule in rules
    ]
    await store.append(HOUSE, events, key=f"rule:{session}:{approval.ask}")


async def note_use(store: Store, rule: str, now: int) -> None:
    """Write down that the rule has answered, once a day however often it does, so that the log of the house stays
    short."""
    await store.append(HOUSE, [RuleUsed(rule=rule)], key=f"used:{rule}:{now // DAY}")


async def revoke(store: Store, rule: str, client: str) -> int:
    """Allow it no longer. Raise `NoSuchRule` if nobody does."""
    if rule not in (await read_house(store)).rules:
        raise NoSuchRule(rule)
    return (await store.append(HOUSE, [RuleRevoked(rule=rule, client=client)])).last
