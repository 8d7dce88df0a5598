"""What is kept of a conversation, whatever cut it off."""

from pathlib import Path

from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from holdfast.agents.builtin.history import INTERRUPTED, History, spoken

ASKED = ModelRequest(parts=[UserPromptPart(content="Do it.")])
CALLED = ModelResponse(
    parts=[
        TextPart(content="I will. "),
        ToolCallPart(tool_name="shell", args="{}", tool_call_id="a"),
        ToolCallPart(tool_name="shell", args="{}", tool_call_id="b"),
    ]
)
DONE = ModelRequest(parts=[ToolReturnPart(tool_name="shell", content="ok", tool_call_id="a")])


def results(history: History) -> dict[str, str]:
    parts = [part for message in history.view for part in message.parts if isinstance(part, ToolReturnPart)]
    return {part.tool_call_id: str(part.content) for part in parts}


def again(folder: Path) -> History:
    history = History.take_up(folder, "c")
    assert history is not None
    return history


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    history = History.begin(tmp_path, "c")
    history.choose(mode="ask", model="mock/m")
    history.append(ASKED)
    history.append(CALLED)
    found = again(tmp_path)
    assert (found.mode, found.model) == ("ask", "mock/m")
    assert [type(message) for message in found.messages] == [ModelRequest, ModelResponse]
    assert oct((tmp_path / "c.jsonl").stat().st_mode)[-3:] == "600"


def test_a_call_without_a_result_is_told_to_have_been_interrupted(tmp_path: Path) -> None:
    History.begin(tmp_path, "c").append(ASKED, CALLED, DONE)
    history = again(tmp_path)
    assert results(history) == {"a": "ok", "b": INTERRUPTED}
    history.append(ASKED)
    kinds = [type(message.parts[0]).__name__ for message in history.view]
    assert kinds == ["UserPromptPart", "TextPart", "ToolReturnPart", "ToolReturnPart", "UserPromptPart"]


def test_a_line_that_was_cut_off_is_no_line_and_spoils_none(tmp_path: Path) -> None:
    history = History.begin(tmp_path, "c")
    history.append(ASKED)
    with (tmp_path / "c.jsonl").open("ab") as file:
        file.write(b'{"said": [{"parts": [{"cont')
    again(tmp_path).append(CALLED)
    assert len(again(tmp_path).messages) == 2


def test_every_prefix_of_the_file_is_a_conversation_that_can_go_on(tmp_path: Path) -> None:
    history = History.begin(tmp_path, "c")
    history.append(ASKED)
    history.append(CALLED)
    history.append(DONE)
    whole = (tmp_path / "c.jsonl").read_bytes()
    for length in range(0, len(whole), 7):
        (tmp_path / "c.jsonl").write_bytes(whole[:length])
        view = again(tmp_path).view
        calls = {part.tool_call_id for message in view for part in message.parts if isinstance(part, ToolCallPart)}
        assert calls == set(results(again(tmp_path)))


def test_a_summary_stands_for_all_before_it(tmp_path: Path) -> None:
    history = History.begin(tmp_path, "c")
    history.append(ASKED, CALLED, DONE)
    history.replace([ModelRequest(parts=[UserPromptPart(content="Summary")])])
    history.append(ModelResponse(parts=[TextPart(content="On.")]))
    assert len(again(tmp_path).messages) == 2


def test_what_people_saw_of_an_answer_is_taken_over_once(tmp_path: Path) -> None:
    history = History.begin(tmp_path, "c")
    history.append(ASKED)
    history.remember("Half an ans")
    history.remember("Half an ans")
    assert spoken(history.messages) == "Half an ans"
    assert len(history.messages) == 2


def test_only_what_is_new_of_it_is_taken_over(tmp_path: Path) -> None:
    history = History.begin(tmp_path, "c")
    history.append(ASKED, CALLED)
    history.remember("I will. And then")
    assert spoken(history.messages) == "I will. And then"
    assert results(history) == {"a": INTERRUPTED, "b": INTERRUPTED}


def test_a_name_that_is_a_path_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").touch()
    assert History.take_up(tmp_path / "sub", "../c") is None
    assert History.take_up(tmp_path, "d") is None
