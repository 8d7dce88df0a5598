"""The built-in agent under our own client, with a model on loopback."""

import asyncio
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.agents.acp.client import AcpAgent, Result
from holdfast.agents.builtin.tools import look
from holdfast.agents.tree import tree
from holdfast.core.events import NoticeRaised, PlanReplaced, TitleSuggested, ToolChanged, UsageReported
from holdfast.core.ids import TurnId
from holdfast.core.policy import digest
from holdfast.settings import Settings
from tests.agents.audience import TURN, Audience
from tests.agents.builtin.conftest import KEY
from tests.agents.builtin.inside import opened
from tests.agents.builtin.model import Model, text_of
from tests.journeys.patience import wait_until

NEXT = TurnId("t2")


def left(workspace: Path) -> set[int]:
    """What of the run is alive."""
    return tree(f"{workspace.parent.name}:1", home=str(workspace.parent / "home"))


def tools(audience: Audience) -> dict[str, str]:
    """The last status of every call."""
    return {fact.call: str(fact.status) for fact in audience.facts if isinstance(fact, ToolChanged) and fact.status}


def output(audience: Audience) -> str:
    """What is shown of the tools' output, put together as the reducer does."""
    shown = ""
    for fact in audience.facts:
        if isinstance(fact, ToolChanged):
            shown = (fact.output if isinstance(fact.output, str) else shown) + fact.appended
    return shown


def notices(audience: Audience) -> list[str]:
    return [fact.text for fact in audience.facts if isinstance(fact, NoticeRaised)]


def call(name: str, **arguments: object) -> str:
    return f"!tool {name} {json.dumps(arguments)}"


async def test_text_and_reasoning_arrive_as_they_are_said(agent: AcpAgent, audience: Audience, model: Model) -> None:
    assert await agent.prompt(TURN, "!think Let me see.\n!say Hello from here.") == Result("completed")
    assert (audience.thoughts, audience.text) == ("Let me see.", "Hello from here.")
    assert model.requests[0]["model"] == "mock-1"
    (usage,) = [fact for fact in audience.facts if isinstance(fact, UsageReported)]
    assert (usage.input, usage.output, usage.cached, usage.reasoning) == (1000, 20, 100, 7)
    assert (usage.model, usage.context_used) == ("mock/mock-1", 1020)
    assert [fact.title for fact in audience.facts if isinstance(fact, TitleSuggested)] == ["!think Let me see."]


async def test_the_next_request_holds_what_was_said_before(agent: AcpAgent, model: Model) -> None:
    await agent.prompt(TURN, "!say One.")
    await agent.prompt(NEXT, "And now?")
    assert [message["role"] for message in model.last] == ["system", "user", "assistant", "user"]
    assert model.heard("assistant") == ["One."]


async def test_the_models_window_is_learned_from_the_endpoint(agent: AcpAgent, audience: Audience) -> None:
    await agent.prompt(TURN, "!say One.")
    await agent.prompt(NEXT, "!say Two.")
    assert [fact.context_window for fact in audience.facts if isinstance(fact, UsageReported)][-1] == 128_000


async def test_the_workspaces_rules_are_read(agent: AcpAgent, model: Model, workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("Always answer in rhymes.")
    await agent.prompt(TURN, "Hello")
    assert "Always answer in rhymes." in model.heard("system")[0]


async def test_a_command_runs_and_its_output_is_shown_as_it_comes(
    agent: AcpAgent, audience: Audience, model: Model, workspace: Path
) -> None:
    command = "echo one; while [ ! -f go ]; do sleep 0.05; done; echo two"
    prompting = asyncio.create_task(agent.prompt(TURN, f"{call('shell', command=command)}\n!then\n!quote"))
    await audience.until(lambda: "one" in output(audience))
    (workspace / "go").touch()
    assert await prompting == Result("completed")
    assert output(audience) == "one\ntwo\n"
    assert audience.text == "Tool said: one\ntwo\n"
    assert set(tools(audience).values()) == {"completed"}
    (asked,) = [message for message in model.last if message["role"] == "tool"]
    assert asked["tool_call_id"] in tools(audience)


async def test_a_command_that_fails_says_so(agent: AcpAgent, audience: Audience) -> None:
    await agent.prompt(TURN, f"{call('shell', command='echo no >&2; exit 3')}\n!then\n!quote")
    assert audience.text == "Tool said: no\n\n[It ended with exit code 3.]"
    assert set(tools(audience).values()) == {"failed"}


async def test_a_command_that_takes_too_long_is_ended(agent: AcpAgent, audience: Audience) -> None:
    await agent.prompt(TURN, f"{call('shell', command='sleep 600', timeout=1)}\n!then\n!quote")
    assert audience.text == "Tool said: [It was ended after 1 seconds.]"


async def test_what_a_command_leaves_running_ends_with_it(agent: AcpAgent, audience: Audience, workspace: Path) -> None:
    (workspace / "leave.py").write_text(
        "import subprocess\nsubprocess.Popen(['sleep', '601'], start_new_session=True)\nprint('left')\n"
    )
    await agent.prompt(TURN, f"{call('shell', command='sleep 602 & python3 leave.py')}\n!then\n!quote")
    assert audience.text == "Tool said: left\n"
    assert left(workspace) == set()


async def test_much_output_is_bounded_and_its_two_ends_are_kept(agent: AcpAgent, audience: Audience) -> None:
    await agent.prompt(TURN, f"{call('shell', command='seq 1 200000')}\n!then\n!quote")
    assert audience.text.startswith("Tool said: 1\n2\n")
    assert audience.text.endswith("199999\n200000\n")
    assert "characters left out" in audience.text
    assert len(audience.text) < 40_000


async def test_the_tools_environment_holds_no_key_but_the_mark_of_the_run(
    agent: AcpAgent, audience: Audience, workspace: Path
) -> None:
    await agent.prompt(TURN, f"{call('shell', command='env')}\n!then\n!say Done.")
    assert KEY not in output(audience)
    assert f"HOLDFAST_RUN={workspace.parent.name}:1\n" in output(audience)
    assert "_KEY=" not in output(audience)


async def test_two_tools_run_side_by_side(agent: AcpAgent, audience: Audience, model: Model) -> None:
    """Each waits for the other: one after the other they would never end."""
    script = [call("shell", command=f"touch {a}; while [ ! -f {b} ]; do sleep 0.05; done") for a, b in ("xy", "yx")]
    assert await agent.prompt(TURN, "\n".join([*script, "!then", "!say Both."])) == Result("completed")
    assert list(tools(audience).values()) == ["completed", "completed"]
    assert len([message for message in model.last if message["role"] == "tool"]) == 2


async def test_a_server_that_gives_the_same_id_twice_does_no_harm(
    agent: AcpAgent, audience: Audience, model: Model
) -> None:
    script = ["!ids", call("shell", command="echo a"), call("shell", command="echo b"), "!then", "!ids"]
    await agent.prompt(TURN, "\n".join([*script, call("shell", command="echo c"), "!then", "!say Done."]))
    assert len(tools(audience)) == 3
    results = {message["tool_call_id"]: text_of(message) for message in model.last if message["role"] == "tool"}
    assert sorted(results.values()) == ["a\n", "b\n", "c\n"]


async def test_a_dangerous_command_asks_with_its_key_and_a_reason(
    agent: AcpAgent, audience: Audience, workspace: Path
) -> None:
    (workspace / "build").mkdir()
    prompting = asyncio.create_task(agent.prompt(TURN, f"{call('shell', command='rm -rf build')}\n!then\n!say Done."))
    await audience.until(lambda: audience.permissions)
    (asked,) = audience.permissions
    assert (asked.command, asked.directory, asked.action) == ("rm -rf build", str(workspace), "execute")
    assert asked.pattern_keys == ("recursive delete",)
    assert asked.description == "It deletes a folder with all that is in it."
    assert (workspace / "build").exists()
    named = digest(asked.command, asked.arguments, asked.directory, asked.diffs)
    agent.answer_permission(asked.id, allow=True, digest=named)
    assert await prompting == Result("completed")
    assert not (workspace / "build").exists()


async def test_what_a_person_did_not_see_is_not_done(agent: AcpAgent, audience: Audience, workspace: Path) -> None:
    (workspace / "build").mkdir()
    audience.on_permission = lambda asked: agent.answer_permission(asked.id, allow=True, digest="of something else")
    await agent.prompt(TURN, f"{call('shell', command='rm -rf build')}\n!then\n!quote")
    assert (workspace / "build").exists()
    assert "What was approved is not what was asked for" in audience.text


async def test_a_denial_and_its_reason_reach_the_model(
    agent: AcpAgent, audience: Audience, model: Model, workspace: Path
) -> None:
    (workspace / "build").mkdir()
    audience.on_permission = lambda asked: agent.answer_permission(asked.id, allow=False, reason="I still need it")
    assert agent.takes_reasons
    await agent.prompt(TURN, f"{call('shell', command='rm -rf build')}\n!then\n!say Fine.")
    assert "denied" in model.heard("tool")[0]
    assert "I still need it" in model.heard("tool")[0]
    assert (workspace / "build").exists()
    assert set(tools(audience).values()) == {"failed"}


async def test_files_are_written_edited_read_listed_and_searched(
    agent: AcpAgent, audience: Audience, workspace: Path
) -> None:
    steps = [
        call("write", path="src/a.py", content="one\ntwo\n"),
        call("edit", path="src/a.py", old="two", new="three"),
        call("read", path="src/a.py"),
        call("list", path="src"),
        call("list", glob="*.py"),
        call("search", pattern="thr.e", glob="*.py"),
        call("search", pattern="nowhere"),
    ]
    await agent.prompt(TURN, "\n!then\n".join([*steps, "!say Done."]))
    assert (workspace / "src/a.py").read_text() == "one\nthree\n"
    assert set(tools(audience).values()) == {"completed"}
    changed = [fact for fact in audience.facts if isinstance(fact, ToolChanged)]
    diffs = [diff for fact in changed if isinstance(fact.diffs, tuple) for diff in fact.diffs]
    assert [(diff.old, diff.new) for diff in diffs] == [(None, "one\ntwo\n"), ("one\ntwo\n", "one\nthree\n")]
    said = [fact.output for fact in changed if isinstance(fact.output, str) and fact.output]
    assert said == [
        "     1\tone\n     2\tthree",
        "a.py",
        "src/a.py",
        "src/a.py:2:three",
        "Nothing was found.",
    ]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "out/x", ".env", ".ssh/id_rsa", "~/x"])
@pytest.mark.parametrize("tool", ["read", "write"])
async def test_files_that_are_none_of_its_business_stay_closed(
    agent: AcpAgent, audience: Audience, workspace: Path, tool: str, path: str
) -> None:
    (workspace / "out").symlink_to(workspace.parent)
    await agent.prompt(TURN, f"{call(tool, path=path, content='x')}\n!then\n!quote")
    assert set(tools(audience).values()) == {"failed"}
    assert "outside of the workspace" in audience.text or "stays closed" in audience.text


async def test_a_search_and_a_list_pass_by_what_stays_closed(
    audience: Audience, tmp_path: Path, workspace: Path, settings: Settings
) -> None:
    """The home, secrets by name in whatever case, and what lies behind a link: neither their names nor their words."""
    (tmp_path / "home" / "token").write_text("needle in the home")
    (tmp_path / "elsewhere.txt").write_text("needle behind a link")
    for name in (".env", ".ENV", ".Env.local", "server.PEM", ".SSH/config", ".ssh/notes", "plain.txt", ".env.example"):
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text(f"needle in {name}")
    (workspace / "link.txt").symlink_to(tmp_path / "elsewhere.txt")
    steps = [call("list", glob="*"), call("search", pattern="needle"), call("search", pattern="needle", path="work")]
    async with opened(audience, tmp_path, settings) as agent:
        await agent.prompt(TURN, "\n!then\n".join([*steps, "!say Done."]))
    changed = [fact for fact in audience.facts if isinstance(fact, ToolChanged)]
    listed, everywhere, there = (fact.output for fact in changed if isinstance(fact.output, str) and fact.output)
    open_to_it = ["work/.env.example", "work/plain.txt"]
    assert listed == "\n".join(["elsewhere.txt", *open_to_it])
    found = [f"{name}:1:needle in {Path(name).name}" for name in open_to_it]
    assert there == "\n".join(found)
    assert everywhere == "\n".join(["elsewhere.txt:1:needle behind a link", *found])


async def test_a_link_that_cant_be_followed_costs_a_list_nothing_else(
    agent: AcpAgent, audience: Audience, workspace: Path
) -> None:
    """As one into a folder that is closed to us."""
    (workspace / "far").symlink_to("x" * 300)
    (workspace / "folder").mkdir()
    (workspace / "plain.txt").write_text("")
    await agent.prompt(TURN, "\n!then\n".join([call("list"), "!say Done."]))
    assert set(tools(audience).values()) == {"completed"}
    changed = [fact for fact in audience.facts if isinstance(fact, ToolChanged)]
    assert "far\nfolder/\nplain.txt" in [fact.output for fact in changed]


async def test_a_search_that_does_not_fit_into_one_command_goes_on(
    agent: AcpAgent, audience: Audience, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many files there are, all are searched, and a pattern that is none is said so."""
    monkeypatch.setattr(look, "ARGUMENTS", 10)
    for number in range(5):
        (workspace / f"file{number}").write_text("needle\n" if number % 2 else "hay\n")
    steps = [call("search", pattern="needle"), call("search", pattern="(")]
    await agent.prompt(TURN, "\n!then\n".join([*steps, "!say Done."]))
    changed = [fact for fact in audience.facts if isinstance(fact, ToolChanged)]
    found, wrong = (fact.output for fact in changed if isinstance(fact.output, str) and fact.output)
    assert found == "file1:1:needle\nfile3:1:needle"
    assert "Unmatched" in str(wrong)


async def test_in_the_asking_mode_every_edit_and_command_asks(
    agent: AcpAgent, audience: Audience, workspace: Path
) -> None:
    await agent._connection.request("session/set_mode", {"sessionId": agent.reference, "modeId": "ask"})
    audience.on_permission = lambda asked: agent.answer_permission(asked.id, allow=True)
    steps = [call("write", path="a", content="x\n"), call("shell", command="ls"), call("read", path="a")]
    await agent.prompt(TURN, "\n!then\n".join([*steps, "!say Done."]))
    assert [(asked.command, asked.pattern_keys) for asked in audience.permissions] == [
        ("Write a", ("edit",)),
        ("ls", ()),
    ]
    assert audience.permissions[0].diffs[0].new == "x\n"
    assert (workspace / "a").read_text() == "x\n"


async def test_in_the_reading_mode_nothing_can_change(agent: AcpAgent, audience: Audience, model: Model) -> None:
    await agent._connection.request("session/set_mode", {"sessionId": agent.reference, "modeId": "read"})
    await agent.prompt(TURN, f"{call('shell', command='touch x')}\n!then\n!quote")
    assert audience.text == "Tool said: There is no tool 'shell' here."
    assert {tool["function"]["name"] for tool in model.requests[0]["tools"]} == {
        "read", "list", "search", "fetch", "ask", "plan",
    }  # fmt: skip


async def test_another_model_can_be_chosen_between_turns(agent: AcpAgent, model: Model) -> None:
    await agent._connection.request("session/set_model", {"sessionId": agent.reference, "modelId": "mock/org/mock-2"})
    await agent.prompt(TURN, "Hello")
    assert model.requests[-1]["model"] == "org/mock-2"


async def test_a_question_is_asked_and_its_answer_told(agent: AcpAgent, audience: Audience) -> None:
    audience.on_question = lambda asked: agent.answer_question(asked.id, "green")
    await agent.prompt(TURN, f"{call('ask', question='Which?', choices=['red', 'blue'])}\n!then\n!quote")
    (asked,) = audience.questions
    assert (asked.text, asked.choices, asked.free_text) == ("Which?", ("red", "blue"), True)
    assert audience.text == "Tool said: The user answered: green"


async def test_a_plan_is_shown(agent: AcpAgent, audience: Audience) -> None:
    steps = [{"text": "look", "status": "completed"}, {"text": "leap"}]
    await agent.prompt(TURN, f"{call('plan', steps=steps)}\n!then\n!say Done.")
    (plan,) = [fact for fact in audience.facts if isinstance(fact, PlanReplaced)]
    assert [(entry.text, entry.status) for entry in plan.entries] == [("look", "completed"), ("leap", "pending")]


async def test_arguments_that_make_no_sense_are_the_models_to_mend(agent: AcpAgent, audience: Audience) -> None:
    await agent.prompt(
        TURN, '!tool shell {"command": 1}\n!then\n!tool nonsense {}\n!then\n!tool read {"path"\n!then\n!say Hm.'
    )
    assert audience.text == "Hm."
    assert list(tools(audience).values()) == ["failed"] * 3


@pytest.mark.parametrize(
    ("script", "seen"),
    [
        ("!stream 100000 5", lambda audience: "word5 " in audience.text),
        ("!hang", lambda _: True),
        (call("shell", command="echo begun; sleep 600"), lambda audience: "begun" in output(audience)),
        (call("shell", command="rm -rf x"), lambda audience: audience.permissions),
        (call("ask", question="What?"), lambda audience: audience.questions),
        ("!error 429", notices),
        (call("fetch", url="http://127.0.0.1:9/"), lambda audience: audience.permissions),
    ],
    ids=["while it talks", "before its first word", "in a tool", "at an approval", "at a question", "between tries",
         "at a fetch"],
)  # fmt: skip
async def test_a_cancel_works_anywhere_and_so_does_the_next_turn(
    agent: AcpAgent, audience: Audience, model: Model, workspace: Path, script: str, seen: Callable[[Audience], object]
) -> None:
    prompting = asyncio.create_task(agent.prompt(TURN, script))
    await asyncio.to_thread(wait_until, lambda: model.requests, "a request")
    await audience.until(lambda: seen(audience))
    begun = time.monotonic()
    agent.cancel()
    assert await prompting == Result("cancelled")
    assert time.monotonic() - begun < 20  # a limit against hanging
    assert left(workspace) == set()
    assert await agent.prompt(NEXT, "!say Still here.") == Result("completed")
    assert audience.text.endswith("Still here.")


async def test_a_cancel_ends_a_fetch_that_waits_for_its_page(agent: AcpAgent, audience: Audience, model: Model) -> None:
    """The server has taken the request and says nothing."""
    audience.on_permission = lambda asked: agent.answer_permission(asked.id, allow=True)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        prompting = asyncio.create_task(agent.prompt(TURN, call("fetch", url=url)))
        connection, _ = await asyncio.to_thread(silent.accept)
        with connection:
            agent.cancel()
            assert await prompting == Result("cancelled")
    await agent.prompt(NEXT, "Well?")
    assert model.heard("tool") == ["The user stopped this."]


async def test_what_was_said_before_a_cancel_is_known_afterwards(
    agent: AcpAgent, audience: Audience, model: Model
) -> None:
    prompting = asyncio.create_task(agent.prompt(TURN, "!stream 100000 5"))
    await audience.until(lambda: "word5 " in audience.text)
    agent.cancel()
    await prompting
    await agent.prompt(NEXT, "What did you say?")
    assert model.heard("assistant")[0].startswith("word1 word2 word3 word4 word5 ")


async def test_a_tool_that_was_stopped_is_known_to_have_been(agent: AcpAgent, audience: Audience, model: Model) -> None:
    prompting = asyncio.create_task(agent.prompt(TURN, call("shell", command="echo begun; sleep 600")))
    await audience.until(lambda: "begun" in output(audience))
    agent.cancel()
    await prompting
    await agent.prompt(NEXT, "Well?")
    assert model.heard("tool") == ["The user stopped this."]


async def test_words_that_steer_go_in_before_the_next_request(
    agent: AcpAgent, audience: Audience, model: Model, workspace: Path
) -> None:
    command = "echo begun; while [ ! -f go ]; do sleep 0.05; done"
    prompting = asyncio.create_task(agent.prompt(TURN, f"{call('shell', command=command)}\n!then\n!say Done."))
    await audience.until(lambda: "begun" in output(audience))
    assert agent.can_steer
    assert await agent.steer("Use the blue one.")
    (workspace / "go").touch()
    assert await prompting == Result("completed")
    assert model.heard("user")[-1] == "Use the blue one."
    assert audience.text == "Hello from the mock."


async def test_words_that_come_during_the_last_answer_get_one_of_their_own(
    agent: AcpAgent, audience: Audience, model: Model
) -> None:
    prompting = asyncio.create_task(agent.prompt(TURN, "!stream 20 20"))
    await audience.until(lambda: "word3 " in audience.text)
    assert await agent.steer("And this?")
    assert await prompting == Result("completed")
    assert model.heard("user")[-1] == "And this?"
    assert audience.text.endswith("Hello from the mock.")
    assert not await agent.steer("Too late.")
