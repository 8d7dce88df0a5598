"""What waits for a person: which of the agent's requests stands behind which ask.

An id that the requester gives is kept if it can be one of ours and is new to the session. The same question asked again
while it waits adds no second ask; every asker gets the answer.
"""

from collections.abc import Callable

import msgspec

from holdfast.agents.acp.asks import Elicited, Permission
from holdfast.core.errors import BadId
from holdfast.core.events import ApprovalRequested, QuestionAsked
from holdfast.core.ids import AskId, TurnId, ask_id
from holdfast.core.items import Question
from holdfast.core.policy import digest


class Waiting(msgspec.Struct):
    """An ask and the agent's requests that wait for it. An approval has no text."""

    ask: AskId
    requests: list[str]
    text: str | None = None
    choices: tuple[str, ...] = ()


class Asks:
    """The asks of the running turn."""

    def __init__(self, mint: Callable[[], str]) -> None:
        self._mint = mint
        self._used: set[str] = set()
        self._waiting: dict[AskId, Waiting] = {}
        self._offered: dict[AskId, tuple[str, ...]] = {}

    def request(
        self, turn: TurnId, permission: Permission, *, agent: str = "", workspace: str = ""
    ) -> ApprovalRequested:
        """The approval to ask for, on behalf of `agent` in `workspace`."""
        ask = self._name(permission.id)
        self._waiting[ask] = Waiting(ask, [permission.id])
        return ApprovalRequested(
            ask=ask,
            turn=turn,
            command=permission.command,
            call=permission.call,
            parent=permission.parent,
            title=permission.title,
            tool=permission.tool,
            action=permission.action,
            arguments=permission.arguments,
            directory=permission.directory,
            description=permission.description,
            pattern_keys=permission.pattern_keys,
            diffs=permission.diffs,
            digest=digest(permission.command, permission.arguments, permission.directory, permission.diffs),
            agent=agent,
            workspace=workspace,
        )

    def question(self, turn: TurnId, asked: Elicited, now: int) -> QuestionAsked | None:
        """The question to ask, or None if it waits already."""
        for waiting in self._waiting.values():
            if waiting.text == asked.text and waiting.choices == asked.choices:
                waiting.requests.append(asked.id)
                return None
        ask = self._name(asked.id)
        self._waiting[ask] = Waiting(ask, [asked.id], asked.text, asked.choices)
        self._offered[ask] = asked.choices
        return QuestionAsked(
            ask=ask,
            turn=turn,
            text=asked.text,
            choices=asked.choices,
            free_text=asked.free_text,
            secret=asked.secret,
            timeout_seconds=asked.timeout_seconds,
            expires_at=now + asked.timeout_seconds * 1000 if asked.timeout_seconds else 0,
        )

    def settle(self, ask: AskId) -> list[str]:
        """The agent's requests that this ask answers, once."""
        waiting = self._waiting.pop(ask, None)
        return [] if waiting is None else waiting.requests

    def meant(self, question: Question) -> str:
        """The answer as its asker knows it: in a choice that was stored, a secret is covered."""
        stored = dict(zip(question.choices, self._offered.get(question.ask, ()), strict=False))
        return stored.get(question.answer, question.answer)

    def clear(self) -> None:
        """The turn is over: nobody waits."""
        self._waiting.clear()
        self._offered.clear()

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, ask: AskId) -> bool:
        return ask in self._waiting

    def _name(self, wish: str) -> AskId:
        try:
            name = ask_id(wish)
        except BadId:
            name = AskId(self._mint())
        if name in self._used:
            name = AskId(self._mint())
        self._used.add(name)
        return name
