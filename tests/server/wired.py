"""A wiring without a server around it: a store in memory, and a supervisor that does nothing."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from holdfast.agents import catalog
from holdfast.agents.catalog import TOUR
from holdfast.agents.survey import Survey, Surveyed
from holdfast.core.ids import SessionId
from holdfast.ownership import Holder
from holdfast.server.auth import Gatekeeper
from holdfast.server.hub import Hub
from holdfast.server.push.sealed import Keys
from holdfast.server.push.subscriptions import Subscriptions
from holdfast.server.roster import Roster
from holdfast.server.schema.house import Places
from holdfast.server.wiring import Wiring
from holdfast.settings import Settings
from holdfast.store.memory.store import MemoryStore


class Idle:
    """Starts nothing and ends nothing."""

    @property
    def holders(self) -> Mapping[SessionId, Holder]:
        return {}

    @property
    def places(self) -> Places:
        return Places()

    @property
    def spooling(self) -> bool:
        return False

    def nudge(self, session: SessionId) -> None:
        pass

    def wake(self, session: SessionId) -> None:
        self.nudge(session)

    async def settle(self, session: SessionId) -> bool:  # noqa: ARG002  the tests play the owner without a lock
        return False

    async def run(self) -> None:
        await asyncio.Event().wait()


def wiring_for(home: Path) -> Wiring:
    """Needs a running event loop."""
    store = MemoryStore()
    settings = Settings(home=home, agent=TOUR.name)
    roster = Roster(settings, lambda: [Survey(agents=(Surveyed(name=TOUR.name, title=TOUR.title),))], catalog.find)
    gatekeeper = Gatekeeper(home)
    return Wiring(
        settings=settings,
        store=store,
        hub=Hub(store),
        gatekeeper=gatekeeper,
        supervisor=Idle(),
        roster=roster,
        push=Subscriptions(home, gatekeeper.signed_in),
        push_keys=Keys(home),
        instance="test",
        started=0.0,
    )
