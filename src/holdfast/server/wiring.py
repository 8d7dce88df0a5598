"""Everything the server is made of, put together once at its start and handed to whoever needs it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from holdfast.core.ids import SessionId
from holdfast.ownership import Holder
from holdfast.server.auth import Gatekeeper
from holdfast.server.hub import Hub
from holdfast.server.imports import Imports
from holdfast.server.pulse import Pulse
from holdfast.server.push.sealed import Keys
from holdfast.server.push.subscriptions import Subscriptions
from holdfast.server.roster import Roster
from holdfast.server.schema.house import Places
from holdfast.settings import Settings
from holdfast.store.protocol import Store


class Supervising(Protocol):
    """Whoever sees to it that sessions with work have a runner."""

    def nudge(self, session: SessionId) -> None:
        """The session may need attention now. Returns at once; any number of nudges are one."""
        ...

    def wake(self, session: SessionId) -> None:
        """Somebody is about to write to the session. Returns at once."""
        ...

    async def settle(self, session: SessionId) -> bool:
        """Have the loss of an owner that died written down; whether there may have been one."""
        ...

    async def run(self) -> None:
        """Watch over the runners until cancelled. Runners outlive this."""
        ...

    @property
    def holders(self) -> Mapping[SessionId, Holder]:
        """Who runs now."""
        ...

    @property
    def places(self) -> Places:
        """Who waits for a free place."""
        ...

    @property
    def spooling(self) -> bool:
        """Whether a runner can't reach the store."""
        ...


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """The parts. `instance` names this server process; `clock` counts seconds and never goes back."""

    settings: Settings
    store: Store
    hub: Hub
    gatekeeper: Gatekeeper
    supervisor: Supervising
    roster: Roster
    push: Subscriptions
    push_keys: Keys
    instance: str
    started: float
    imports: Imports = field(default_factory=Imports)
    pulse: Pulse = field(default_factory=Pulse)
    clock: Callable[[], float] = time.monotonic

    @property
    def uptime(self) -> float:
        return self.clock() - self.started
