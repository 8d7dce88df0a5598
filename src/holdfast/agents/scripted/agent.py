"""The scripted agent's side of the protocol: sessions, turns, cancel, steering, memory.

`feed` runs in the thread that reads stdin and never waits for a turn; a turn runs in a thread of its own.
"""

import os
import threading
import time
from collections.abc import Callable, Collection
from typing import Any, cast

import msgspec

from holdfast import __version__
from holdfast.agents.acp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    Failure,
    Id,
    Notification,
    Peer,
    Request,
    Response,
)
from holdfast.agents.scripted import directives, tour
from holdfast.agents.scripted.memory import Memory
from holdfast.agents.scripted.stage import Cancelled, Failed, Json, Stage, at, words
from holdfast.agents.tree import MARK

NAME = "Tour (scripted, no model)"
LATE_PAUSE = 0.005


EXTENSIONS = ("steer", "commitMemory", "reasons", "warm")


class Session:
    """One conversation. `told` says that it has had a message."""

    def __init__(self, name: str, workspace: str, *, told: bool) -> None:
        self.name = name
        self.workspace = workspace
        self.told = told
        self.stage: Stage | None = None


class Agent:
    """`without` names the extensions that it does not offer, as most agents do not."""

    def __init__(self, write: Callable[[bytes], None], without: Collection[str] = ()) -> None:
        self._extensions = {name: True for name in EXTENSIONS if name not in without}
        self._peer = Peer()
        self._write = write
        self._lock = threading.Lock()  # a line is written whole, and ids are given out one by one
        self._answers: dict[Id, Callable[[Json | None], None]] = {}
        self._sessions: dict[str, Session] = {}
        self._forms = False
        self.memory = Memory()

    @property
    def hanging(self) -> bool:
        return any(session.stage is not None and session.stage.hanging for session in self._sessions.values())

    def feed(self, data: bytes) -> None:
        for message in self._peer.feed(data):
            match message:
                case Request():
                    self._requested(message)
                case Notification(method="session/cancel"):
                    stage = self._session(message.params).stage
                    if stage is not None:
                        stage.cancel()
                case Response():
                    self._answers.pop(message.id)(_object(message.result))
                case Failure():
                    self._answers.pop(message.id)(None)
                case _:
                    pass

    # What the client asks for.

    def _requested(self, request: Request) -> None:
        params = _object(request.params)
        match request.method:
            case "initialize":
                self._respond(request.id, self._hello(params))
            case "session/new" | "session/load":
                self._open(request.id, params)
            case "session/prompt":
                self._prompted(request.id, self._session(request.params), params)
            case "_holdfast/steer":
                self._steered(request.id, self._session(request.params), str(params.get("text", "")))
            case "_holdfast/commit_memory":
                self.memory.note(self._session(request.params).workspace, params)
                threading.Thread(target=self._commit, args=(request.id,), daemon=True).start()
            case _:
                self._send(self._peer.unknown(request))

    def _hello(self, params: Json) -> Json:
        self._forms = at(params, "clientCapabilities", "elicitation", "form") is not None
        return {
            "protocolVersion": 1,
            "agentCapabilities": {"loadSession": True, "_meta": {"holdfast": self._extensions}},
            "agentInfo": {"name": "holdfast-tour", "title": NAME, "version": __version__},
            "authMethods": [],
        }

    def _open(self, request: Id, params: Json) -> None:
        known = "sessionId" in params
        name = str(params["sessionId"]) if known else f"scripted-{time.time_ns():x}"
        run = at(params, "_meta", "holdfast", "run")
        if run:
            os.environ[MARK] = str(run)  # the process may have been started before the run was known
        self._sessions[name] = Session(name, str(params.get("cwd", ".")), told=known)
        self._respond(request, {"sessionId": name})

    def _prompted(self, request: Id, session: Session, params: Json) -> None:
        if session.name not in self._sessions or session.stage is not None:
            self._refuse(request, INVALID_PARAMS, "There is no such session, or its last turn still runs.")
            return
        blocks: list[Json] = params.get("prompt", [])
        text = "\n".join(str(at(block, "text")) for block in blocks if at(block, "type") == "text")
        session.stage = stage = Stage(Link(self, session))
        turn = str(at(params, "_meta", "holdfast", "turn") or "")
        threading.Thread(target=self._play, args=(request, session, stage, text, turn), daemon=True).start()

    def _play(self, request: Id, session: Session, stage: Stage, text: str, turn: str) -> None:
        """Run a turn from its message to its end."""
        first, session.told = not session.told, True
        try:
            self._perform(session, stage, text, first=first)
        except Cancelled:
            end = self._peer.respond(request, {"stopReason": "cancelled"})
        except Failed as exc:
            end = self._peer.refuse(request, INTERNAL_ERROR, str(exc))
        else:
            end = self._peer.respond(request, {"stopReason": "end_turn"})
        session.stage = None
        self._send(end)
        for number in range(1, stage.late + 1):
            time.sleep(LATE_PAUSE)
            late: Json = words(f"late{number} ", "late") | ({"_meta": {"holdfast": {"turn": turn}}} if turn else {})
            self.update(session, {"sessionUpdate": "agent_message_chunk", **late})

    def _perform(self, session: Session, stage: Stage, text: str, *, first: bool) -> None:
        script = directives.parse(text) or directives.written(session.workspace, text)
        if script:
            stage.hanging = any(directive.name == "hang" for directive in script)
            for directive in script:
                directives.perform(directive, stage, self.memory)
        elif first or tour.wanted(text):
            tour.play(stage)
        else:
            stage.say(tour.SENTENCE)

    def _steered(self, request: Id, session: Session, text: str) -> None:
        stage = session.stage
        if stage is not None:
            self.say(session, f"steered:{text}", stage.message())
        self._respond(request, {"accepted": stage is not None})

    def _commit(self, request: Id) -> None:
        time.sleep(self.memory.seconds)
        if self.memory.failures > 0:
            self.memory.failures -= 1
            self._refuse(request, INTERNAL_ERROR, "The script says that this commit fails.")
        else:
            self._respond(request, {})

    # What it sends. Called from every thread.

    def say(self, session: Session, text: str, message: str) -> None:
        self.update(session, {"sessionUpdate": "agent_message_chunk", **words(text, message)})

    def update(self, session: Session, body: Json) -> None:
        self._send(self._peer.notify("session/update", {"sessionId": session.name, "update": body}))

    def ask(self, session: Session, method: str, params: Json, answer: Callable[[Json | None], None]) -> None:
        with self._lock:
            number, line = self._peer.request(method, {"sessionId": session.name, **params})
            self._answers[number] = answer
            self._write(line)

    def _respond(self, request: Id, result: Any) -> None:
        self._send(self._peer.respond(request, result))

    def _refuse(self, request: Id, code: int, message: str) -> None:
        self._send(self._peer.refuse(request, code, message))

    def _send(self, line: bytes) -> None:
        with self._lock:
            self._write(line)

    def _session(self, params: msgspec.Raw) -> Session:
        name = str(_object(params).get("sessionId", ""))
        return self._sessions.get(name) or Session(name, ".", told=False)

    @property
    def forms(self) -> bool:
        """Whether the client can show a form."""
        return self._forms


class Link:
    """A stage's way to the client."""

    def __init__(self, agent: Agent, session: Session) -> None:
        self._agent = agent
        self._session = session
        self.forms = agent.forms
        self.workspace = session.workspace

    def update(self, body: Json) -> None:
        self._agent.update(self._session, body)

    def ask(self, method: str, params: Json, answer: Callable[[Json | None], None]) -> None:
        self._agent.ask(self._session, method, params, answer)


def _object(raw: msgspec.Raw) -> Json:
    value = msgspec.json.decode(raw)
    return cast("Json", value) if isinstance(value, dict) else {}
