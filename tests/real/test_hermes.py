"""Real Hermes through the whole stack: what it says and does is what a person sees and decides."""

from pathlib import Path
from typing import Any

import pytest

from tests.journeys.patience import wait_until
from tests.journeys.transcript import Transcript
from tests.real.desk import Desk, tool
from tests.real.model import words_of

pytestmark = pytest.mark.agents
Json = dict[str, Any]


def kinds(seen: Transcript, turn: str) -> list[str]:
    return [item["type"] for item in seen.of(turn)]


def the(seen: Transcript, turn: str, kind: str) -> list[Json]:
    return [item for item in seen.of(turn) if item["type"] == kind]


def test_words_thoughts_usage_and_a_title(desk: Desk) -> None:
    session, _ = desk.begin()
    turn, seen = desk.say(session, "@think Let me see.\n@say Hello there.")
    assert kinds(seen, turn) == ["user", "thought", "text", "end"]
    assert seen.text(turn) == "Hello there."
    assert the(seen, turn, "thought")[0]["text"] == "Let me see."
    assert seen.end(turn)["outcome"] == "completed"
    used = seen.end(turn)["usage"]
    assert (used["input"], used["output"], used["cached"], used["reasoning"]) == (900, 20, 100, 7)
    again, seen = desk.say(session, "@say Once more.")
    assert seen.end(again)["usage"]["input"] == 900, "what a turn used, not what the agent used in all"
    wait_until(lambda: desk.person.look(session).session.get("title") == "A title from the model", "the title")


def test_a_tool_with_its_arguments_and_its_result(desk: Desk) -> None:
    session, _ = desk.shared()
    turn, seen = desk.say(session, f"@say I look.\n{tool('terminal', command='echo one two; exit 3')}\n@say Done.")
    assert kinds(seen, turn) == ["user", "text", "tool", "text", "end"]
    (used,) = the(seen, turn, "tool")
    assert used["name"] == "terminal"
    assert used["arguments"] == '{"command":"echo one two; exit 3"}'
    assert used["output"] == "one two"
    assert used["status"] == "failed", "a command that ends with 3 has failed"
    assert seen.text(turn) == "I look.Done."
    messages = [message for body in desk.model.received("I look.") for message in body["messages"]]
    called = {call["id"] for message in messages for call in message.get("tool_calls") or ()}
    assert used["call"] in called, "the provider's own id"


def test_two_tools_at_once(desk: Desk) -> None:
    session, workspace = desk.shared()
    (workspace / "a").write_text("first")
    (workspace / "b").write_text("second")
    script = f"{tool('read_file', path='a')}\n{tool('read_file', path='b')}\n@say Read both."
    turn, seen = desk.say(session, script)
    assert kinds(seen, turn) == ["user", "tool", "tool", "text", "end"]
    first, second = the(seen, turn, "tool")
    assert "first" in first["output"]
    assert "second" in second["output"]
    assert (first["status"], second["status"]) == ("completed", "completed")


def test_an_approved_command_runs_and_a_refused_one_does_not(desk: Desk) -> None:
    session, workspace = desk.shared()
    (workspace / "x").mkdir(exist_ok=True)
    turn = desk.person.say(session, tool("terminal", command=f"rm -rf {workspace}/x"))
    ask = desk.ask(session)
    assert ask["command"] == f"rm -rf {workspace}/x"
    assert ask["directory"] == str(workspace)
    assert ask["pattern_keys"], "Hermes' own keys are carried"
    assert ask["description"]
    assert (workspace / "x").exists(), "nothing is done before somebody decides"
    desk.answer(session, ask, choice="deny", reason="I still need it")
    seen = desk.ended(session, turn)
    assert (workspace / "x").exists()
    assert "I still need it" in seen.text(turn), "the model hears the reason"
    assert the(seen, turn, "tool")[0]["status"] == "failed"

    turn = desk.person.say(session, tool("terminal", command=f"rm -rf {workspace}/x"))
    desk.answer(session, desk.ask(session), choice="once")
    seen = desk.ended(session, turn)
    assert not (workspace / "x").exists()
    assert the(seen, turn, "approval")[0]["state"] == "delivered"


def test_a_remembered_answer_is_ours_and_hermes_asks_again(desk: Desk) -> None:
    session, workspace = desk.begin()
    before = (desk.hermes / "config.yaml").read_text()
    first = desk.person.say(session, tool("terminal", command=f"rm -rf {workspace}/x"))
    desk.answer(session, desk.ask(session), choice="session")
    desk.ended(session, first)
    turn, seen = desk.say(session, tool("terminal", command=f"rm -rf {workspace}/y"))
    (approval,) = the(seen, turn, "approval")
    assert approval["by"] == "rule"
    assert (desk.hermes / "config.yaml").read_text() == before


def test_a_question_and_its_answer(desk: Desk) -> None:
    session, _ = desk.shared()
    turn = desk.person.say(session, tool("clarify", question="Which colour?", choices=["red", "green"]))
    ask = desk.ask(session)
    assert (ask["text"], ask["choices"], ask.get("free_text", True)) == ("Which colour?", ["red", "green"], True)
    desk.answer(session, ask, text="blue")
    assert '"user_response": "blue"' in desk.ended(session, turn).text(turn)


def test_a_password_for_sudo_is_asked_for_and_written_nowhere(desk: Desk) -> None:
    session, _ = desk.shared()
    turn = desk.person.say(session, tool("terminal", command="sudo -k true"))
    ask = desk.ask(session)
    assert "sudo -k true" in ask["text"]
    assert ask["secret"]
    desk.answer(session, ask, text="hunter2-9911")
    desk.ended(session, turn)
    assert "hunter2-9911" not in str(desk.person.records(session))
    assert "hunter2-9911" not in str(desk.model.requests)


def test_a_skill_of_hermes_is_offered_to_the_model_and_read(desk: Desk) -> None:
    skill(desk, "tides", "The tide turns at noon.")
    session, _ = desk.begin()
    turn, seen = desk.say(session, f"@say Let me see the tides.\n{tool('skill_view', name='tides')}\n@say Done.")
    (first, *_) = desk.model.received("Let me see the tides.")
    assert "tides: About tides" in words_of(first["messages"][0]), "the model is told which there are"
    (read,) = the(seen, turn, "tool")
    assert (read["name"], read["status"]) == ("skill_view", "completed")
    assert "The tide turns at noon." in read["output"]


def test_a_key_that_a_skill_needs_is_asked_for_and_kept_by_hermes_alone(desk: Desk) -> None:
    skill(desk, "beacon", "Light it.", "required_environment_variables: [{name: BEACON_KEY, prompt: The key}]")
    session, _ = desk.shared()
    turn = desk.person.say(session, tool("skill_view", name="beacon"))
    ask = desk.ask(session)
    assert "BEACON_KEY" in ask["text"]
    assert ask["secret"]
    desk.answer(session, ask, text="lamp-oil-4417")
    (read,) = the(desk.ended(session, turn), turn, "tool")
    assert "Light it." in read["output"]
    assert "BEACON_KEY=lamp-oil-4417" in (desk.hermes / ".env").read_text()
    assert "lamp-oil-4417" not in str(desk.person.records(session))
    assert "lamp-oil-4417" not in str(desk.model.requests)


def skill(desk: Desk, name: str, body: str, needs: str = "") -> None:
    """Put a skill where Hermes looks for them."""
    folder = desk.hermes / "skills" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: About {name}\n{needs}\n---\n\n{body}\n")


def test_cancel_while_it_speaks_and_the_next_turn(desk: Desk) -> None:
    session, _ = desk.shared()
    turn = desk.person.say(session, "@stream 2000 20")
    desk.seen(session, turn, "w5 ")
    desk.person.cancel(session, turn).raise_for_status()
    seen = desk.ended(session, turn)
    assert seen.end(turn)["outcome"] == "cancelled"
    assert seen.text(turn).startswith("w1 w2 w3 w4 w5 ")
    turn, seen = desk.say(session, "@say Still here.")
    assert seen.text(turn) == "Still here."


def test_cancel_while_a_tool_runs_and_the_next_turn(desk: Desk) -> None:
    session, workspace = desk.shared()
    turn = desk.person.say(session, tool("terminal", command=f"touch {workspace}/begun; sleep 600"))
    wait_until((workspace / "begun").exists, "the tool", 120)
    desk.person.cancel(session, turn).raise_for_status()
    seen = desk.ended(session, turn)
    assert seen.end(turn)["outcome"] == "cancelled"
    agents = desk.house.tree(session)
    turn, seen = desk.say(session, "@say Still here.")
    assert seen.text(turn) == "Still here."
    assert seen.end(turn)["outcome"] == "completed"
    assert desk.house.tree(session) & agents, "the same process goes on: it stopped when it was asked to"


def test_cancel_while_an_approval_waits(desk: Desk) -> None:
    session, workspace = desk.shared()
    (workspace / "x").mkdir(exist_ok=True)
    turn = desk.person.say(session, tool("terminal", command=f"rm -rf {workspace}/x"))
    desk.ask(session)
    desk.person.cancel(session, turn).raise_for_status()
    assert desk.ended(session, turn).end(turn)["outcome"] == "cancelled"
    assert (workspace / "x").exists()
    turn, seen = desk.say(session, "@say Still here.")
    assert seen.text(turn) == "Still here."


def test_words_while_it_works_reach_the_model(desk: Desk) -> None:
    session, workspace = desk.shared()
    turn = desk.person.say(session, tool("terminal", command=f"while [ ! -e {workspace}/go ]; do sleep 0.1; done"))
    desk.tool_running(session, turn)
    desk.person.say(session, "prefer the blue one", mode="steer")
    wait_until(lambda: the(desk.person.look(session), turn, "steer"), "the words", 60)
    (workspace / "go").touch()
    desk.ended(session, turn)
    told = desk.model.received(f"{workspace}/go")[-1]["messages"]
    assert any("prefer the blue one" in str(message["content"]) for message in told)


def test_words_that_no_tool_follows_are_the_next_thing_it_hears(desk: Desk) -> None:
    session, _ = desk.shared()
    turn = desk.person.say(session, "@stream 60 50")
    desk.seen(session, turn, "w2 ")
    desk.person.say(session, "@say Heard you.", mode="steer")
    seen = desk.ended(session, turn)
    assert seen.text(turn).endswith("Heard you.")


def test_a_sub_agents_dangerous_command_raises_a_card(desk: Desk) -> None:
    session, workspace = desk.shared()
    (workspace / "x").mkdir(exist_ok=True)
    goal = f"@say I am below.\n{tool('terminal', command=f'rm -rf {workspace}/x')}"
    turn = desk.person.say(session, tool("delegate_task", goal=goal, context="none"))
    ask = desk.ask(session)
    assert ask["command"] == f"rm -rf {workspace}/x"
    above = next(item for item in desk.person.look(session).of(turn) if item.get("name") == "delegate_task")
    assert ask["parent"] == above["call"]
    desk.answer(session, ask, choice="deny", reason="not from below")
    seen = desk.ended(session, turn)
    assert (workspace / "x").exists()
    below = [item for item in seen.of(turn) if item.get("parent") == above["call"]]
    assert {"text", "tool", "approval"} <= {item["type"] for item in below}
    assert any("not from below" in str(body) for body in desk.model.received("I am below."))


def test_a_sub_agents_command_that_is_allowed_runs(desk: Desk) -> None:
    session, workspace = desk.shared()
    (workspace / "x").mkdir(exist_ok=True)
    goal = f"@say I am below, too.\n{tool('terminal', command=f'rm -rf {workspace}/x')}"
    turn = desk.person.say(session, tool("delegate_task", goal=goal, context="none"))
    desk.answer(session, desk.ask(session), choice="once")
    seen = desk.ended(session, turn)
    assert not (workspace / "x").exists()
    (used,) = [item for item in the(seen, turn, "tool") if item.get("parent")]
    assert used["status"] == "completed"


def test_a_sub_agents_sudo_asks_for_the_password(desk: Desk) -> None:
    session, _ = desk.begin()
    goal = f"@say I am below, three.\n{tool('terminal', command='sudo -k true')}"
    turn = desk.person.say(session, tool("delegate_task", goal=goal, context="none"))
    ask = desk.ask(session)
    assert (ask["secret"], "sudo -k true" in ask["text"]) == (True, True)
    desk.answer(session, ask, text="hunter2-8822")
    desk.ended(session, turn)
    assert "hunter2-8822" not in str(desk.person.records(session))


def test_an_edit_is_shown_as_a_diff(desk: Desk) -> None:
    session, workspace = desk.shared()
    (workspace / "n.txt").write_text("one\ntwo\n")
    script = f"{tool('patch', path='n.txt', old_string='two', new_string='three')}"
    turn, seen = desk.say(session, script)
    (used,) = the(seen, turn, "tool")
    assert used["diffs"] == [{"path": f"{workspace}/n.txt", "old": "one\ntwo\n", "new": "one\nthree\n"}]
    assert not the(seen, turn, "approval"), "in this mode edits are not asked for"


def test_edits_ask_in_the_mode_that_says_so(desk: Desk) -> None:
    session, workspace = desk.begin(mode="ask")
    turn = desk.person.say(session, tool("write_file", path="n.txt", content="hello\n"))
    ask = desk.ask(session)
    assert ask["diffs"] == [{"path": f"{workspace}/n.txt", "new": "hello\n"}]
    desk.answer(session, ask, choice="deny", reason="somewhere else")
    assert "somewhere else" in desk.ended(session, turn).text(turn)
    assert not (workspace / "n.txt").exists()

    turn = desk.person.say(session, tool("write_file", path="n.txt", content="hello\n"))
    desk.answer(session, desk.ask(session), choice="once")
    desk.ended(session, turn)
    assert (workspace / "n.txt").read_text() == "hello\n"


def test_a_patch_is_shown_before_it_is_made(desk: Desk) -> None:
    """In one place of a file, and of several files at once: one changed, one new, one gone, one moved."""
    session, workspace = desk.begin(mode="ask")
    (workspace / "n.txt").write_text("one\ntwo\n")
    (workspace / "old.txt").write_text("old\n")
    (workspace / "from.txt").write_text("same\n")
    turn = desk.person.say(session, tool("patch", path="n.txt", old_string="two", new_string="three"))
    ask = desk.ask(session)
    assert ask["diffs"] == [{"path": f"{workspace}/n.txt", "old": "one\ntwo\n", "new": "one\nthree\n"}]
    desk.answer(session, ask, choice="deny")
    desk.ended(session, turn)

    lines = [
        "*** Begin Patch",
        "*** Update File: n.txt",
        "@@",
        " one",
        "-two",
        "+four",
        "*** Add File: new.txt",
        "+new",
    ]
    lines += ["*** Delete File: old.txt", "*** Move File: from.txt -> to.txt", "*** End Patch"]
    turn = desk.person.say(session, tool("patch", mode="patch", patch="\n".join(lines)))
    ask = desk.ask(session)
    shown = {Path(diff["path"]).name: (diff.get("old"), diff["new"]) for diff in ask["diffs"]}
    assert shown == {
        "n.txt": ("one\ntwo\n", "one\nfour\n"),
        "new.txt": (None, "new"),
        "old.txt": ("old\n", ""),
        "from.txt": ("same\n", ""),
        "to.txt": (None, "same\n"),
    }
    assert (workspace / "n.txt").read_text() == "one\ntwo\n", "nothing is done before somebody decides"
    desk.answer(session, ask, choice="once")
    desk.ended(session, turn)
    left = {path.name: path.read_text().strip() for path in workspace.glob("*.txt")}
    assert left == {"n.txt": "one\nfour", "new.txt": "new", "to.txt": "same"}


def test_a_model_decides_only_where_that_was_chosen(desk: Desk) -> None:
    """Hermes' own default is that a model decides: nothing of that is in force unless a person chose it here."""
    session, workspace = desk.begin(mode="smart")
    judged = len(desk.model.judged)
    (workspace / "x").mkdir()
    turn, seen = desk.say(session, tool("terminal", command=f"rm -rf {workspace}/x"))
    assert not (workspace / "x").exists()
    assert len(desk.model.judged) == judged + 1
    (approval,) = the(seen, turn, "approval")
    assert (approval["by"], approval["choice"], approval["state"]) == ("agent", "once", "delivered")
    assert approval["command"] == f"rm -rf {workspace}/x"

    other, workspace = desk.begin()
    judged = len(desk.model.judged)
    turn = desk.person.say(other, tool("terminal", command=f"rm -rf {workspace}/x"))
    desk.answer(other, desk.ask(other), choice="deny")
    desk.ended(other, turn)
    assert len(desk.model.judged) == judged


def test_what_a_model_advises_against_is_a_persons_to_decide(desk: Desk) -> None:
    session, workspace = desk.begin(mode="smart")
    desk.model.verdict = "DENY"
    try:
        turn = desk.person.say(session, tool("terminal", command=f"rm -rf {workspace}/x"))
        ask = desk.ask(session)
        assert "advises against" in ask["description"]
        desk.answer(session, ask, choice="deny")
        desk.ended(session, turn)
    finally:
        desk.model.verdict = "APPROVE"


def test_a_list_of_things_to_do_is_a_plan(desk: Desk) -> None:
    session, _ = desk.shared()
    todos = [{"id": "1", "content": "look", "status": "completed"}, {"id": "2", "content": "act", "status": "pending"}]
    turn, seen = desk.say(session, tool("todo", todos=todos))
    (plan,) = the(seen, turn, "plan")
    assert [(entry["text"], entry.get("status", "pending")) for entry in plan["entries"]] == [
        ("look", "completed"),
        ("act", "pending"),
    ]


def test_a_broken_provider_is_an_error_and_the_next_turn_works(desk: Desk) -> None:
    session, _ = desk.shared()
    turn, seen = desk.say(session, "@error 500")
    assert seen.end(turn)["outcome"] == "failed"
    assert "500" in seen.end(turn)["error"] or "broken" in seen.end(turn)["error"]
    assert the(seen, turn, "notice"), "that it tried again is said"
    turn, seen = desk.say(session, "@say All is well.")
    assert seen.text(turn) == "All is well."


def test_a_dropped_connection_is_taken_up_again(desk: Desk) -> None:
    session, _ = desk.shared()
    turn, seen = desk.say(session, "@drop 5")
    assert seen.text(turn) == "d1 d2 d3 d4 d5 Hello from the model."
    assert seen.end(turn)["outcome"] == "completed"


def test_another_model_can_be_chosen_for_a_session(desk: Desk) -> None:
    session, _ = desk.begin(model="mock-2")
    desk.say(session, "@say Which am I? 7f3a")
    assert desk.model.received("Which am I? 7f3a")[0]["model"] == "mock-2"


def test_a_picture_reaches_the_model(desk: Desk) -> None:
    session, _ = desk.shared()
    picture = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
    )
    attached = desk.attach("dot.png", picture, "image/png")
    turn = desk.person.say(session, "@say I see it. 91cc", attachments=[attached])
    desk.ended(session, turn)
    assert any("data:image/png;base64," in str(body["messages"]) for body in desk.model.requests)
