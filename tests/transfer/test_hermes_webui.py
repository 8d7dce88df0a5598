"""A session of hermes-webui, taken over: everything that it held stands where it stood."""

import asyncio
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import apsw
import msgspec
import pytest

from holdfast.core.events import DefaultsChosen, SessionRenamed
from holdfast.core.ids import HOUSE, SessionId
from holdfast.core.items import End, Item, Notice, Text, Thought, ToolCall, UserMessage
from holdfast.store.protocol import Store
from holdfast.transfer.hermes_webui.files import State
from holdfast.transfer.hermes_webui.source import Given, Source
from holdfast.transfer.identity import HERMES, imported_id, led_to
from holdfast.transfer.imports import take_in
from holdfast.transfer.incoming import Built, Incoming
from holdfast.transfer.report import Report, begun
from tests.transfer.stage import EVERYTHING, blobs, brought, items, opened, rows
from tests.transfer.webui import NOW, Webui, assistant, called, interrupted, result, user

MS = int(NOW * 1000)


class Taken:
    """What became of a folder."""

    def __init__(self, store: Store, home: Path, report: Report) -> None:
        self.store = store
        self.home = home
        self.report = report

    async def items(self, name: str = "one") -> list[Item]:
        return await items(self.store, imported_id(HERMES, name))

    async def last(self, name: str = "one") -> End:
        found = (await self.items(name))[-1]
        assert isinstance(found, End)
        return found

    @property
    def left(self) -> set[tuple[str, str]]:
        return {(left.name, left.what) for left in self.report.left}


@pytest.fixture
def webui(tmp_path: Path) -> Webui:
    return Webui(tmp_path / "hermes" / "webui")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


async def take(webui: Webui, home: Path, store: Store) -> Taken:
    return Taken(store, home, await brought(store, home, "hermes-webui", webui.folder))


def told(found: list[Item]) -> list[tuple[str, Any]]:
    """Items in short."""
    short: list[tuple[str, Any]] = []
    for item in found:
        match item:
            case UserMessage():
                short.append(("user", item.text))
            case Text():
                short.append(("text", item.flush()))
            case Thought():
                short.append(("thought", item.flush()))
            case ToolCall():
                short.append(("tool", (item.name, item.arguments, item.flush(), item.status)))
            case Notice():
                short.append(("notice", item.text))
            case End():
                short.append(("end", item.outcome))
            case _:
                short.append(("other", item))
    return short


async def test_messages_reasoning_and_tools_stand_in_their_order_with_their_times(webui: Webui, home: Path) -> None:
    messages = [
        user("Hello ☃", 1),
        called("c1", "read_file", 2, path="x"),
        result("c1", "words", 3),
        assistant("Done. <think>really?</think>Yes.", 4, reasoning="Let me see."),
        user([{"type": "text", "text": "Two"}, {"type": "text", "text": "parts"}], 5),
    ]
    webui.session("one", messages, title="About #snow", pinned=True, input_tokens=10, estimated_cost=0.5)
    async with opened(home) as store:
        taken = await take(webui, home, store)
        found = await taken.items()
        (row,) = await rows(store)
    assert told(found) == [
        ("user", "Hello ☃"),
        ("tool", ("read_file", '{"path": "x"}', "words", "completed")),
        ("thought", "Let me see."),
        ("text", "Done. "),
        ("thought", "really?"),
        ("text", "Yes."),
        ("end", "completed"),
        ("user", "Two\n\nparts"),
        ("end", "completed"),
    ]
    assert [item.time for item in found if isinstance(item, UserMessage)] == [MS + 1000, MS + 5000]
    assert (row.overview.title, row.overview.tags, row.overview.pinned) == ("About #snow", ("snow",), True)
    assert (row.overview.active_at, row.overview.cost, row.overview.unseen) == (MS + 5000, 500_000, False)
    assert taken.report.left == []


async def test_a_partial_answer_is_text_and_a_marker_ends_its_turn(webui: Webui, home: Path) -> None:
    calls = [
        {"name": "run", "args": {"a": 1}, "done": True, "snippet": "ok"},
        {"name": "wait", "args": {}, "done": False},
    ]
    webui.session(
        "one",
        [
            user("Go"),
            assistant("Half", _partial=True, reasoning="Why", _partial_tool_calls=calls),
            assistant("**Task cancelled:** Task cancelled.", _error=True),
            user("Again"),
            assistant("**Rate limit.** Try later.", _error=True, type="rate_limit"),
        ],
    )
    async with opened(home) as store:
        taken = await take(webui, home, store)
        found = await taken.items()
    assert told(found) == [
        ("user", "Go"),
        ("thought", "Why"),
        ("text", "Half"),
        ("tool", ("run", '{"a": 1}', "ok", "completed")),
        ("tool", ("wait", "{}", "", "interrupted")),
        ("end", "cancelled"),
        ("user", "Again"),
        ("end", "failed"),
    ]
    assert isinstance(found[-1], End)
    assert found[-1].error == "Rate limit. Try later."


@pytest.mark.contract("R2")
async def test_R2_a_marker_that_waits_is_resolved_by_the_journal(webui: Webui, home: Path) -> None:  # noqa: N802
    marker = interrupted(_pending_journal_recovery=True, _journal_retry_stream_id="run", _journal_retry_attempts=3)
    webui.session("one", [user("Go"), marker, user("Later", 9), assistant("Answer", 10)])
    events = [
        ("reasoning", {"text": "Hm"}),
        ("tool", {"name": "ls", "args": {}, "tid": "t"}),
        ("token", {"text": "Found"}),
    ]
    webui.journal("one", "run", events, torn='{"version":1')
    async with opened(home) as store:
        taken = await take(webui, home, store)
        found = await taken.items()
    assert told(found)[:5] == [
        ("user", "Go"),
        ("thought", "Hm"),
        ("tool", ("ls", "{}", "", "interrupted")),
        ("text", "Found"),
        ("end", "interrupted"),
    ]
    assert all(item.recovered for item in found[1:4])
    assert isinstance(found[4], End)
    assert (found[4].recovery, found[4].attempts, found[4].pending_since) == ("recovered", 0, 0)
    assert ("one", "1 lines of the journal of run run") in taken.left


@pytest.mark.contract("R4")
async def test_R4_a_marker_that_waits_for_nothing_becomes_neutral(webui: Webui, home: Path) -> None:  # noqa: N802
    marker = interrupted(_pending_journal_recovery=True, _journal_retry_stream_id="gone")
    webui.session("one", [user("Go"), marker])
    async with opened(home) as store:
        taken = await take(webui, home, store)
        end = await taken.last()
        state = (await store.open(imported_id(HERMES, "one"))).session
    assert (end.outcome, end.recovery, state.recovering) == ("interrupted", "neutral", {})


async def test_what_hermes_webui_recovered_itself_is_marked_so(webui: Webui, home: Path) -> None:
    found = assistant("Found", _recovered_from_run_journal=True)
    marker = assistant(
        "**Response interrupted.** It was recovered from the run journal.", _error=True, type="interrupted"
    )
    cards = [{"name": "ls", "args": {}, "done": True, "snippet": "a b", "tid": "journal-1", "assistant_msg_idx": 1}]
    webui.session("one", [user("Go"), found, marker], tool_calls=cards)
    async with opened(home) as store:
        taken = await take(webui, home, store)
        shown = await taken.items()
    assert told(shown) == [
        ("user", "Go"),
        ("text", "Found"),
        ("tool", ("ls", "{}", "a b", "completed")),
        ("end", "interrupted"),
    ]
    assert [item.recovered for item in shown] == [False, True, True, False]


@pytest.mark.parametrize("there", [True, False])
async def test_the_message_that_waits_is_taken_once(webui: Webui, home: Path, *, there: bool) -> None:
    webui.attach("one", "a.txt", b"bytes")
    last = [user("And now?", 20)] if there else []
    webui.session(
        "one",
        [user("Go"), assistant("Done"), *last],
        pending_user_message="And now?",
        pending_started_at=NOW + 20,
        pending_attachments=[{"name": "a.txt", "path": "/elsewhere/a.txt"}],
        active_stream_id="run",
    )
    webui.journal("one", "run", [("token", {"text": "Half"})])
    async with opened(home) as store:
        taken = await take(webui, home, store)
        found = await taken.items()
        row = (await rows(store))[0]
    assert told(found)[3:] == [("user", "And now?"), ("text", "Half"), ("end", "interrupted")]
    assert row.overview.state == "idle"
    assert isinstance(found[3], UserMessage)
    assert found[3].time == MS + 20_000
    assert [file.name for file in found[3].attachments] == ([] if there else ["a.txt"])


@pytest.mark.parametrize("text", ["", "First. "])
async def test_what_a_run_under_way_thought_stands_there_once(webui: Webui, home: Path, text: str) -> None:
    """Its messages have what it came to, its journal that and what came after, with words in between or without."""
    begun_with = called("t1", "ls", 2) | {"content": text, "reasoning": "Let me look."}
    pending = {"active_stream_id": "run", "pending_user_message": "Go", "pending_started_at": NOW + 1}
    webui.session("one", [user("Go", 1), begun_with], **pending)
    events = [
        ("reasoning", {"text": "Let me "}),
        ("reasoning", {"text": "look."}),
        *([("token", {"text": text})] if text else []),
        ("tool", {"name": "ls", "args": {}, "tid": "t1"}),
        ("tool_complete", {"name": "ls", "tid": "t1", "preview": "a b"}),
        ("reasoning", {"text": "So there are two."}),
        ("token", {"text": "Two"}),
    ]
    webui.journal("one", "run", events)
    async with opened(home) as store:
        found = await (await take(webui, home, store)).items()
    assert told(found) == [
        ("user", "Go"),
        ("thought", "Let me look."),
        *([("text", text)] if text else []),
        ("tool", ("ls", "{}", "a b", "completed")),
        ("thought", "So there are two."),
        ("text", "Two"),
        ("end", "interrupted"),
    ]


async def test_the_same_words_sent_again_are_another_message(webui: Webui, home: Path) -> None:
    webui.session(
        "one", [user("continue"), assistant("ok")], pending_user_message="continue", pending_started_at=NOW + 60
    )
    async with opened(home) as store:
        found = await (await take(webui, home, store)).items()
    assert [item[0] for item in told(found)] == ["user", "text", "end", "user", "end"]


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        (("done", {}), "completed"),
        (("cancel", {}), "cancelled"),
        (("apperror", {"type": "x", "message": "No"}), "failed"),
    ],
)
async def test_a_run_that_ended_unseen_ends_as_its_journal_says(
    webui: Webui, home: Path, event: tuple[str, Any], outcome: str
) -> None:
    webui.session("one", [], pending_user_message="Go", active_stream_id="run")
    webui.journal("one", "run", [("token", {"text": "All"}), event, ("stream_end", {})])
    async with opened(home) as store:
        found = await (await take(webui, home, store)).items()
    assert told(found) == [("user", "Go"), ("text", "All"), ("end", outcome)]


async def test_attachments_come_as_files_and_what_is_gone_is_said(webui: Webui, home: Path) -> None:
    webui.attach("one", "a.png", b"picture")
    webui.session("one", [user("See", attachments=["a.png", {"name": "gone.pdf", "mime": "application/pdf"}])])
    async with opened(home) as store:
        taken = await take(webui, home, store)
        found = await taken.items()
    message = found[0]
    assert isinstance(message, UserMessage)
    assert [file.name for file in message.attachments] == ["a.png"]
    assert blobs(home).path(message.attachments[0].blob).read_bytes() == b"picture"
    assert isinstance(found[1], Notice)
    assert "gone.pdf" in found[1].text
    assert ("one", "attachment 'gone.pdf'") in taken.left


async def test_projects_archive_and_source_come_along(webui: Webui, home: Path) -> None:
    webui.document("projects.json", [{"project_id": "p1", "name": "Garden", "color": "#0f0"}])
    webui.session("one", [user("Hi")], project_id="p1", archived=True, source_label="Telegram", personality="kind")
    async with opened(home) as store:
        await take(webui, home, store)
        (row,) = await rows(store, archived=True)
        records = await store.read(row.id, 1, 1)
    assert (row.overview.project, row.overview.tags) == ("Garden", ("Telegram",))
    event = json.loads(json.dumps(getattr(records[0].event, "details", "")))
    assert json.loads(event)["personality"] == "kind"


async def test_segments_of_a_compressed_conversation_are_one_row_and_all_there(webui: Webui, home: Path) -> None:
    webui.session("seg1", [user("First"), assistant("One")], pre_compression_snapshot=True)
    webui.session(
        "seg2",
        [user("First"), assistant("One"), user("Second")],
        parent_session_id="seg1",
        pre_compression_snapshot=True,
    )
    webui.session("seg3", [user("Third"), assistant("Three")], parent_session_id="seg2")
    webui.session("fork", [user("Other")], parent_session_id="seg3")
    async with opened(home) as store:
        taken = await take(webui, home, store)
        listed = {row.id for row in await rows(store)}
        kept = {row.id for row in await rows(store, archived=True)}
        tip = (await store.open(imported_id(HERMES, "seg3"))).session
        assert told(await taken.items("seg1"))[:2] == [("user", "First"), ("text", "One")]
    assert listed == {imported_id(HERMES, "seg3"), imported_id(HERMES, "fork")}
    assert kept == {imported_id(HERMES, "seg1"), imported_id(HERMES, "seg2")}
    assert tip.predecessor == imported_id(HERMES, "seg2")


async def test_a_session_that_goes_on_there_is_brought_again_unless_it_was_used_here(webui: Webui, home: Path) -> None:
    webui.session("one", [user("Hi")])
    webui.session("two", [user("Hi")])
    async with opened(home) as store:
        await take(webui, home, store)
        before = await store.read(imported_id(HERMES, "two"), 0, EVERYTHING)
        await store.append(imported_id(HERMES, "two"), [_renamed("Mine")])
        again = await take(webui, home, store)
        assert (again.report.known, again.report.taken, again.report.left) == (2, [], [])
        for name in ("one", "two"):
            webui.session(name, [user("Hi"), assistant("Hello")])
        third = await take(webui, home, store)
        assert [taken.name for taken in third.report.taken] == ["one"]
        assert third.left == {("two", "what has changed since the last import")}
        assert told(await third.items("one"))[1] == ("text", "Hello")
        assert (await store.read(imported_id(HERMES, "two"), 0, EVERYTHING))[: len(before)] == before


@pytest.mark.parametrize("what", ["the older copy", "the journal of messages"])
async def test_whatever_a_session_is_read_from_is_looked_at_again(webui: Webui, home: Path, what: str) -> None:
    """Not only its file: that may be damaged, and stay as it is."""
    path = webui.session("one", [user("Hi")])
    path.write_text("damaged", "utf-8")
    async with opened(home) as store:
        assert (await take(webui, home, store)).report.taken == []
        path.write_text('{"messages": []}', "utf-8")
        webui.submitted("one", "Hi", "run")
        assert len((await take(webui, home, store)).report.taken) == 1
        if what == "the older copy":
            path.with_name("one.json.bak").write_text(json.dumps({"messages": [user("Hi")]}), "utf-8")
        else:
            webui.submitted("one", "Hi again", "run")
        assert len((await take(webui, home, store)).report.taken) == 1
        assert (await take(webui, home, store)).report.taken == []


async def test_what_is_done_here_while_a_session_is_read_again_is_kept(webui: Webui, home: Path) -> None:
    """To read a session takes seconds, and people do not wait for it."""
    session = imported_id(HERMES, "one")
    webui.session("one", [user("Hi")])
    async with opened(home) as store:
        await take(webui, home, store)
        before = await store.read(session, 0, EVERYTHING)
        webui.session("one", [user("Hi"), assistant("Hello")])
        report = begun("hermes-webui", "there")
        await take_in(store, _Disturbed(webui, home, report, session), report, lambda _: None)
        assert [left.what for left in report.left] == ["what has changed since the last import"]
        assert (report.taken, report.known) == ([], 1)
        after = await store.read(session, 0, EVERYTHING)
        assert (after[:-1], after[-1].event) == (before, _renamed("Mine"))


class _Disturbed:
    """A folder, one session of which is renamed here by somebody just when it has been read there."""

    def __init__(self, webui: Webui, home: Path, report: Report, session: SessionId) -> None:
        given = Given(
            state=State(webui.folder), blobs=blobs(home), databases={}, agent_of=lambda _: ("scripted", False)
        )
        self._source = Source(given, report)
        self._home = home
        self._session = session

    def __len__(self) -> int:
        return len(self._source)

    def __iter__(self) -> Iterator[Incoming]:
        for incoming in self._source:
            yield msgspec.structs.replace(incoming, build=partial(self._build, incoming))

    def _build(self, incoming: Incoming) -> Built | None:
        built = incoming.build()
        somebody = Thread(target=lambda: asyncio.run(self._rename()))
        somebody.start()
        somebody.join()
        return built

    async def _rename(self) -> None:
        async with opened(self._home) as store:
            await store.append(self._session, [_renamed("Mine")])


def _renamed(title: str) -> SessionRenamed:
    return SessionRenamed(title=title)


async def test_a_damaged_file_is_read_as_far_as_it_can_be(webui: Webui, home: Path) -> None:
    path = webui.session("cut", [user("One"), assistant("Two"), user("Three " * 50)])
    path.write_bytes(path.read_bytes()[:-100])
    path = webui.session("copy", [user("One"), assistant("Two")])
    path.with_name("copy.json.bak").write_bytes(path.read_bytes())
    path.write_bytes(b"{")
    webui.session("journal", []).write_bytes(b"")
    webui.journal(
        "journal", "run", [("done", {"session": {"title": "Rescued", "messages": [user("Old"), assistant("New")]}})]
    )
    webui.session("turn", []).write_bytes(b"")
    webui.submitted("turn", "Was sent", "run")
    webui.session("gone", []).write_bytes(b"\xff\xfe")
    async with opened(home) as store:
        taken = await take(webui, home, store)
        assert told(await taken.items("cut"))[:2] == [("user", "One"), ("text", "Two")]
        assert told(await taken.items("copy"))[:2] == [("user", "One"), ("text", "Two")]
        assert told(await taken.items("journal"))[:2] == [("user", "Old"), ("text", "New")]
        assert told(await taken.items("turn")) == [("user", "Was sent"), ("end", "interrupted")]
    assert {left.name: left.what for left in taken.report.left if left.name in ("cut", "copy", "journal", "gone")} == {
        "cut": "a part of the session",
        "copy": "a part of the session",
        "journal": "a part of the session",
        "gone": "the whole session",
    }


def state_db(folder: Path) -> None:
    """A database as Hermes makes it, as far as we look at it."""
    database = apsw.Connection(str(folder / "state.db"))
    database.execute(
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, title TEXT, started_at REAL,"
        " ended_at REAL, end_reason TEXT, message_count INT, parent_session_id TEXT, cwd TEXT, archived INT);"
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,"
        " tool_calls TEXT, tool_name TEXT, timestamp REAL, reasoning TEXT, active INT, compacted INT);"
    )
    for name, source, title in (("one", "webui", "Both"), ("cli1", "cli", "In the terminal"), ("sub", "subagent", "")):
        database.execute(
            "INSERT INTO sessions (id, source, title, started_at) VALUES (?, ?, ?, ?)", (name, source, title, NOW)
        )
    calls = json.dumps([{"id": "c", "function": {"name": "ls", "arguments": "{}"}}])
    for name in ("cli1", "sub"):
        for row in (
            (name, "user", "[list] files", None, None, 1, 0),
            (name, "assistant", "", None, calls, 1, 0),
            (name, "tool", "a b", "c", None, 1, 0),
            (name, "assistant", "There are two.", None, None, 0, 1),
            (name, "user", "taken back", None, None, 0, 0),
        ):
            database.execute(
                "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, active, compacted,"
                " timestamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, NOW),
            )
    database.close()


async def test_sessions_of_the_terminal_come_from_the_database(webui: Webui, home: Path) -> None:
    state_db(webui.folder.parent)
    webui.session("one", [user("Hi")])
    async with opened(home) as store:
        taken = await take(webui, home, store)
        assert taken.report.found == 3
        assert told(await taken.items("cli1")) == [
            ("user", "[list] files"),
            ("tool", ("ls", "{}", "a b", "completed")),
            ("text", "There are two."),
            ("end", "completed"),
        ]
        titles = {row.overview.title: row.overview.tags for row in await rows(store)}
        away = [row.id for row in await rows(store, archived=True)]
    assert titles == {"Session one": (), "In the terminal": ("cli",)}
    assert away == [imported_id(HERMES, "sub")]


async def test_an_old_name_leads_to_the_session(webui: Webui, home: Path) -> None:
    webui.session("0123456789ab", [user("Hi")])
    async with opened(home) as store:
        await take(webui, home, store)
        (row,) = await rows(store)
        assert await led_to(store, "0123456789ab") == row.id
        assert await led_to(store, row.id) == SessionId(row.id)


async def test_a_message_that_has_no_place_is_reported_once_and_not_counted(webui: Webui, home: Path) -> None:
    """What is counted can be found here, and what is not is in the report, each once."""
    odd: list[Any] = [7, None, "words", {}]
    system = {"role": "system", "content": "Be kind."}
    marker = assistant("**Task cancelled:** Task cancelled.", _error=True)
    webui.session("one", [system, user("Go"), *odd, assistant("Half"), marker, marker])
    webui.session("two", [])
    webui.submitted("two", "Sent", "run")
    async with opened(home) as store:
        taken = await take(webui, home, store)
        assert told(await taken.items()) == [("user", "Go"), ("text", "Half"), ("end", "cancelled")]
    assert {each.name: each.messages for each in taken.report.taken} == {"one": 3, "two": 1}
    assert sorted(left.what for left in taken.report.left if left.name == "one") == sorted(
        [
            "message 1 of the kind 'system'",
            *(f"message {number}" for number in range(3, 7)),
            "a second marker ('**Task cancelled:** Task cancelled.')",
        ]
    )


async def test_what_came_to_nothing_is_left_whole(webui: Webui, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a session that could not be brought no part is reported beside it."""
    webui.session("one", [{"role": "system", "content": "Be kind."}, user("Go")])
    monkeypatch.setattr(Source, "_built", lambda *_, **__: 1 // 0)
    async with opened(home) as store:
        taken = await take(webui, home, store)
    assert [(left.name, left.what) for left in taken.report.left if left.name] == [("one", "the whole session")]


async def test_tags_projects_and_models_that_are_not_taken_are_told(webui: Webui, home: Path) -> None:
    webui.document("projects.json", [{"project_id": "p1", "name": "Work"}, {"project_id": "p2", "name": "Empty"}])
    webui.session("one", [user("Hi")], project_id="p1", tags=["blue", 7], model="mock-2", title="A #sea")
    webui.session("two", [user("Hi")], tags=[f"tag{number}" for number in range(22)], model="mock-1")
    webui.session("three", [user("Hi")])
    async with opened(home) as store:
        taken = await take(webui, home, store)
        tags = {row.overview.title: row.overview.tags for row in await rows(store)}
        assert (await take(webui, home, store)).left == {("", "the project Empty")}
    assert tags["A #sea"] == ("blue", "sea")
    assert len(tags["Session two"]) == 20
    assert taken.left == {
        ("", "the project Empty"),
        ("", "the model mock-1 of 1 session"),
        ("", "the model mock-2 of 1 session"),
        ("one", "tags (7)"),
        ("two", "tags (tag20, tag21)"),
    }


async def test_a_history_that_only_the_model_had_is_told_of(webui: Webui, home: Path) -> None:
    """After a compression; one that is what is shown, without its markers, is nothing of its own."""
    messages = [user("Go"), assistant("Half"), assistant("**Oh.**", _error=True), user("On"), assistant("Done")]
    same = [{"role": each["role"], "content": each["content"]} for each in messages if "_error" not in each]
    webui.session("same", messages, context_messages=same)
    webui.session("less", messages, context_messages=[user("In short: Half."), *same[2:]])
    async with opened(home) as store:
        taken = await take(webui, home, store)
    assert taken.left == {("less", "what its model was given instead of the messages (3 messages)")}


async def test_defaults_that_are_not_taken_are_told_with_the_reason(webui: Webui, home: Path) -> None:
    """Unless they are what was chosen here already."""
    webui.document("settings.json", {"default_model": "m", "default_workspace": "/nowhere/at/all"})
    async with opened(home) as store:
        first = await take(webui, home, store)
        await store.append(HOUSE, [DefaultsChosen(workspace=str(home))])
        webui.document("settings.json", {"default_workspace": str(home.parent)})
        second = await take(webui, home, store)
        webui.document("settings.json", {"default_workspace": str(home)})
        third = await take(webui, home, store)
        await store.append(HOUSE, [DefaultsChosen(workspace="")])
        fourth = await take(webui, home, store)
        await store.append(HOUSE, [DefaultsChosen(workspace="")])
        fifth = await take(webui, home, store)
    assert [left.what for left in first.report.left] == ["default_model", "default_workspace"]
    assert "Hermes is not there" in first.report.left[0].why
    assert "/nowhere/at/all" in first.report.left[1].why
    assert ["another folder" in left.why for left in second.report.left] == [True]
    assert third.report.left == []
    assert (fourth.report.settings, fourth.report.left) == (["default_workspace"], [])
    assert ["overruled" in left.why for left in fifth.report.left] == [True]


async def test_settings_that_mean_something_here_are_taken_and_the_rest_is_told(webui: Webui, home: Path) -> None:
    webui.document("settings.json", {"default_workspace": str(home.parent), "theme": "dark"})
    webui.session("one", [user("Hi")], composer_draft={"text": "unsent"})
    async with opened(home) as store:
        taken = await take(webui, home, store)
        again = await take(webui, home, store)
    assert (taken.report.settings, again.report.settings) == (["default_workspace"], [])
    assert taken.left == {("one", "a draft"), ("", "settings (theme)")}
