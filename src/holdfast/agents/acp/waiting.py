"""What an agent waits for: its requests by the ids under which a person answers them.

Law: a request is answered once, by a person or by calling it off. An id that waits no more is ignored.
"""

import contextlib
import secrets
from collections.abc import Callable

from holdfast.agents.acp import asks, wire
from holdfast.agents.acp.connection import Connection
from holdfast.agents.acp.errands import Answer
from holdfast.agents.acp.jsonrpc import Id
from holdfast.core.errors import BadId
from holdfast.core.ids import ask_id, mint

NO_WAY = "The agent offers no way to allow this once, so it was not allowed."


class Waiting:
    """`complain` tells a person what went wrong with an answer."""

    def __init__(self, connection: Connection, complain: Callable[[str], None]) -> None:
        self._connection = connection
        self._complain = complain
        self._permissions: dict[str, tuple[Id, wire.PermissionWanted]] = {}
        self._questions: dict[str, tuple[Id, wire.ElicitationWanted]] = {}
        self._own: dict[str, Answer] = {}

    def name(self, wanted: str = "") -> str:
        """The id that the agent gave, if it can be one of ours and is not in use; else a new one."""
        with contextlib.suppress(BadId):
            if ask_id(wanted) not in self._permissions and wanted not in self._questions:
                return wanted
        return mint(secrets.token_bytes(10))

    def permission(self, name: str, request: Id, wanted: wire.PermissionWanted) -> None:
        self._permissions[name] = request, wanted

    def question(self, name: str, request: Id, wanted: wire.ElicitationWanted) -> None:
        self._questions[name] = request, wanted

    def own(self, name: str, answer: Answer) -> None:
        """Something that we ourselves carry out for the agent."""
        self._own[name] = answer

    def asks(self, name: str) -> bool:
        """Whether the agent itself waits for leave under that id."""
        return name in self._permissions

    def decide(self, name: str, *, allow: bool, reason: str, digest: str) -> None:
        """A person has decided."""
        if (told := self._own.pop(name, None)) is not None:
            told(digest if allow else None, reason)
            return
        if name not in self._permissions:
            return
        request, wanted = self._permissions.pop(name)
        answer = asks.decision(wanted.options, allow=allow, reason=reason, digest=digest)
        if answer is None and allow:
            self._complain(NO_WAY)
        self._connection.respond(request, answer or asks.CANCELLED)

    def say(self, name: str, text: str | None) -> None:
        """A person has answered; None if there are no words."""
        if name not in self._questions:
            return
        request, wanted = self._questions.pop(name)
        self._connection.respond(request, asks.DECLINED if text is None else asks.reply(wanted, text))

    def call_off(self) -> None:
        """Nobody will answer what is open."""
        for request, _ in self._permissions.values():
            self._connection.respond(request, asks.CANCELLED)
        for request, _ in self._questions.values():
            self._connection.respond(request, asks.CALLED_OFF)
        for answer in self._own.values():
            answer(None, "")
        self._permissions.clear()
        self._questions.clear()
        self._own.clear()
