"""`holdfast` with a supervisor that does nothing, for tests that play the runner's part themselves."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.cli import main
from holdfast.core.ids import SessionId
from holdfast.ownership import Holder
from holdfast.server import serve
from holdfast.server.schema.house import Places

COMMAND = (sys.executable, "-W", "error", str(Path(__file__).resolve()))


class Idle:
    """Starts nothing, ends nothing; remembers who was nudged, in a file of the home."""

    def __init__(self, _store: Any, settings: Any, *_: Any) -> None:
        self._nudges = settings.home / "nudges"

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
        with self._nudges.open("a") as file:
            file.write(f"{session}\n")

    def wake(self, session: SessionId) -> None:
        self.nudge(session)

    async def settle(self, session: SessionId) -> bool:  # noqa: ARG002  the tests play the owner without a lock
        return False

    async def run(self) -> None:
        await asyncio.Event().wait()


if __name__ == "__main__":
    setattr(serve, "Supervisor", Idle)  # noqa: B010  a constant name that the type checker guards
    sys.exit(main())
