"""Hermes Agent as an ACP agent: a program for Hermes' own Python, one process for one session.

It imports nothing of Holdfast, only the standard library and Hermes, because Hermes lives in an environment of its own.
That is also why it is one file, and longer than its neighbours: another Python runs it by its path.

Laws:
- Nobody's silence is consent. Every thread of the process is armed before the first turn: the way to a person is named
  in the environment, which threads share, and not in a context, which Hermes' sub-agents do not inherit. What can't be
  asked is denied.
- Hermes is told `once` or `deny`, never more; remembering is the client's. Waiting for a person has no end but the
  answer and the cancel of the turn.
- The user's own configuration is read and never written. That approvals are decided by a person, and not by a model, is
  said in this process only.
- Standard output is the protocol's. What Hermes prints goes to standard error.
"""

import base64
import binascii
import contextlib
import contextvars
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import re
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

Json = dict[str, Any]

INVALID_PARAMS, INTERNAL_ERROR, METHOD_NOT_FOUND = -32602, -32603, -32601
PLATFORM = "holdfast"
SURFACE = (
    "You are in Holdfast, a workspace in the browser. Markdown is rendered: headings, tables, code blocks, math and"
    " Mermaid diagrams. Local file paths are not links; name them in code."
)
FOREVER = 10**9
"""Seconds. Hermes' own limit begins when a person has answered, so it must only not be zero."""
DIFFABLE = 1_000_000
"""Characters of a file that is still shown as a diff."""
TOKENS = 16
"""Commits that are remembered for each session, so that one that is asked for again is not done again."""
ARMED = {
    "HERMES_GATEWAY_SESSION": "1",
    "HERMES_EXEC_ASK": "1",
    "HERMES_INTERACTIVE": "1",
    "HERMES_SESSION_KEY": PLATFORM,
    "HERMES_DISABLE_LAZY_INSTALLS": "1",
    # A batch of parallel tools must not be given up while one of them waits for a person.
    "HERMES_CONCURRENT_TOOL_TIMEOUT_S": "0",
}
DISARMING = ("HERMES_YOLO_MODE", "HERMES_CRON_SESSION", "HERMES_ACCEPT_HOOKS")
MODES = {
    "default": ("Ask before dangerous steps", "You decide on commands that Hermes holds for dangerous."),
    "ask": ("Ask before edits", "You also decide on every change of a file, and see it first."),
    "smart": ("Let a model decide", "A model approves what it holds for safe, and asks you about the rest."),
}
KINDS = {
    "terminal": "execute", "execute_code": "execute", "process": "execute", "read_file": "read", "skill_view": "read",
    "search_files": "search", "session_search": "search", "web_search": "search", "write_file": "edit", "patch": "edit",
    "web_extract": "fetch", "todo": "think", "clarify": "think",
}  # fmt: skip
TITLED_BY = ("command", "path", "query", "pattern", "url", "goal", "question", "name", "action")
EDITS = ("write_file", "patch")
MARKS = {"\u26a0": "warning", "\u274c": "error"}
SYMBOLS = "\u26a0\ufe0f\u274c\u23f3\U0001f504\U0001f50c\u2705 "
"""What Hermes' status lines begin with, and what that means."""
PLAN = {"in_progress": "in_progress", "completed": "completed", "cancelled": "completed"}
PATCHED = re.compile(r"^\*\*\*\s*(?:Update|Add|Delete)\s+File:\s*(.+)$", re.MULTILINE)
MOVED = re.compile(r"^\*\*\*\s*Move\s+File:\s*(.+?)\s*->\s*(.+)$", re.MULTILINE)
COUNTERS = {
    "input": "session_input_tokens",
    "output": "session_output_tokens",
    "cached": "session_cache_read_tokens",
    "reasoning": "session_reasoning_tokens",
    "cost": "session_estimated_cost_usd",
}
OPTIONS = [
    {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "deny", "name": "Reject", "kind": "reject_once"},
]
ESSENTIAL_ARGUMENTS = (
    "model", "provider", "base_url", "api_key", "session_id", "session_db", "platform",
    "stream_delta_callback", "tool_start_callback", "tool_complete_callback", "clarify_callback",
)  # fmt: skip


class Refusal(Exception):
    """A request that can't be met, and why, as a sentence."""

    def __init__(self, message: str, code: int = INTERNAL_ERROR) -> None:
        super().__init__(message)
        self.code = code


class Call(NamedTuple):
    """A tool call that is being carried out, and the session, of the agent or a sub-agent, that it belongs to."""

    id: str
    name: str
    arguments: Json
    session: str


CURRENT: contextvars.ContextVar[Call | None] = contextvars.ContextVar("holdfast_call", default=None)


# The pipe.


class Wait:
    """A question to the client that a thread waits for. The first that settles it counts."""

    def __init__(self) -> None:
        self._settled = threading.Event()
        self._answer: Json | None = None

    def settle(self, answer: Json | None) -> None:
        if not self._settled.is_set():
            self._answer = answer
            self._settled.set()

    def answer(self) -> Json | None:
        """What was answered; None if nobody will."""
        self._settled.wait()
        return self._answer


class Pipe:
    """JSON-RPC, one message a line. Every thread may send; one reads."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._sending = threading.Lock()  # a line is written whole, and numbers are given out one by one
        self._number = 0
        self._waits: dict[int, Wait] = {}

    def messages(self) -> Iterator[Json]:
        """What the client sends, until it hangs up. What is no message is passed over."""
        with os.fdopen(self._source, "rb", buffering=1 << 16) as lines:
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                if isinstance(message, dict):
                    yield cast("Json", message)

    def notify(self, method: str, params: Json) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def respond(self, request: Any, result: Json) -> None:
        self._send({"jsonrpc": "2.0", "id": request, "result": result})

    def refuse(self, request: Any, code: int, message: str) -> None:
        self._send({"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}})

    def ask(self, method: str, params: Json, wait: Wait) -> None:
        with self._sending:
            self._number += 1
            self._waits[self._number] = wait
            self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})

    def answered(self, message: Json) -> None:
        wait = self._waits.pop(message["id"], None) if isinstance(message.get("id"), int) else None
        if wait is not None:
            wait.settle(record(message["result"]) if "result" in message else None)

    def _send(self, message: Json) -> None:
        with self._sending:
            self._write(message)

    def _write(self, message: Json) -> None:
        line = memoryview((spelled(message) + "\n").encode("utf-8", "replace"))
        try:
            while line:
                line = line[os.write(self._sink, line) :]
        except BrokenPipeError:
            os._exit(0)


def spelled(value: Any) -> str:
    """As JSON, in the one way in which everything is spelled here."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def record(value: Any) -> Json:
    """A value as the object that it should be; an empty one if it is none."""
    return cast("Json", value) if isinstance(value, dict) else {}


def several(value: Any) -> list[Any]:
    """A value as the list that it should be; an empty one if it is none."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def at(value: Any, *path: str) -> Any:
    """What lies at `path` in what somebody sent; None if nothing does."""
    for name in path:
        value = record(value).get(name)
    return value


# Hermes, as it is installed here.


class Hermes:
    """The parts of Hermes that are used, looked at before they are relied on.

    Hermes has no stable interface for this, so what is missing is found here, at the start, and said in a sentence.
    """

    def __init__(self) -> None:
        if importlib.util.find_spec("run_agent") is None:
            raise Refusal("This Python has no Hermes. Install it there, or name another in [hermes] of config.toml.")
        self.version = importlib.metadata.version("hermes-agent")
        self.agent_class: Any = self._part("run_agent", "AIAgent")
        self.config: Any = self._part("hermes_cli.config", "load_config")
        self.provider: Any = self._part("hermes_cli.runtime_provider", "resolve_runtime_provider")
        self.database: Any = self._part("hermes_state", "SessionDB")
        self.approval: Any = self._module("tools.approval")
        for name in ("register_gateway_notify", "_gateway_queues", "_lock", "_get_approval_config"):
            self._part("tools.approval", name)
        self._part("tools.approval", "set_current_session_key")
        self.accepts = frozenset(inspect.signature(self.agent_class.__init__).parameters)
        missing = [name for name in ESSENTIAL_ARGUMENTS if name not in self.accepts]
        if missing:
            raise self._unfit(f"its agent takes no {', '.join(missing)}")
        for name in ("run_conversation", "interrupt"):
            if not callable(getattr(self.agent_class, name, None)):
                raise self._unfit(f"its agent has no {name}")
        self.middleware = self.maybe("hermes_cli.plugins", "PluginContext", "register_middleware") is not None

    def maybe(self, module: str, *path: str) -> Any:
        """A part that is used if it is there; None if it is not."""
        try:
            found: Any = importlib.import_module(module)
        except Exception:  # noqa: BLE001  whatever a foreign module raises when imported, it is not there
            return None
        for name in path:
            found = getattr(found, name, None)
        return found

    def _module(self, name: str) -> Any:
        try:
            return importlib.import_module(name)
        except Exception as exc:
            raise self._unfit(f"{name} can't be imported ({type(exc).__name__}: {exc})") from exc

    def _part(self, module: str, name: str) -> Any:
        found = getattr(self._module(module), name, None)
        if found is None:
            raise self._unfit(f"{module}.{name} is missing")
        return found

    def _unfit(self, reason: str) -> Refusal:
        return Refusal(
            f"Hermes {self.version} can't be used through Holdfast: {reason}. Holdfast is made for Hermes 0.19;"
            " install that one, or name its Python in [hermes] of config.toml."
        )


class Importing:
    """Hermes takes about a second to import: it is begun at once, beside the first words with the client."""

    def __init__(self) -> None:
        self._hermes: Hermes | None = None
        self._problem: Refusal | None = None
        self._thread = threading.Thread(target=self._run, name="importing", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._hermes = Hermes()
        except Refusal as exc:
            self._problem = exc
        except BaseException as exc:  # noqa: BLE001  said to the client, whatever it is
            traceback.print_exc()
            self._problem = Refusal(f"Hermes can't be imported ({type(exc).__name__}: {exc}). Reinstall it.")

    def result(self) -> Hermes:
        self._thread.join()
        if self._hermes is None:
            raise self._problem or Refusal("Hermes can't be imported.")
        return self._hermes


# What is said of a tool call.


def kind_of(name: str) -> str:
    return KINDS.get(name) or ("fetch" if name.startswith(("web_", "browser_")) else "other")


def title_of(name: str, arguments: Mapping[str, Any]) -> str:
    said = next(
        (str(arguments[key]) for key in TITLED_BY if isinstance(arguments.get(key), str) and arguments[key]), ""
    )
    first = said.strip().splitlines()[0][:200] if said.strip() else ""
    return first if name == "terminal" and first else f"{name}: {first}" if first else name


def parsed(result: Any) -> Any:
    """A result as data, where Hermes sends JSON in a string."""
    if isinstance(result, str):
        with contextlib.suppress(ValueError):
            value = json.loads(result)
            return cast("Any", value) if isinstance(value, dict | list) else result
    return result


def failed(result: Any) -> bool:
    data = parsed(result)
    if isinstance(data, str):
        return data.startswith(("Error executing tool", "[Tool execution cancelled"))
    data = record(data)
    code = data.get("exit_code")
    return bool(data.get("error")) or data.get("success") is False or (isinstance(code, int) and code != 0)


def digest_of(command: str, arguments: Json, directory: str, diffs: Sequence[Json]) -> str:
    """The name of exactly what was asked for, as the client names it."""
    changes = [
        {"path": diff["path"], "new": diff["newText"]} | ({} if diff["oldText"] is None else {"old": diff["oldText"]})
        for diff in diffs
    ]
    asked = spelled([command, spelled(arguments), directory, changes])
    return hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()


def diff_of(path: str, old: str | None, new: str) -> Json:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def text_at(path: Path) -> str | None:
    """A file's text; None if there is none that could be shown."""
    try:
        if path.stat().st_size > DIFFABLE:
            return None
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def paths_in(name: str, arguments: Mapping[str, Any]) -> list[str]:
    """The files that an edit would change."""
    patch = arguments.get("patch")
    if name == "patch" and isinstance(patch, str) and patch:
        return [path.strip() for path in (*PATCHED.findall(patch), *(p for pair in MOVED.findall(patch) for p in pair))]
    path = arguments.get("path")
    return [path] if isinstance(path, str) and path else []


class Sketch:
    """Files as an edit would leave them. Hermes' own patching works on it as on the disk, and nothing is written."""

    def __init__(self, files: Mapping[Path, str | None], place: Callable[[str], Path]) -> None:
        self.files = dict(files)
        self._place = place

    def read_file_raw(self, path: str) -> SimpleNamespace:
        text = self.files.get(self._place(path))
        return SimpleNamespace(content=text or "", error="File not found." if text is None else None)

    def write_file(self, path: str, content: str) -> SimpleNamespace:
        self.files[self._place(path)] = content
        return SimpleNamespace(error=None)

    def delete_file(self, path: str) -> SimpleNamespace:
        self.files[self._place(path)] = None
        return SimpleNamespace(error=None)

    def move_file(self, path: str, to: str) -> SimpleNamespace:
        self.files[self._place(to)], self.files[self._place(path)] = self.files.get(self._place(path)), None
        return SimpleNamespace(error=None)


# One session.


class Turn:
    """A prompt that is being worked on. A cancel ends every wait of it.

    Words that steer it wait for the agent to be there; whoever sent them is told then, or at the end, what became of
    them.
    """

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.cancelled = False
        self.said = ""
        self.fresh = True
        self._segment = 1
        self._waits: list[Wait] = []
        self._hear: Callable[[str], bool] | None = None
        self._early: list[tuple[Any, str]] = []
        self._deaf = False
        # A wait that begins while the turn is cancelled is ended too; words that come as the agent does are told once.
        self._lock = threading.Lock()

    def wait(self) -> Wait:
        wait = Wait()
        with self._lock:
            self._waits.append(wait)
            if self.cancelled:
                wait.settle(None)
        return wait

    def cancel(self) -> None:
        with self._lock:
            self.cancelled = True
            waits = list(self._waits)
        for wait in waits:
            wait.settle(None)

    def steer(self, request: Any, words: str) -> bool | None:
        """Whether the words were taken; None if that is not known yet."""
        with self._lock:
            if self._deaf or self.cancelled:
                return False
            if self._hear is not None:
                return self._hear(words)
            self._early.append((request, words))
            return None

    def listen(self, hear: Callable[[str], bool]) -> list[tuple[Any, bool]]:
        """The agent is there: tell it what waited. Return what became of each request."""
        with self._lock:
            self._hear = hear
            early, self._early = self._early, []
            return [(request, hear(words)) for request, words in early]

    def close(self) -> list[tuple[Any, bool]]:
        """Take no more words. Return the requests whose words nobody heard."""
        with self._lock:
            self._deaf = True
            early, self._early = self._early, []
            return [(request, False) for request, _ in early]

    @property
    def message(self) -> str:
        """The name of the message that is being said."""
        return f"{self.number}.{self._segment}"

    def part(self) -> None:
        """What is said from here on stands by itself."""
        self._segment += 1
        self.fresh = True


class Memory:
    """What completed turns said and Hermes' memory was not given yet, and which commits were made.

    Those are noted in Hermes' own database, so that one that is asked for again, after a crash too, is not made again.
    """

    def __init__(self, db: Any, session: str) -> None:
        self._db = db
        self._noted = f"holdfast.commits.{session}"
        self._turns: list[list[Json]] = []
        self._last: list[Json] | None = None
        self._committing = threading.Lock()  # one commit at a time: providers are told in order

    def begin(self) -> None:
        """Another turn begins: what is taken back from here on is not the one before."""
        self._last = None

    def add(self, said: list[Json]) -> None:
        """A turn is completed."""
        self._last = said
        self._turns.append(said)

    def take_back(self) -> None:
        """The last turn is not to be remembered after all."""
        if self._last is not None and self._turns and self._turns[-1] is self._last:
            self._turns.pop()

    def commit(self, agent: Any, params: Json) -> bool:
        """Give the memory what was said; False if that was done before. Raise what Hermes raises."""
        token, given = str(params.get("token") or ""), params.get("messages")
        with self._committing:
            known = [str(each) for each in several(parsed(self._db.get_meta(self._noted) or "[]"))]
            if token and token in known:
                return False
            count = max(1, int(params.get("to") or 0) - int(params.get("from") or 0) + 1)
            mine = self._turns[:count] if given is None else []
            agent.commit_memory_session([said for turn in mine for said in turn] if given is None else several(given))
            del self._turns[: len(mine)]
            if token:
                self._db.set_meta(self._noted, spelled([*known, token][-TOKENS:]))
            return True


class Meter:
    """What was used since the last look: Hermes counts from the start of the agent on."""

    def __init__(self) -> None:
        self._before: dict[str, float] = {}

    def read(self, agent: Any) -> Json | None:
        """The fields of a report; None if nothing was used."""
        total = {name: float(getattr(agent, counter, 0) or 0) for name, counter in COUNTERS.items()}
        new = {name: max(0.0, value - self._before.get(name, 0.0)) for name, value in total.items()}
        self._before = total
        if not any(new.values()):
            return None
        ours: Json = {name: round(value) for name, value in new.items() if name != "cost"}
        ours |= {"cost": round(new["cost"] * 1_000_000), "model": str(getattr(agent, "model", "") or "")}
        context = getattr(agent, "context_compressor", None)
        used = max(0, int(getattr(context, "last_prompt_tokens", 0) or 0))
        size = max(0, int(getattr(context, "context_length", 0) or 0))
        return {"used": used, "size": size, "_meta": {"holdfast": ours}}


class Session:
    """A conversation with Hermes: the agent, its history, and what it asks and reports."""

    def __init__(self, pipe: Pipe, hermes: Hermes, name: str, workspace: str, *, forms: bool) -> None:
        self._pipe = pipe
        self._hermes = hermes
        self._forms = forms
        self.name = name
        self.stored = name
        """What Hermes calls it: after a compression that may be another name than the client knows."""
        self.workspace = workspace
        self.mode = "default"
        self.model = ""
        self.history: list[Json] = []
        self.turn: Turn | None = None
        self._turns = 0
        self._agent: Any = None
        self._problem: Refusal | None = None
        self._meter = Meter()
        self._parents: dict[str, str] = {}
        self._diffs: dict[str, list[Json]] = {}
        self.db = hermes.database()
        self._memory = Memory(self.db, name)
        self._building = threading.Thread(target=self._build, name="building", daemon=True)

    # Opening.

    def begin(self) -> None:
        """Arm the process for this session and build its agent, beside whatever the client says next."""
        os.chdir(self.workspace)
        os.environ["TERMINAL_CWD"] = self.workspace
        self._arm()
        self._building.start()

    def _arm(self) -> None:
        approval = self._hermes.approval
        approval._YOLO_MODE_FROZEN = False
        theirs = approval._get_approval_config

        def ours() -> Json:
            mode = "smart" if self.mode == "smart" else "manual"
            return {**theirs(), "mode": mode, "timeout": FOREVER}

        approval._get_approval_config = ours
        approval.register_gateway_notify(PLATFORM, self._leave_wanted)
        secret = self._hermes.maybe("tools.skills_tool", "set_secret_capture_callback")
        if secret is not None:
            secret(self._secret_wanted)
        override = self._hermes.maybe("tools.terminal_tool", "register_task_env_overrides")
        if override is not None:
            override(self.name, {"cwd": self.workspace})

    def _guard(self) -> None:
        """Stand around every tool call, of sub-agents too. Again and again: Hermes may reload its plug-ins."""
        plugins = self._hermes.maybe("hermes_cli.plugins")
        if not self._hermes.middleware:
            return
        manager = plugins.get_plugin_manager()
        manager.discover_and_load()
        context = plugins.PluginContext(plugins.PluginManifest(name=PLATFORM), manager)
        if self._carry_out not in getattr(manager, "_middleware", {}).get("tool_execution", []):
            context.register_middleware("tool_execution", self._carry_out)
            context.register_hook("post_approval_response", self._decided)
            context.register_hook("subagent_start", self._subagent_started)

    def _build(self) -> None:
        try:
            self._guard()
            self._agent = self._make_agent()
        except Refusal as exc:
            self._problem = exc
        except BaseException as exc:  # noqa: BLE001  said to the client with the first prompt, whatever it is
            traceback.print_exc()
            self._problem = Refusal(f"Hermes can't start: {exc or type(exc).__name__}")

    @property
    def agent(self) -> Any:
        self._building.join()
        if self._agent is None:
            raise self._problem or Refusal("Hermes can't start.")
        return self._agent

    def _make_agent(self) -> Any:
        hermes, config = self._hermes, self._hermes.config()
        model, runtime = chosen(hermes, config, self.model)
        own = at(config, "agent", "system_prompt")
        toolsets = hermes.maybe("hermes_cli.tools_config", "_get_platform_tools")
        fallback = hermes.maybe("hermes_cli.fallback_config", "get_fallback_chain")
        limit = at(config, "agent", "max_turns")
        _start_mcp(hermes)
        wanted: Json = {
            **runtime,
            "model": model,
            "session_id": self.stored,
            "session_db": self.db,
            "platform": PLATFORM,
            "quiet_mode": True,
            "tool_delay": 0,
            "enabled_toolsets": sorted(toolsets(config, "cli")) if toolsets else None,
            "fallback_model": (fallback(config) if fallback else None) or None,
            "ephemeral_system_prompt": f"{own}\n\n{SURFACE}" if isinstance(own, str) and own else SURFACE,
            **({"max_iterations": limit} if isinstance(limit, int) and limit > 0 else {}),
            "stream_delta_callback": self._say,
            "reasoning_callback": self._think,
            "tool_start_callback": self._tool_started,
            "tool_complete_callback": self._tool_completed,
            "tool_progress_callback": self._progressed,
            "interim_assistant_callback": self._say_between,
            "status_callback": self._status_changed,
            "notice_callback": self._noticed,
            "clarify_callback": self._clarify,
        }
        agent = hermes.agent_class(**{name: value for name, value in wanted.items() if name in hermes.accepts})
        agent.session_cwd = self.workspace
        agent._print_fn = _print_aside
        return agent

    def resume(self, unfinished: str) -> bool:
        """Take up a session that Hermes knows; False if it knows none of that name."""
        follow = getattr(self.db, "resolve_resume_session_id", None)
        name = (follow(self.name) if follow else None) or self.name
        if self.db.get_session(name) is None:
            return False
        self.stored = name
        self.history = self._stored()
        self._close_cut_off(unfinished)
        self.history = self._stored()
        reopen = getattr(self.db, "reopen_session", None)
        if reopen is not None:
            reopen(name)
        return True

    def _stored(self) -> list[Json]:
        try:
            return list(self.db.get_messages_as_conversation(self.stored, repair_alternation=True))
        except TypeError:
            return list(self.db.get_messages_as_conversation(self.stored))

    def _close_cut_off(self, seen: str) -> None:
        """Write into Hermes' own history what people saw of an answer and Hermes had no time to keep.

        A call without a result is closed whatever was said before it: its process ended while it ran.
        """
        last = max((n for n, message in enumerate(self.history) if message.get("role") == "user"), default=-1)
        answered = {m.get("tool_call_id") for m in self.history[last + 1 :] if m.get("role") == "tool"}
        position = 0
        for message in self.history[last + 1 :]:
            if message.get("role") == "assistant":
                kept = message.get("content")
                found = seen.find(kept.strip(), position) if isinstance(kept, str) and kept.strip() else -1
                position = found + len(kept.strip()) if found >= 0 and isinstance(kept, str) else position
                for call in several(message.get("tool_calls")):
                    if at(call, "id") not in answered:
                        cut = "[The process ended while this ran. It may or may not have happened: check first.]"
                        name = at(call, "function", "name")
                        self.db.append_message(self.stored, "tool", cut, tool_name=name, tool_call_id=at(call, "id"))
        if rest := seen[position:].strip():
            self.db.append_message(self.stored, "assistant", rest)

    # A turn, in a thread of its own.

    def prompt(self, request: Any, params: Json) -> None:
        if self.turn is not None:
            self._pipe.refuse(request, INVALID_PARAMS, "The last turn still runs.")
            return
        self._turns += 1
        self._memory.begin()
        self.turn = turn = Turn(str(at(params, "_meta", "holdfast", "turn") or ""), self._turns)
        thread = threading.Thread(target=self._play, args=(request, turn, message_in(params)), daemon=True)
        thread.start()

    def _play(self, request: Any, turn: Turn, message: Any) -> None:
        try:
            stop = self._converse(turn, message)
        except Refusal as exc:
            self._finish(turn)
            self._pipe.refuse(request, exc.code, str(exc))
        except BaseException as exc:  # noqa: BLE001  the turn ends with it, and the next one can come
            traceback.print_exc()
            self._finish(turn)
            self._pipe.refuse(request, INTERNAL_ERROR, f"Hermes failed: {exc or type(exc).__name__}")
        else:
            self._finish(turn)
            self._pipe.respond(request, {"stopReason": stop})

    def _finish(self, turn: Turn) -> None:
        self._report_usage()
        self._diffs.clear()
        turn.cancel()  # a thread that was left behind waits for nobody
        self._answer_steers(turn.close())
        self._parents.clear()
        self.turn = None

    def _answer_steers(self, answers: list[tuple[Any, bool]]) -> None:
        for request, taken in answers:
            self._pipe.respond(request, {"accepted": taken})

    def _converse(self, turn: Turn, message: Any) -> str:
        agent = self.agent
        self._enter()
        self._switch(agent)
        before, asked = len(self.history), message
        clear = getattr(agent, "clear_interrupt", None)
        if clear is not None:
            clear()  # once, and before it is told anything: it forgets words that steer as well
        if turn.cancelled:
            return "cancelled"
        self._answer_steers(turn.listen(getattr(agent, "steer", _refuse_words)))
        while True:
            result: Json = agent.run_conversation(message, conversation_history=self.history, task_id=self.name)
            self._keep(result)
            more = _unheard(agent, result)
            if turn.cancelled or result.get("failed"):
                self._keep_words(more)
            if turn.cancelled:
                return "cancelled"
            if result.get("failed"):
                raise Refusal(str(result.get("error") or result.get("final_response") or "Hermes failed."))
            self._say_rest(turn, result)
            if not more:
                turn.close()  # with an agent there, nothing waits in it
                more = _unheard(agent, {})
            if not more:
                break
            message = more
            turn.part()
        # A compression may have made less of what was said before: then all of it is new.
        self._memory.add(self.history[before if before < len(self.history) else 0 :])
        self._suggest_title(asked, result)
        reason = str(result.get("turn_exit_reason") or "")
        return "max_turn_requests" if reason.startswith(("max_iterations", "budget")) else "end_turn"

    def _enter(self) -> None:
        """What Hermes looks up in the thread that it runs in."""
        self._hermes.approval.set_current_session_key(PLATFORM)
        stateless = self._hermes.maybe("gateway.session_context", "declare_stateless_channel")
        if stateless is not None:
            stateless()  # a sub-agent's result comes within the turn: nobody could be told of it later
        self._offer_password()
        self._guard()

    def _offer_password(self) -> None:
        """Hermes looks in the thread that runs a command for whom to ask; those of sub-agents inherit nobody."""
        sudo = self._hermes.maybe("tools.terminal_tool", "set_sudo_password_callback")
        if sudo is not None:
            sudo(self._password_wanted)

    def _switch(self, agent: Any) -> None:
        """Change the model, if another one is wanted than the agent has."""
        if not self.model or not hasattr(agent, "switch_model"):
            return
        model, runtime = chosen(self._hermes, self._hermes.config(), self.model)
        if model != agent.model or runtime.get("provider") != agent.provider:
            keys = {name: runtime.get(name) or "" for name in ("api_key", "base_url", "api_mode")}
            agent.switch_model(model, runtime.get("provider"), **keys)

    def _keep(self, result: Json) -> None:
        self.history = list(several(result.get("messages"))) or self._stored()

    def _keep_words(self, words: str) -> None:
        """Words that were taken while the turn broke off: Hermes hears them with what is said next."""
        if words:
            self.db.append_message(self.stored, "user", words)
            self.history = self._stored()

    def _say_rest(self, turn: Turn, result: Json) -> None:
        """Say the answer if it was not streamed."""
        final = result.get("final_response")
        if isinstance(final, str) and final.strip() and final.strip() not in turn.said:
            self._say(final)

    def _suggest_title(self, message: Any, result: Json) -> None:
        """Have Hermes find a title for a conversation that has none."""
        title = self._hermes.maybe("agent.title_generator", "maybe_auto_title")
        final = result.get("final_response")
        if title is None or not isinstance(final, str):
            return
        text = message if isinstance(message, str) else "\n".join(str(at(part, "text") or "") for part in message)
        agent = self._agent
        runtime = {
            name: getattr(agent, name, None) for name in ("model", "provider", "base_url", "api_key", "api_mode")
        }
        with contextlib.suppress(Exception):  # a title is worth no failure
            title(self.db, self.stored, text, final, self.history, main_runtime=runtime, title_callback=self._titled)

    def cancel(self) -> None:
        turn = self.turn
        if turn is None:
            self._memory.take_back()  # it was over when the client gave up on it: for the client it is cancelled
            return
        turn.cancel()
        if self._agent is not None:
            self._agent.interrupt()

    def steer(self, request: Any, text: str) -> Json | None:
        """What became of the words; None if that is told later."""
        turn = self.turn
        taken = False if turn is None else turn.steer(request, text)
        return None if taken is None else {"accepted": taken}

    def commit(self, request: Any, params: Json) -> None:
        try:
            committed = self._memory.commit(self.agent, params)
        except Exception as exc:  # noqa: BLE001  said to the client, which keeps the work and tries again
            traceback.print_exc()
            self._pipe.refuse(request, INTERNAL_ERROR, f"Hermes could not commit its memory: {exc}")
        else:
            self._pipe.respond(request, {"committed": committed})

    # What Hermes reports. Called from its threads.

    def update(self, body: Json, parent: str = "") -> None:
        turn = self.turn
        ours = {name: value for name, value in (("parent", parent), ("turn", turn.name if turn else "")) if value}
        ours |= at(body, "_meta", "holdfast") or {}
        meta = {"_meta": {"holdfast": ours}} if ours else {}
        self._pipe.notify("session/update", {"sessionId": self.name, "update": {**body, **meta}})

    def _chunk(self, kind: str, text: str, parent: str = "") -> None:
        turn = self.turn
        if turn is None or not text:
            return
        if turn.cancelled and self._agent is not None:
            self._agent.interrupt()  # the cancel may have come before Hermes could hear it
            return
        message = parent or f"{turn.message}.{kind[0]}"
        content = {"type": "text", "text": text}
        self.update({"sessionUpdate": f"agent_{kind}_chunk", "content": content, "messageId": message}, parent)

    def _say(self, text: str | None) -> None:
        turn = self.turn
        if turn is None:
            return
        if text is None:
            turn.part()
            return
        if turn.fresh:
            text = text.lstrip("\n")  # Hermes parts its answers by empty lines; here each stands by itself
        if text:
            turn.fresh = False
            turn.said += text
            self._chunk("message", text)

    def _think(self, text: str | None) -> None:
        if text:
            self._chunk("thought", text)

    def _say_between(self, text: str, **about: Any) -> None:
        if not about.get("already_streamed"):
            self._say(text)
            self._say(None)

    def _tool_started(self, call: str, name: str, arguments: Any, parent: str = "") -> None:
        given = record(arguments)
        self.update(
            {
                "sessionUpdate": "tool_call",
                "toolCallId": call,
                "name": name,
                "title": title_of(name, given),
                "kind": kind_of(name),
                "status": "in_progress",
                "rawInput": given,
            },
            parent,
        )
        if self.turn is not None and not parent:
            self.turn.part()

    def _tool_completed(self, call: str, name: str, _arguments: Any, result: Any, parent: str = "") -> None:
        data = parsed(result)
        wrong = failed(result)
        body: Json = {
            "sessionUpdate": "tool_call_update",
            "toolCallId": call,
            "status": "failed" if wrong else "completed",
            "rawOutput": data if isinstance(data, dict | list | str) else str(data),
        }
        if diffs := self._diffs.pop(call, None):
            body["content"] = diffs
        error = at(data, "error")
        if isinstance(error, str) and error:
            body["_meta"] = {"holdfast": {"error": error}}
        self.update(body, parent)
        if name == "todo" and not parent:
            self._plan(several(at(data, "todos")))

    def _plan(self, todos: list[Any]) -> None:
        entries = [
            {
                "content": str(at(todo, "content") or ""),
                "priority": "medium",
                "status": PLAN.get(str(at(todo, "status")), "pending"),
            }
            for todo in todos
        ]
        self.update({"sessionUpdate": "plan", "entries": entries})

    def _progressed(self, event: Any, _name: Any = None, said: Any = None, _: Any = None, **about: Any) -> None:
        """Of all that Hermes calls progress only a sub-agent's words are not known from elsewhere."""
        if event == "subagent.text" and isinstance(said, str):
            parent = self._parents.get(str(about.get("child_session_id") or ""), "")
            if parent:
                self._chunk("message", said, parent)

    def _status_changed(self, kind: Any, text: Any = None) -> None:
        said = str(text if text is not None else kind).strip()
        level = next((level for mark, level in MARKS.items() if said.startswith(mark)), "info")
        self._notice(said.lstrip(SYMBOLS), "warning" if kind == "warn" and level == "info" else level)

    def _noticed(self, notice: Any) -> None:
        levels = {"warn": "warning", "error": "error"}
        self._notice(str(getattr(notice, "text", notice)), levels.get(str(getattr(notice, "level", "")), "info"))

    def _notice(self, text: str, level: str) -> None:
        if text.strip():
            self._pipe.notify("_holdfast/notice", {"sessionId": self.name, "text": text.strip(), "level": level})

    def _titled(self, title: str) -> None:
        self.update({"sessionUpdate": "session_info_update", "title": title})

    def _report_usage(self) -> None:
        used = None if self._agent is None else self._meter.read(self._agent)
        if used is not None:
            self.update({"sessionUpdate": "usage_update", **used})

    # Standing around tool calls.

    def _carry_out(self, *, tool_name: str, args: Json, next_call: Callable[..., Any], **about: Any) -> Any:
        """Hermes' middleware. It must not raise before the tool has run: Hermes would run the tool all the same."""
        call = Call(str(about.get("tool_call_id") or ""), tool_name, args, str(about.get("session_id") or ""))
        before = CURRENT.get()
        if before is not None and before.id and before.id == call.id:
            return next_call(args)  # Hermes comes by twice on one of its ways
        token = CURRENT.set(call)
        try:
            return self._carry_out_once(call, next_call)
        finally:
            CURRENT.reset(token)

    def _carry_out_once(self, call: Call, next_call: Callable[..., Any]) -> Any:
        parent = self._parents.get(call.session, "")
        try:
            self._offer_password()
            if parent:
                self._tool_started(call.id, call.name, call.arguments, parent)
            changes = self._about_to_change(call)
            refused = self._edit_refused(call, changes) if self.mode == "ask" and call.name in EDITS else None
        except Exception as exc:  # noqa: BLE001  what can't be asked is not done
            traceback.print_exc()
            changes, refused = {}, f"It could not be asked for: {exc}"
        try:
            result: Any = spelled({"error": refused}) if refused is not None else next_call(call.arguments)
        except BaseException as exc:
            if parent:
                failure = spelled({"error": f"{type(exc).__name__}: {exc}"})
                self._tool_completed(call.id, call.name, call.arguments, failure, parent)
            raise
        if refused is None:
            self._note_changes(call, changes)
        if parent:
            self._tool_completed(call.id, call.name, call.arguments, result, parent)
        return result

    def _about_to_change(self, call: Call) -> dict[Path, str | None]:
        if call.name not in EDITS:
            return {}
        return {path: text_at(path) for path in map(self._place, paths_in(call.name, call.arguments))}

    def _place(self, path: str) -> Path:
        resolve = self._hermes.maybe("tools.file_tools", "_resolve_path_for_task")
        if resolve is not None:
            with contextlib.suppress(Exception):  # where Hermes would not look, our own way is as good
                return Path(resolve(path, self.name))
        return Path(self.workspace, Path(path).expanduser())

    def _note_changes(self, call: Call, before: dict[Path, str | None]) -> None:
        now = {path: text_at(path) for path in before}
        diffs = [diff_of(str(path), before[path], now[path] or "") for path in before if now[path] != before[path]]
        if diffs and call.id:
            self._diffs[call.id] = diffs

    def _edit_refused(self, call: Call, before: dict[Path, str | None]) -> str | None:
        """Ask for an edit; None if it is allowed, else what Hermes is told."""
        diffs = self._proposed(call, before)
        allowed, reason = self._ask_leave(call, call.arguments, "Hermes wants to change a file.", (), diffs)
        if allowed:
            return None
        why = f' Reason given by the user: "{reason}".' if reason else ""
        return f"The user did not allow this edit; nothing was changed.{why} Do not make it in another way."

    def _proposed(self, call: Call, before: dict[Path, str | None]) -> list[Json]:
        """What an edit would do, where that can be told without doing it. The arguments tell the rest."""
        patch = call.arguments.get("patch")
        if call.name == "patch" and isinstance(patch, str) and patch:
            return self._sketched(patch, before)
        content, old, new = (call.arguments.get(name) for name in ("content", "old_string", "new_string"))
        for path, text in list(before.items())[:1]:
            if call.name == "write_file" and isinstance(content, str):
                return [diff_of(str(path), text, content)]
            replace = self._hermes.maybe("tools.fuzzy_match", "fuzzy_find_and_replace")
            if isinstance(old, str) and isinstance(new, str) and text is not None and replace is not None:
                changed, count, *_ = replace(text, old, new, bool(call.arguments.get("replace_all", False)))
                return [diff_of(str(path), text, changed)] if count else []
        return []

    def _sketched(self, patch: str, before: dict[Path, str | None]) -> list[Json]:
        """What a patch of several files would do. One that Hermes will refuse shows nothing."""
        parse = self._hermes.maybe("tools.patch_parser", "parse_v4a_patch")
        apply = self._hermes.maybe("tools.patch_parser", "apply_v4a_operations")
        if parse is None or apply is None:
            return []
        operations, wrong = parse(patch)
        sketch = Sketch(before, self._place)
        if wrong or not apply(operations, sketch).success:
            return []
        changed = [path for path, text in sketch.files.items() if text != before.get(path)]
        return [diff_of(str(path), before.get(path), sketch.files[path] or "") for path in changed]

    def _subagent_started(self, child_session_id: Any = None, **_: Any) -> None:
        call = CURRENT.get()
        if call is not None and call.id and child_session_id:
            self._parents[str(child_session_id)] = call.id

    # What Hermes asks. Called from its threads, which wait.

    def _leave_wanted(self, asked: Json) -> None:
        """Hermes' way to a person. Its entry in the queue is settled here, so that Hermes finds it answered."""
        approval = self._hermes.approval
        arguments = self._exact(str(asked.get("command") or ""))
        keys = [str(key) for key in asked.get("pattern_keys") or [asked.get("pattern_key")] if key]
        description = str(asked.get("description") or "")
        if asked.get("smart_denied"):
            description = f"The model that looks at commands advises against this. {description}"
        allowed, reason = self._ask_leave(CURRENT.get(), arguments, description, keys, [])
        with approval._lock:
            waiting = list(approval._gateway_queues.get(PLATFORM, []))
        (entry,) = [entry for entry in waiting if entry.data is asked]
        entry.result, entry.reason = ("once", None) if allowed else ("deny", reason or None)
        entry.event.set()

    def _exact(self, shown: str) -> Json:
        """What is asked for, byte for byte: Hermes hides what looks like a secret; a person decides on the whole."""
        call = CURRENT.get()
        redact = self._hermes.maybe("agent.redact", "redact_sensitive_text")
        if call is None:
            return {"command": shown}
        command, code = call.arguments.get("command"), call.arguments.get("code")
        if isinstance(command, str) and shown in (command, redact(command) if redact else command):
            return call.arguments
        if isinstance(code, str) and shown.startswith("execute_code"):
            return {"command": f"execute_code <<'PY'\n{code}\nPY"}
        return {"command": shown}

    def _ask_leave(
        self, call: Call | None, arguments: Json, description: str, keys: Sequence[str], diffs: list[Json]
    ) -> tuple[bool, str]:
        """Ask a person, and wait. Return whether it is allowed, and a reason if there is one."""
        turn = self.turn
        if turn is None:
            return False, "Nobody is there to be asked."
        params = self._asked(call, arguments, description, keys, diffs)
        wait = turn.wait()
        self._pipe.ask("session/request_permission", {**params, "options": OPTIONS}, wait)
        answer = wait.answer()
        reason = str(at(answer, "_meta", "holdfast", "reason") or "")
        if at(answer, "outcome", "optionId") != "once":
            return False, reason
        approved = at(answer, "_meta", "holdfast", "digest")
        tool = params["toolCall"]
        directory = params["_meta"]["holdfast"]["directory"]
        command = arguments.get("command") or arguments.get("cmd") or tool["title"]
        if approved and approved != digest_of(str(command), arguments, directory, diffs):
            return False, "What was approved is not what was asked."
        return True, ""

    def _asked(
        self, call: Call | None, arguments: Json, description: str, keys: Sequence[str], diffs: list[Json]
    ) -> Json:
        name = call.name if call else "terminal"
        parent = self._parents.get(call.session, "") if call else ""
        directory = arguments.get("workdir")
        ours = {
            "directory": directory if isinstance(directory, str) and directory else self._directory(call),
            "description": description,
            "patternKeys": list(keys),
            **({"parent": parent} if parent else {}),
        }
        tool = {
            "toolCallId": (call.id if call else "") or f"leave-{secrets.token_hex(6)}",
            "name": name,
            "title": title_of(name, arguments),
            "kind": kind_of(name),
            "status": "pending",
            "rawInput": arguments,
            **({"content": diffs} if diffs else {}),
        }
        return {"sessionId": self.name, "toolCall": tool, "_meta": {"holdfast": ours}}

    def _directory(self, call: Call | None) -> str:
        """Where Hermes' shell is now: it keeps what a `cd` has changed."""
        now = self._hermes.maybe("tools.terminal_tool", "get_session_cwd")
        if now is not None and (call is None or call.session == self.name):
            with contextlib.suppress(Exception):
                return str(now(self.name) or self.workspace)
        return self.workspace

    def _decided(self, **about: Any) -> None:
        """A model has decided, because this session lets it. People see that it did, and what."""
        if about.get("surface") != "smart" or about.get("choice") != "smart_approve":
            return
        keys = [str(key) for key in about.get("pattern_keys") or ()]
        description = str(about.get("description") or "")
        call = CURRENT.get()
        command = call.arguments.get("command") if call else None
        arguments = call.arguments if call and isinstance(command, str) else {"command": str(about.get("command"))}
        self._pipe.notify("_holdfast/decided", {**self._asked(call, arguments, description, keys, []), "allowed": True})

    def _clarify(self, question: Any, choices: Any = None, *_: Any, **__: Any) -> str:
        offered = [str(choice) for choice in several(choices)]
        answer = self._ask(str(question), choices=offered)
        return "The user gave no answer." if answer is None else answer

    def _password_wanted(self) -> str:
        call = CURRENT.get()
        command = str(call.arguments.get("command") or "") if call else ""
        return self._ask(f"Hermes wants to use sudo and needs your password for:\n\n{command}", secret=True) or ""

    def _secret_wanted(self, name: str, prompt: Any, metadata: Any = None) -> Json:
        """A skill needs a key. It is kept where Hermes keeps its keys."""
        skill = at(metadata, "skill_name")
        about = "\n\n".join(str(part) for part in (prompt, at(metadata, "help")) if part)
        value = self._ask(f"{skill or 'A skill'} needs {name}.\n\n{about}", secret=True)
        save = self._hermes.maybe("hermes_cli.config", "save_env_value_secure")
        if not value or save is None:
            return {"success": True, "stored_as": name, "validated": False, "skipped": True, "message": "skipped"}
        return {**save(name, value), "skipped": False, "message": "stored"}

    def _ask(self, text: str, *, choices: Sequence[str] = (), secret: bool = False) -> str | None:
        """Ask a person for words, and wait; None if there are none."""
        turn = self.turn
        if turn is None or not self._forms:
            return None
        field: Json = {"type": "string", "title": "Answer"} | ({"format": "password"} if secret else {})
        form = {"type": "object", "properties": {"answer": field}, "required": ["answer"]}
        ours = {"choices": list(choices), "freeText": True, "secret": secret}
        wait = turn.wait()
        params = {"sessionId": self.name, "mode": "form", "message": text, "requestedSchema": form}
        self._pipe.ask("elicitation/create", {**params, "_meta": {"holdfast": ours}}, wait)
        answer = wait.answer()
        return str(at(answer, "content", "answer") or "") if at(answer, "action") == "accept" else None


def _unheard(agent: Any, result: Json) -> str:
    """Words that Hermes took and did not come to. What it leaves in its agent would be dropped with the next turn."""
    drain = getattr(agent, "_drain_pending_steer", None)
    left = (result.get("pending_steer"), drain() if drain is not None else None)
    return "\n".join(str(words) for words in left if words)


def _refuse_words(_: str) -> bool:
    return False


def _print_aside(*said: Any, **_: Any) -> None:
    print(*said, file=sys.stderr)


def _start_mcp(hermes: Hermes) -> None:
    """Let Hermes connect to the MCP servers that its configuration names; it waits for them shortly."""
    import logging

    begin = hermes.maybe("hermes_cli.mcp_startup", "start_background_mcp_discovery")
    wait = hermes.maybe("hermes_cli.mcp_startup", "wait_for_mcp_discovery")
    if begin is not None and wait is not None:
        with contextlib.suppress(Exception):  # a dead server costs its tools, not the session
            begin(logger=logging.getLogger(__name__), thread_name="mcp")
            wait()


# Models.


def configured(config: Any) -> str:
    """The model that the configuration names."""
    model = at(config, "model")
    if isinstance(model, dict):
        return str(at(config, "model", "default") or at(config, "model", "model") or "")
    return str(model or "")


def chosen(hermes: Hermes, config: Any, wanted: str) -> tuple[str, Json]:
    """The model to use, and how to reach it. Raise `Refusal` if none is set up."""
    model, provider = wanted or configured(config), at(config, "model", "provider")
    if wanted and ":" in wanted:
        parse = hermes.maybe("hermes_cli.models", "parse_model_input")
        if parse is not None:
            provider, model = parse(wanted, str(provider or ""))
    try:
        runtime: Json = hermes.provider(requested=provider or None, target_model=model or None)
    except TypeError:
        runtime = hermes.provider(requested=provider or None)
    except Exception as exc:
        raise Refusal(f"Hermes has no model that it can use: {exc} Set one up with: hermes setup") from exc
    if not model:
        raise Refusal("Hermes has no model set up. Choose one with: hermes setup")
    names = ("provider", "base_url", "api_key", "api_mode", "credential_pool")
    found = {name: runtime.get(name) for name in names}
    return model, {**found, "acp_command": runtime.get("command"), "acp_args": runtime.get("args")}


def models_of(hermes: Hermes, config: Any, current: str) -> Json:
    """The models that can be chosen: those that the configuration and Hermes' own list name. Nobody else is asked."""
    provider = str(at(config, "model", "provider") or "")
    listed = record(hermes.maybe("hermes_cli.models", "_PROVIDER_MODELS"))
    names: list[Any] = [current, configured(config), *several(listed.get(provider))]
    names += record(at(config, "model_aliases"))
    for label, entry in _endpoints(config):
        theirs = entry.get("models")
        for name in [*several(theirs), *record(theirs), entry.get("model"), entry.get("default_model")]:
            names += [f"{label}:{name}"] if isinstance(name, str) and name and label else []
    known = dict.fromkeys(str(name) for name in names if name)
    models = [{"modelId": name, "name": name, "description": ""} for name in known]
    return {"currentModelId": current, "availableModels": models}


def _endpoints(config: Any) -> list[tuple[str, Json]]:
    """What a person has added to the providers that Hermes knows, by name."""
    added = [(str(name), record(entry)) for name, entry in record(at(config, "providers")).items()]
    return added + [(str(at(entry, "name") or ""), record(entry)) for entry in several(at(config, "custom_providers"))]


def message_in(params: Json) -> Any:
    """A prompt as Hermes takes it: words, or parts if there are pictures among them."""
    blocks = [record(block) for block in several(params.get("prompt"))]
    words = "\n\n".join(said for block in blocks if (said := _words(block)))
    pictures = [
        {"type": "image_url", "image_url": {"url": f"data:{block.get('mimeType')};base64,{block['data']}"}}
        for block in blocks
        if block.get("type") == "image" and _is_base64(block.get("data"))
    ]
    return [{"type": "text", "text": words}, *pictures] if pictures else words


def _words(block: Json) -> str:
    match block.get("type"):
        case "text":
            return str(block.get("text") or "")
        case "resource_link":
            uri = str(block.get("uri") or "")
            return f"The user attached the file {block.get('name') or uri}: {uri.removeprefix('file://')}"
        case "resource":
            return f"The user attached {at(block, 'resource', 'uri')}:\n\n{at(block, 'resource', 'text') or ''}"
        case _:
            return ""


def _is_base64(data: Any) -> bool:
    try:
        return isinstance(data, str) and bool(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        return False


# The program.


class Bridge:
    """Takes the client's requests in the order in which they come."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._importing = Importing()
        self._session: Session | None = None
        self._forms = False

    def serve(self) -> None:
        for message in self._pipe.messages():
            if "method" not in message:
                self._pipe.answered(message)
            elif "id" in message:
                self._requested(message)
            elif message["method"] == "session/cancel" and self._session is not None:
                self._session.cancel()

    def _requested(self, message: Json) -> None:
        request = message["id"]
        try:
            result = self._meet(request, str(message["method"]), record(message.get("params")))
        except Refusal as exc:
            self._pipe.refuse(request, exc.code, str(exc))
        except Exception as exc:  # noqa: BLE001  said to the client; the next request may be met
            traceback.print_exc()
            self._pipe.refuse(request, INTERNAL_ERROR, f"Hermes failed: {exc or type(exc).__name__}")
        else:
            if result is not None:
                self._pipe.respond(request, result)

    def _meet(self, request: Any, method: str, params: Json) -> Json | None:
        """The result; None if it comes later."""
        match method:
            case "initialize":
                return self._hello(params)
            case "session/new":
                name = f"{time.strftime('%Y%m%d_%H%M%S')}_{secrets.token_hex(3)}"
                session = self._open(name, params)
                session.begin()
                return {"sessionId": session.name, **self._choices(session)}
            case "session/resume" | "session/load":
                return self._take_up(params, replay=method == "session/load")
            case _:
                return self._go_on(request, method, params)

    def _go_on(self, request: Any, method: str, params: Json) -> Json | None:
        session = self._of(params)
        match method:
            case "session/prompt":
                session.prompt(request, params)
                return None
            case "session/set_mode":
                return self._set_mode(session, str(params.get("modeId") or ""))
            case "session/set_model":
                session.model = str(params.get("modelId") or "")
                return {}
            case "_holdfast/steer":
                return session.steer(request, str(params.get("text") or ""))
            case "_holdfast/commit_memory":
                threading.Thread(target=session.commit, args=(request, params), daemon=True).start()
                return None
            case _:
                raise Refusal(f"There is no method {method}.", METHOD_NOT_FOUND)

    def _hello(self, params: Json) -> Json:
        self._forms = at(params, "clientCapabilities", "elicitation", "form") is not None
        hermes = self._importing.result()
        steer = callable(getattr(hermes.agent_class, "steer", None))
        commit = callable(getattr(hermes.agent_class, "commit_memory_session", None))
        ours = {"steer": steer, "commitMemory": commit, "reasons": True, "warm": True}
        return {
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True},
                "sessionCapabilities": {"resume": {}},
                "_meta": {"holdfast": {name: True for name, able in ours.items() if able}},
            },
            "agentInfo": {"name": "hermes", "title": "Hermes", "version": hermes.version},
            "authMethods": [],
        }

    def _open(self, name: str, params: Json) -> Session:
        if self._session is not None:
            raise Refusal("This process has its session. Start another for another one.", INVALID_PARAMS)
        run = at(params, "_meta", "holdfast", "run")
        if run:
            os.environ["HOLDFAST_RUN"] = str(run)  # what the tools that it starts are found by
        workspace = str(params.get("cwd") or Path.cwd())
        hermes = self._importing.result()
        chosen(hermes, hermes.config(), "")
        self._session = session = Session(self._pipe, hermes, name, workspace, forms=self._forms)
        return session

    def _take_up(self, params: Json, *, replay: bool) -> Json:
        session = self._open(str(params.get("sessionId") or ""), params)
        if not session.resume(str(at(params, "_meta", "holdfast", "unfinished") or "")):
            self._session = None
            raise Refusal(f"Hermes knows no session {params.get('sessionId')}.", INVALID_PARAMS)
        session.begin()
        if replay:
            self._replay(session)
        return self._choices(session)

    def _replay(self, session: Session) -> None:
        kinds = {"user": "user_message_chunk", "assistant": "agent_message_chunk"}
        for message in session.history:
            kind, text = kinds.get(str(message.get("role"))), message.get("content")
            if kind and isinstance(text, str) and text:
                session.update({"sessionUpdate": kind, "content": {"type": "text", "text": text}})

    def _of(self, params: Json) -> Session:
        if self._session is None or params.get("sessionId") != self._session.name:
            if not str(params.get("sessionId") or ""):
                raise Refusal("This is no method of this agent.", METHOD_NOT_FOUND)
            raise Refusal("There is no such session in this process.", INVALID_PARAMS)
        return self._session

    def _choices(self, session: Session) -> Json:
        hermes = self._importing.result()
        modes = [name for name in MODES if name != "ask" or hermes.middleware]
        config = hermes.config()
        return {
            "modes": {
                "currentModeId": session.mode,
                "availableModes": [
                    {"id": name, "name": MODES[name][0], "description": MODES[name][1]} for name in modes
                ],
            },
            "models": models_of(hermes, config, session.model or configured(config)),
        }

    def _set_mode(self, session: Session, mode: str) -> Json:
        if mode not in MODES or (mode == "ask" and not self._importing.result().middleware):
            raise Refusal(f"Hermes has no mode {mode!r}.", INVALID_PARAMS)
        session.mode = mode
        return {}


def main() -> None:
    sink = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    source = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # no tool reads the protocol
    os.close(nothing)
    for name in DISARMING:
        os.environ.pop(name, None)
    os.environ.update(ARMED)
    Bridge(Pipe(source, sink)).serve()
    os._exit(0)  # a turn may still run in its thread; nobody listens any more


if __name__ == "__main__":
    main()
