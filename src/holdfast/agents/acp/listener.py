"""What the owner of an agent hears of it, and how it can go wrong."""

import logging
from typing import Literal, NamedTuple, Protocol

from holdfast.agents.acp.asks import Elicited, Permission
from holdfast.core.errors import HoldfastError
from holdfast.core.events import AnyFact

log = logging.getLogger(__name__)


class AgentUnusable(HoldfastError):
    """{0} can't be used: {1}"""

    def __init__(self, title: str, reason: str, stderr: str = "") -> None:
        super().__init__(title, reason)
        self.reason = reason
        self.stderr = stderr


class CommitFailed(HoldfastError):
    """The agent could not commit its memory: {0}"""


class CommitLost(CommitFailed):
    """The agent may have committed its memory or not: {0}"""


class Result(NamedTuple):
    """How a prompt ended."""

    outcome: Literal["completed", "cancelled", "failed"]
    error: str = ""
    stderr: str = ""
    unheard: bool = False
    """Whether it is certain that nobody has read the message, or will: its agent died first."""


class Listener(Protocol):
    """Who is told what the agent does. Nothing but `room` may wait."""

    def emit(self, fact: AnyFact) -> None: ...
    async def room(self) -> None:
        """Return when more of the agent's output may be read."""
        ...

    def permission_requested(self, request: Permission) -> None: ...
    def decided(self, request: Permission, *, allow: bool) -> None:
        """The agent answered its own request."""
        ...

    def question_asked(self, request: Elicited) -> None: ...
    def ended(self, code: int | None, stderr: str) -> None:
        """The process died by itself. Told once, after all that it had said."""
        ...


class Deaf:
    """Listens to an agent that has no turn, so that nothing that it does concerns anybody."""

    def emit(self, fact: object) -> None:
        """Nobody wants to know."""

    async def room(self) -> None:
        """There always is."""

    def permission_requested(self, request: object) -> None:
        """It has no turn; the client refuses."""

    def decided(self, request: object, *, allow: bool) -> None:
        """It has no turn; nothing was done."""

    def question_asked(self, request: object) -> None:
        """It has no turn; the client refuses."""

    def ended(self, code: int | None, stderr: str) -> None:
        log.info("agent.ended", extra={"code": code, "stderr": stderr[-200:]})
