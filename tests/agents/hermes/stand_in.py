"""As much of Hermes as the bridge's session uses, in this process: what it does is what a test says.

Real Hermes is in tests/real. What is told here is what depends on a moment that it can't be made to wait at.
"""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from holdfast.agents.hermes import bridge

Json = dict[str, Any]


class Heard(bridge.Pipe):
    """The client's end: what was said, in order."""

    def __init__(self) -> None:
        super().__init__(-1, -1)
        self.said: list[Json] = []
        self._more = threading.Condition()

    def _write(self, message: Json) -> None:
        with self._more:
            self.said.append(message)
            self._more.notify_all()

    def answer(self, request: int) -> Json:
        """The answer to a request, when it has come."""

        def found() -> Json | None:
            return next((each for each in self.said if each.get("id") == request and "method" not in each), None)

        with self._more:
            answer = self._more.wait_for(found, 60)  # a limit against hanging
        assert answer, f"nobody answered {request}"
        return answer

    def updates(self, kind: str) -> list[Json]:
        updates = [each["params"]["update"] for each in self.said if each.get("method") == "session/update"]
        return [update for update in updates if update["sessionUpdate"] == kind]


class Database:
    """Hermes' own history."""

    def __init__(self) -> None:
        self.rows: list[Json] = []
        self.meta: dict[str, str] = {}

    def get_session(self, name: str) -> str:
        return name

    def get_messages_as_conversation(self, _name: str) -> list[Json]:
        return list(self.rows)

    def append_message(self, _name: str, role: str, content: str, **more: Any) -> None:
        self.rows.append({"role": role, "content": content, **more})

    def get_meta(self, name: str) -> str | None:
        return self.meta.get(name)

    def set_meta(self, name: str, value: str) -> None:
        self.meta[name] = value


class Agent:
    """Hermes' agent: `run` is what it does with a message; what it was told and gave to its memory is kept."""

    def __init__(self, run: Callable[["Agent", str], Json], **_: Any) -> None:
        self._run = run
        self._pending = ""
        self.asked: list[str] = []
        self.committed: list[str] = []

    def clear_interrupt(self) -> None:
        self._pending = ""

    def interrupt(self) -> None:
        """Nothing that a test needs ends by it."""

    def steer(self, words: str) -> bool:
        self._pending = words
        return True

    def _drain_pending_steer(self) -> str:
        left, self._pending = self._pending, ""
        return left

    def run_conversation(self, message: str, **_: Any) -> Json:
        self.asked.append(message)
        return {"messages": [{"role": "user", "content": message}], "final_response": "", **self._run(self, message)}

    def commit_memory_session(self, messages: list[Json]) -> None:
        self.committed += [message["content"] for message in messages]


class StandIn:
    """In the place of `bridge.Hermes`. `building` holds up its agent until it is set; `parts` are further ones."""

    def __init__(self, run: Callable[[Agent, str], Json]) -> None:
        self.building = threading.Event()
        self.building.set()
        self.problem = ""
        self.agents: list[Agent] = []
        self.rows = Database()
        self.parts: dict[tuple[str, ...], Any] = {}
        self.middleware = False
        self.accepts = frozenset({"run"})
        self.approval = SimpleNamespace(
            _get_approval_config=dict,
            register_gateway_notify=lambda *_: None,
            set_current_session_key=lambda *_: None,
        )
        self._run = run

    def config(self) -> Json:
        return {"model": {"default": "mock-1", "provider": "custom"}}

    def provider(self, **_: Any) -> Json:
        return {}

    def database(self) -> Database:
        return self.rows

    def maybe(self, *path: str) -> Any:
        return self.parts.get(path)

    def agent_class(self, **_: Any) -> Agent:
        self.building.wait()
        if self.problem:
            raise bridge.Refusal(self.problem)
        agent = Agent(self._run)
        self.agents.append(agent)
        return agent
