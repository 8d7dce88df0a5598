"""The directives: what a test, a benchmark or an acceptance check can make the scripted agent do.

They are a contract. What each says stands in a message of its own. A message without any is looked up in the file
`.holdfast-script.json` of the workspace, if there is one: what it has for these words is done.

!say TEXT                         says TEXT, in which \\n begins a new line
!stream N MS [PREFIX]             says N words, PREFIX1 PREFIX2 ..., one every MS milliseconds
!speak MS TEXT                    says TEXT, one word every MS milliseconds
!think TEXT                       thinks TEXT
!thinkstream N MS                 thinks N words, one every MS milliseconds
!tool NAME JSON MS [RESULT]       a tool call that takes MS milliseconds; \\n begins a new line of its result
!sleep MS                         does nothing
!approve COMMAND [PATTERN_KEY]    asks for leave, then says approved:CHOICE or denied, and runs nothing. Two words are a
                                  command and its key; a command of several words with a key is written in quotes
!approve append FILE TEXT         the same, and appends TEXT as a line to FILE in the workspace once it is approved
!edit FILE | OLD | NEW ...        asks for leave to put each NEW in the place of its OLD, in which \\n begins a new
                                  line; then says approved:CHOICE or denied, and changes nothing
!write FILE BYTES                 asks for leave to write a new FILE of that size; the same, and writes nothing
!approvemany N                    asks N times at once; then says approved:CHOICE or denied once for each, line by line
!approveall COMMAND # WHY | ...   asks for leave to run all of them at once, and says why it asks; then the same
!ask QUESTION | CHOICE ...        asks, then says answer:TEXT, or unanswered. timeout=SECONDS and secret=yes may stand
                                  among the choices; of a secret it says secret: and the start of its SHA-256
!askmany N                        asks N questions at once; then says one line for each
!asksame N QUESTION | CHOICE ...  asks the same question N times at once; then says one line for each
!plan A; B; C                     shows a plan
!usage IN OUT                     reports tokens
!title TEXT                       suggests a title
!fail MESSAGE                     ends the turn with an error
!crash                            exits without a word
!hang                             stays for ever; the whole message is deaf to cancel and SIGTERM from its first line on
!spawn                            starts a tool in its own session that outlives the agent, and says spawned:PID
!late N                           sends N words (late1 late2 ...) after the end of the turn
!memory ok | fail N | slow MS     how commits of memory behave from now on
!bytes N                          says N bytes in one delta
!unicode                          says what is hard: emoji in parts, right to left, zero width
!thinktags [cut]                  says text with reasoning in tags, split over deltas; `cut` never closes the tag

What only one directive needs is imported there: the agent has to be ready in a tenth of a second.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from holdfast.agents.scripted.memory import Memory
from holdfast.agents.scripted.stage import Failed, Json, Stage

KINDS = frozenset({"read", "edit", "delete", "move", "search", "execute", "think", "fetch"})
ASKED = "\nThe user now says:\n"
"""Before it stands what an agent that comes new to a session is told of it: nothing to be done again."""
UNICODE = (
    "👩", "\u200d", "👩", "\u200d", "👧 ", "👍", "🏽 ", "🇺", "🇳 ", "e", "\u0301 ",
    "שלום עולם ", "مرحبا ", "\u202eabc\u202c ", "zero\u200bwidth\u2060 ", "𝔘𝔫𝔦 ", "\U0010fffd ", "end",
)  # fmt: skip


SCRIPT = ".holdfast-script.json"
"""In a workspace: messages that read as people write them, and the directives that each stands for."""


class Directive(NamedTuple):
    name: str
    rest: str


def parse(text: str) -> list[Directive]:
    """The directives in a message: its lines that begin with `!`, after whatever it quotes."""
    lines = text.rpartition(ASKED)[2].splitlines()
    words = (line[1:].strip().partition(" ") for line in lines if line.startswith("!"))
    return [Directive(name, rest.strip()) for name, _, rest in words if name]


def written(workspace: str, text: str) -> list[Directive]:
    """What the script in the workspace has for this message; nothing, if there is none."""
    try:
        script = msgspec.json.decode(Path(workspace, SCRIPT).read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as exc:
        raise Failed(f"{SCRIPT} can't be read: {exc}") from exc
    return parse(script.get(text.rpartition(ASKED)[2].strip(), ""))


def perform(directive: Directive, stage: Stage, memory: Memory) -> None:
    """Raise `Failed` if there is no such directive, or if it can't be read."""
    act = ACTS.get(directive.name)
    try:
        if directive.name == "memory":
            _memory(memory, directive.rest)
        elif act is None:
            raise Failed(f"There is no directive !{directive.name}.")
        else:
            act(stage, directive.rest)
    except (ValueError, IndexError) as exc:
        raise Failed(f"!{directive.name} {directive.rest} can't be read: {exc}") from exc


def _stream(stage: Stage, rest: str) -> None:
    count, pause, *prefix = rest.split()
    _words(stage, stage.say, int(count), float(pause), prefix[0] if prefix else "word")


def _speak(stage: Stage, rest: str) -> None:
    pause, _, text = rest.partition(" ")
    message = stage.message()
    for number, word in enumerate(text.replace("\\n", "\n").split(" ")):
        stage.wait(float(pause) / 1000)
        stage.say(word if number == 0 else f" {word}", message)


def _thinkstream(stage: Stage, rest: str) -> None:
    count, pause = rest.split()
    _words(stage, stage.think, int(count), float(pause), "thought")


def _words(stage: Stage, utter: Callable[[str, str], None], count: int, pause: float, prefix: str) -> None:
    message, start = stage.message(), time.monotonic()
    for number in range(1, count + 1):
        due = start + (number - 1) * pause / 1000
        if (ahead := due - time.monotonic()) > 0:
            stage.wait(ahead)
        utter(f"{prefix}{number}" if number == 1 else f" {prefix}{number}", message)


def _tool(stage: Stage, rest: str) -> None:
    name, _, rest = rest.partition(" ")
    arguments, rest = _json(rest.lstrip())
    pause, _, result = rest.strip().partition(" ")
    call, kind = stage.call(), name if name in KINDS else "other"
    begun: Json = {"toolCallId": call, "name": name, "title": name, "kind": kind, "status": "in_progress"}
    stage.update("tool_call", **begun, rawInput=msgspec.Raw(arguments.encode()))
    stage.wait(float(pause) / 1000)
    said = {"type": "text", "text": result.replace("\\n", "\n")}
    content = [{"type": "content", "content": said}] if result else []
    stage.update("tool_call_update", toolCallId=call, status="completed", content=content)


def _json(text: str) -> tuple[str, str]:
    """The JSON value at the start of `text`, as it is written, and what follows it."""
    end = 0
    while (end := text.find(" ", end + 1)) > 0:
        try:
            msgspec.json.decode(text[:end])
        except msgspec.DecodeError:
            continue
        return text[:end], text[end:]
    raise ValueError("it needs a name, JSON and milliseconds")


def _approve(stage: Stage, rest: str) -> None:
    if rest.startswith("append "):
        _approve_append(stage, rest)
        return
    command, key = _command(rest)
    (choice,) = stage.ask_leave([_leave(stage, command, key)])
    stage.say(_told(choice))


def _approve_append(stage: Stage, rest: str) -> None:
    from pathlib import Path

    from holdfast.core.policy import digest

    _, name, text = rest.split(" ", 2)
    path = Path(stage.workspace, name).resolve()
    if not path.is_relative_to(Path(stage.workspace).resolve()):
        raise Failed(f"{name} lies outside of the workspace.")
    leave = _leave(stage, rest, "")
    arguments = msgspec.json.encode(leave["toolCall"]["rawInput"]).decode()
    choice = stage.ask_exact_leave(leave, digest(rest, arguments, stage.workspace))
    if not choice.startswith("deny"):
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    stage.say(_told(choice))


def _command(rest: str) -> tuple[str, str]:
    import shlex

    try:
        words = shlex.split(rest)
    except ValueError:
        return rest, ""
    return (words[0], words[1]) if len(words) == 2 else (words[0] if len(words) == 1 else rest, "")


def _approvemany(stage: Stage, rest: str) -> None:
    choices = stage.ask_leave([_leave(stage, f"command-{number}", "") for number in range(1, int(rest) + 1)])
    stage.say("\n".join(_told(choice) for choice in choices))


def _approveall(stage: Stage, rest: str) -> None:
    wishes = [wish.partition("#") for wish in rest.split(" | ")]
    leaves = [_leave(stage, command.strip(), "", why.strip()) for command, _, why in wishes]
    stage.say("\n".join(_told(choice) for choice in stage.ask_leave(leaves)))


def _edit(stage: Stage, rest: str) -> None:
    name, *texts = (part.strip().replace("\\n", "\n") for part in rest.split("|"))
    if not texts or len(texts) % 2:
        raise ValueError("it needs a file, and a new text for each old one")
    places = zip(texts[::2], texts[1::2], strict=True)
    _change(stage, "edit", name, [{"oldText": old, "newText": new} for old, new in places])


def _write(stage: Stage, rest: str) -> None:
    name, size = rest.split()
    _change(stage, "write", name, [{"newText": ("0123456789abcde\n" * (int(size) // 16 + 1))[: int(size)]}])


def _change(stage: Stage, tool: str, name: str, texts: list[Json]) -> None:
    path = f"{stage.workspace}/{name}"
    diffs = [{"type": "diff", "path": path, **text} for text in texts]
    call: Json = {
        "toolCallId": stage.call(),
        "name": tool,
        "title": f"{tool} {name}",
        "kind": "edit",
        "status": "pending",
        "rawInput": {"path": path},
        "content": diffs,
    }
    stage.update("tool_call", **call)
    (choice,) = stage.ask_leave([{"toolCall": call}])
    status = "failed" if choice.startswith("deny") else "completed"
    stage.update("tool_call_update", toolCallId=call["toolCallId"], status=status)
    stage.say(_told(choice))


def _leave(stage: Stage, command: str, key: str, why: str = "") -> Json:
    call: Json = {
        "toolCallId": stage.call(),
        "name": "terminal",
        "title": command,
        "kind": "execute",
        "status": "pending",
        "rawInput": {"command": command},
    }
    ours = ({"patternKeys": [key]} if key else {}) | ({"description": why} if why else {})
    return {"toolCall": call} | ({"_meta": {"holdfast": ours}} if ours else {})


def _told(choice: str) -> str:
    return choice.replace("deny", "denied", 1) if choice.startswith("deny") else f"approved:{choice}"


def _ask(stage: Stage, rest: str) -> None:
    question, *options = (part.strip() for part in rest.split("|"))
    (answer,) = stage.ask([_question(question, options)])
    stage.say(_hidden(answer) if "secret=yes" in options else _answered(answer))


def _askmany(stage: Stage, rest: str) -> None:
    answers = stage.ask([_question(f"Question {number} of {int(rest)}?", []) for number in range(1, int(rest) + 1)])
    stage.say("\n".join(_answered(answer) for answer in answers))


def _asksame(stage: Stage, rest: str) -> None:
    count, _, rest = rest.partition(" ")
    question, *options = (part.strip() for part in rest.split("|"))
    answers = stage.ask([_question(question, options)] * int(count))
    stage.say("\n".join(_answered(answer) for answer in answers))


def _question(text: str, options: list[str]) -> Json:
    field: Json = {"type": "string", "title": "Answer"}
    ours: dict[str, Any] = {"freeText": True}
    choices: list[str] = []
    for option in options:
        if option.startswith("timeout="):
            ours["timeoutSeconds"] = int(option.removeprefix("timeout="))
        elif option == "secret=yes":
            ours["secret"] = True
        elif option:
            choices.append(option)
    if choices:
        field["enum"] = choices
    form = {"type": "object", "properties": {"answer": field}, "required": ["answer"]}
    return {"message": text, "requestedSchema": form, "_meta": {"holdfast": ours}}


def _answered(answer: str | None) -> str:
    return "unanswered" if answer is None else f"answer:{answer}"


def _hidden(answer: str | None) -> str:
    """That a secret came, and whether it came whole, without saying it."""
    from hashlib import sha256

    return "unanswered" if answer is None else f"secret:{sha256(answer.encode()).hexdigest()[:8]}"


def _plan(stage: Stage, rest: str) -> None:
    steps = [step.strip() for step in rest.split(";") if step.strip()]
    stage.update("plan", entries=[{"content": step, "priority": "medium", "status": "pending"} for step in steps])


def _usage(stage: Stage, rest: str) -> None:
    taken, given = (int(number) for number in rest.split())
    ours = {"input": taken, "output": given}
    stage.update("usage_update", used=taken + given, size=200_000, _meta={"holdfast": ours})


def _fail(_: Stage, rest: str) -> None:
    raise Failed(rest or "The script says that this turn fails.")


def _crash(_: Stage, __: str) -> None:
    os._exit(1)


def _spawn(stage: Stage, _: str) -> None:
    import subprocess

    quiet = subprocess.DEVNULL
    tool = subprocess.Popen(["sleep", "86400"], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    tool.returncode = 0  # nobody waits for it: that is what it is for
    stage.say(f"spawned:{tool.pid}")


def _late(stage: Stage, rest: str) -> None:
    stage.late = int(rest)


def _bytes(stage: Stage, rest: str) -> None:
    count = int(rest)
    stage.say(("0123456789abcde\n" * (count // 16 + 1))[:count])


def _unicode(stage: Stage, _: str) -> None:
    message = stage.message()
    for part in UNICODE:
        stage.say(part, message)


def _thinktags(stage: Stage, rest: str) -> None:
    message = stage.message()
    whole = ("<th", "ink>Reasoning ", "inside tags.</", "think", ">\n\nText ", "outside of <", "b>them</b>.")
    for part in ("<thinking", ">Reasoning ", "that is cut", " off </thin") if rest == "cut" else whole:
        stage.say(part, message)


def _memory(memory: Memory, rest: str) -> None:
    match rest.split():
        case ["ok"]:
            memory.failures, memory.seconds = 0, 0.0
        case ["fail", count]:
            memory.failures = int(count)
        case ["slow", milliseconds]:
            memory.seconds = float(milliseconds) / 1000
        case _:
            raise ValueError("it takes ok, fail N or slow MS")


ACTS: dict[str, Callable[[Stage, str], None]] = {
    "say": lambda stage, rest: stage.say(rest.replace("\\n", "\n")),
    "stream": _stream,
    "speak": _speak,
    "think": lambda stage, rest: stage.think(rest),
    "thinkstream": _thinkstream,
    "tool": _tool,
    "sleep": lambda stage, rest: stage.wait(float(rest) / 1000),
    "approve": _approve,
    "edit": _edit,
    "write": _write,
    "approvemany": _approvemany,
    "approveall": _approveall,
    "ask": _ask,
    "askmany": _askmany,
    "asksame": _asksame,
    "plan": _plan,
    "usage": _usage,
    "title": lambda stage, rest: stage.update("session_info_update", title=rest),
    "fail": _fail,
    "crash": _crash,
    "hang": lambda stage, _: stage.hang(),
    "spawn": _spawn,
    "late": _late,
    "bytes": _bytes,
    "unicode": _unicode,
    "thinktags": _thinktags,
}
