"""The guided tour: everything that a run can show, in half a minute, without a model.

It runs nothing and changes nothing: what it asks leave for is only shown.
"""

from collections.abc import Callable

from holdfast.agents.scripted.stage import Json, Stage

SENTENCE = (
    "I am a script, not a model, so this is all I can say; to work with a model, open **Settings**, choose **Agents**, "
    "and connect Hermes, another agent that speaks ACP, or any OpenAI-compatible model."
)
WORDS = 0.03
WISHES = frozenset({"tour", "the tour", "start", "start the tour", "begin", "hello", "hi", "help"})
THOUGHT = (
    "Somebody has come for the tour. I am a script without a model, so I know my lines already. First a few words, "
    "then a plan, then some steps with an approval and a question."
)
WELCOME = """\
## Welcome to Holdfast

This is a **scripted tour**: no model is connected, and nothing on your machine is touched.
It shows what a run looks like.

- What I *think* is folded away above.
- What I *say* is written while you read, and stored before you see it.
- What I *do* appears as steps, like the ones that follow.

You can close this page, reload it, open it on your phone or restart the server: the run goes on.
"""
STEPS = ("Look at the workspace", "Change a file", "Ask for leave", "Ask a question")
BEFORE = 'def greet(name):\n    print("Hello " + name)\n'
AFTER = 'def greet(name: str) -> None:\n    print(f"Hello, {name}!")\n'
COMMAND = "python greeting.py World"


def wanted(text: str) -> bool:
    return text.strip().lower().rstrip("!.") in WISHES


def play(stage: Stage) -> None:
    _stream(stage, THOUGHT, stage.think)
    _stream(stage, WELCOME, stage.say)
    stage.update("session_info_update", title="A tour of Holdfast")
    _plan(stage, done=0)
    _look(stage)
    _plan(stage, done=1)
    _change(stage)
    _plan(stage, done=2)
    _run(stage)
    _plan(stage, done=3)
    answer = _question(stage)
    _plan(stage, done=4)
    _stream(stage, _farewell(answer), stage.say)


def _plan(stage: Stage, done: int) -> None:
    def status(number: int) -> str:
        return "completed" if number < done else "in_progress" if number == done else "pending"

    entries = [{"content": step, "priority": "medium", "status": status(n)} for n, step in enumerate(STEPS)]
    stage.update("plan", entries=entries)


def _look(stage: Stage) -> None:
    call = _begin(stage, "list_files", "List the files", "search", {"path": "."})
    stage.wait(0.6)
    _finish(stage, call, [_text("greeting.py\nREADME.md")])


def _change(stage: Stage) -> None:
    call = _begin(stage, "edit_file", "Edit greeting.py", "edit", {"path": "greeting.py"})
    stage.wait(0.8)
    path = f"{stage.workspace.rstrip('/')}/greeting.py"
    _finish(stage, call, [{"type": "diff", "path": path, "oldText": BEFORE, "newText": AFTER}])
    _stream(
        stage, "That was a change to a file, shown as a diff. (Only shown: your files are as they were.)", stage.say
    )


def _run(stage: Stage) -> None:
    _stream(stage, "Before an agent does something that matters, it asks you. Allow or deny this one:", stage.say)
    arguments = {"command": COMMAND, "description": "Run the example that the tour pretends to have changed."}
    call = _begin(stage, "terminal", "Run the example", "execute", arguments, status="pending")
    (choice,) = stage.ask_leave([{"toolCall": {"toolCallId": call, "title": "Run the example", "kind": "execute"}}])
    if choice.startswith("deny"):
        stage.update("tool_call_update", toolCallId=call, status="failed", content=[_text("You denied it.")])
        _stream(stage, "You denied it, so it did not run. That is all there is to it.", stage.say)
        return
    stage.update("tool_call_update", toolCallId=call, status="in_progress")
    stage.wait(0.6)
    _finish(stage, call, [_text("Hello, World!")])


def _question(stage: Stage) -> str | None:
    field: Json = {"type": "string", "title": "Answer", "enum": ["Connect a model", "Look around first"]}
    form = {"type": "object", "properties": {"answer": field}, "required": ["answer"]}
    ours = {"holdfast": {"freeText": True}}
    (answer,) = stage.ask([{"message": "What would you like to do next?", "requestedSchema": form, "_meta": ours}])
    return answer


def _farewell(answer: str | None) -> str:
    heard = f"You answered: *{answer}*.\n\n" if answer else ""
    return (
        f"{heard}That was the tour. To work with a model, open **Settings**, choose **Agents**, and connect Hermes, "
        "another agent that speaks ACP, or any OpenAI-compatible model."
    )


def _begin(stage: Stage, name: str, title: str, kind: str, arguments: Json, status: str = "in_progress") -> str:
    call = stage.call()
    stage.update("tool_call", toolCallId=call, name=name, title=title, kind=kind, status=status, rawInput=arguments)
    return call


def _finish(stage: Stage, call: str, content: list[Json]) -> None:
    stage.update("tool_call_update", toolCallId=call, status="completed", content=content)


def _text(text: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": text}}


def _stream(stage: Stage, text: str, utter: Callable[[str, str], None]) -> None:
    message = stage.message()
    for number, word in enumerate(text.split(" ")):
        stage.wait(WORDS)
        utter(word if number == 0 else f" {word}", message)
