"""What a script can do in front of the client: say, think, use tools, ask, wait.

One turn runs in its own thread, so that a cancel is read while the turn waits. Every wait and every word looks for the
cancel first; `Cancelled` then ends the turn from wherever it is.
"""

import itertools
import threading
from collections.abc import Callable
from typing import Any, Protocol, cast

Json = dict[str, Any]


class Cancelled(Exception):
    """The client does not want the rest of this turn."""


class Failed(Exception):
    """The turn ends with an error, whose text this is."""


class Wire(Protocol):
    """What the agent offers its stage."""

    @property
    def forms(self) -> bool:
        """Whether the client can show a form."""
        ...

    @property
    def workspace(self) -> str: ...
    def update(self, body: Json) -> None: ...
    def ask(self, method: str, params: Json, answer: Callable[[Json | None], None]) -> None: ...


class Stage:
    """One turn."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._changed = threading.Condition()
        self._cancelled = False
        self._messages = itertools.count(1)
        self._calls = itertools.count(1)
        self.hanging = False
        self.late = 0
        self.workspace = wire.workspace

    # What the client does.

    def cancel(self) -> None:
        with self._changed:
            self._cancelled = not self.hanging
            self._changed.notify_all()

    # What the script does.

    def wait(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled, seconds)
        self.check()

    def check(self) -> None:
        if self._cancelled:
            raise Cancelled

    def hang(self) -> None:
        """Never come back, whatever the client says."""
        threading.Event().wait()

    def message(self) -> str:
        """The name of a new message: what is said under it stands by itself."""
        return f"m{next(self._messages)}"

    def say(self, text: str, message: str = "") -> None:
        self._speak("agent_message_chunk", text, message or self.message())

    def think(self, text: str, message: str = "") -> None:
        self._speak("agent_thought_chunk", text, message or self.message())

    def call(self) -> str:
        """The name of a new tool call. The next turn gives the same names again, as some agents do."""
        return f"call-{next(self._calls)}"

    def update(self, what: str, /, **fields: Any) -> None:
        self.check()
        self._wire.update({"sessionUpdate": what, **fields})

    def ask_leave(self, requests: list[Json]) -> list[str]:
        """Ask for every permission at once; return `once`, `always`, `deny` or `deny:REASON` for each."""
        return [_choice(answer) for answer in self._ask_leave(requests)]

    def ask_exact_leave(self, request: Json, digest: str) -> str:
        """Ask for leave to do what `digest` names. Whoever approved something else has not approved this."""
        (answer,) = self._ask_leave([request])
        choice, approved = _choice(answer), at(answer, "_meta", "holdfast", "digest")
        if not choice.startswith("deny") and approved not in (None, digest):
            raise Failed("What was approved is not what was asked, so nothing was done.")
        return choice

    def _ask_leave(self, requests: list[Json]) -> list[Json | None]:
        return self._ask("session/request_permission", [{"options": OPTIONS, **request} for request in requests])

    def ask(self, questions: list[Json]) -> list[str | None]:
        """Ask every question at once; return what was answered to each."""
        if not self._wire.forms:
            raise Failed("This client can't ask questions: it does not offer elicitation forms.")
        return [_said(answer) for answer in self._ask("elicitation/create", [{"mode": "form", **q} for q in questions])]

    def _speak(self, kind: str, text: str, message: str) -> None:
        self.update(kind, **words(text, message))

    def _ask(self, method: str, requests: list[Json]) -> list[Json | None]:
        self.check()
        answers: dict[int, Json | None] = {}

        def take(number: int, answer: Json | None) -> None:
            with self._changed:
                if not self._cancelled:  # after that, nobody answers: what still comes calls off
                    answers[number] = answer
                self._changed.notify_all()

        for number, request in enumerate(requests):
            self._wire.ask(method, request, lambda answer, number=number: take(number, answer))
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or len(answers) == len(requests))
        if len(answers) < len(requests):
            self.check()
        return [answers[number] for number in range(len(requests))]


def words(text: str, message: str) -> Json:
    return {"content": {"type": "text", "text": text}, "messageId": message}


OPTIONS = [
    {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "deny", "name": "Reject", "kind": "reject_once"},
]


def at(value: Any, *path: str) -> Any:
    """What lies at `path` in something that a client sent; None if nothing does."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = cast("Json", value).get(name)
    return value


def _choice(answer: Json | None) -> str:
    chosen = at(answer, "outcome", "optionId") or "deny"
    reason = at(answer, "_meta", "holdfast", "reason")
    return f"deny:{reason}" if chosen == "deny" and reason else str(chosen)


def _said(answer: Json | None) -> str | None:
    return str(at(answer, "content", "answer")) if at(answer, "action") == "accept" else None
