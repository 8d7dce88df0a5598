"""What a person may do now, and what they are told when they may not."""

from typing import Any

import msgspec
import pytest

from holdfast.core import commands as c
from holdfast.core import events as e
from holdfast.core.decide import TITLE_LENGTH, Decision, decide, took_effect
from holdfast.core.errors import BadCommand, NoSuchAsk, NoSuchTurn, NotNow, Refused
from holdfast.core.ids import AskId, CallId, SteerId, TurnId
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from tests.core.wild import ATTACHMENT

T1, T2, T3, NOWHERE = TurnId("t1"), TurnId("t2"), TurnId("t3"), TurnId("nowhere")
PHONE = "phone"
ONE_OF = ("red", "blue")


def session_of(*events: e.Event) -> Session:
    """Facts are those of epoch 1."""
    return replay([placed(seq, event) for seq, event in enumerate(events, start=1)])


def placed(seq: int, event: e.Event) -> Record:
    return Record(seq=seq, time=1_000 + seq, epoch=1 if isinstance(event, e.Fact) else 0, event=event)


@pytest.fixture
def busy() -> Session:
    """t1 has ended, t2 runs with four asks open, t3 waits."""
    return session_of(
        e.RunnerStarted(),
        e.TurnSubmitted(turn=T1, text="one"),
        e.TurnStarted(turn=T1),
        e.TurnEnded(turn=T1, outcome="completed"),
        e.TurnSubmitted(turn=T2, text="two"),
        e.TurnStarted(turn=T2),
        e.TurnSubmitted(turn=T3, text="three"),
        e.ApprovalRequested(ask=AskId("may"), turn=T2, command="ls", call=CallId("c1"), choices=("once", "deny")),
        e.QuestionAsked(ask=AskId("free"), turn=T2, text="Which?", choices=ONE_OF),
        e.QuestionAsked(ask=AskId("fixed"), turn=T2, text="Which?", choices=ONE_OF, free_text=False),
        e.QuestionAsked(ask=AskId("secret"), turn=T2, text="The password?", secret=True),
    )


@pytest.fixture
def idle() -> Session:
    """t1 has ended, t2 is held because it failed."""
    return session_of(
        e.RunnerStarted(),
        e.TurnSubmitted(turn=T1, text="one"),
        e.TurnSubmitted(turn=T2, text="two"),
        e.TurnStarted(turn=T1),
        e.TurnEnded(turn=T1, outcome="failed", error="It broke."),
    )


ACCEPTED: list[tuple[str, c.Command, tuple[e.Event, ...], str | None]] = [
    ("submit", c.SubmitTurn(turn=NOWHERE, text="go"), (e.TurnSubmitted(turn=NOWHERE, text="go"),), "turn:nowhere"),
    (
        "submit only a file",
        c.SubmitTurn(turn=NOWHERE, text="", attachments=(ATTACHMENT,)),
        (e.TurnSubmitted(turn=NOWHERE, text="", attachments=(ATTACHMENT,)),),
        "turn:nowhere",
    ),
    (
        "interrupt",
        c.InterruptTurn(turn=NOWHERE, text="stop, this"),
        (e.TurnCancelRequested(turn=T2), e.TurnSubmitted(turn=NOWHERE, text="stop, this", ahead=True)),
        "turn:nowhere",
    ),
    ("cancel what runs", c.CancelTurn(turn=T2), (e.TurnCancelRequested(turn=T2),), None),
    ("cancel what waits", c.CancelTurn(turn=T3), (e.TurnCancelRequested(turn=T3),), None),
    ("withdraw", c.WithdrawTurn(turn=T3), (e.TurnWithdrawn(turn=T3),), None),
    ("reorder", c.ReorderQueue(turns=(T3,)), (e.QueueReordered(turns=(T3,)),), None),
    ("release one", c.ReleaseTurns(turn=T3), (e.TurnReleased(turn=T3),), None),
    ("release all", c.ReleaseTurns(), (e.TurnReleased(),), None),
    (
        "steer",
        c.SteerTurn(turn=T2, steer=SteerId("s1"), text="left"),
        (e.TurnSteered(turn=T2, steer=SteerId("s1"), text="left"),),
        "turn:s1",
    ),
    (
        "approve",
        c.AnswerApproval(ask=AskId("may"), choice="once", client=PHONE),
        (e.ApprovalAnswered(ask=AskId("may"), choice="once", client=PHONE),),
        "answer:may",
    ),
    (
        "answer in own words",
        c.AnswerQuestion(ask=AskId("free"), text="green"),
        (e.QuestionAnswered(ask=AskId("free"), text="green"),),
        "answer:free",
    ),
    (
        "choose",
        c.AnswerQuestion(ask=AskId("fixed"), text="blue"),
        (e.QuestionAnswered(ask=AskId("fixed"), text="blue"),),
        "answer:fixed",
    ),
    (
        "tell a secret",
        c.AnswerQuestion(ask=AskId("secret"), text="hunter2", secret=True),
        (e.QuestionAnswered(ask=AskId("secret"), secret=True),),
        "answer:secret",
    ),
    ("rename", c.ChangeSession(title="  A   new\nname "), (e.SessionRenamed(title="A new name"),), None),
    ("pin", c.ChangeSession(pinned=True), (e.SessionChanged(pinned=True),), None),
    (
        "rename and pin",
        c.ChangeSession(title="New", pinned=True, client=PHONE),
        (e.SessionRenamed(title="New", client=PHONE), e.SessionChanged(pinned=True, client=PHONE)),
        None,
    ),
    ("delete", c.DeleteSession(client=PHONE), (e.SessionDeleted(client=PHONE),), None),
    ("restore", c.RestoreSession(), (e.SessionRestored(),), None),
]


@pytest.mark.parametrize(("command", "intents", "key"), [row[1:] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_a_command_becomes_its_intents(
    busy: Session, command: c.Command, intents: tuple[e.Event, ...], key: str | None
) -> None:
    """Each command that can take effect becomes these intents, the last of them under this key."""
    assert decide(busy, command) == Decision(intents, key)  # pyright: ignore[reportArgumentType]  all are intents


REFUSED: list[tuple[str, c.Command, type[Refused], str]] = [
    ("submit nothing", c.SubmitTurn(turn=NOWHERE, text=" \n"), BadCommand, "empty"),
    ("interrupt with nothing", c.InterruptTurn(turn=NOWHERE, text=""), BadCommand, "empty"),
    ("steer with nothing", c.SteerTurn(turn=T2, steer=SteerId("s1"), text=""), BadCommand, "empty"),
    ("cancel what has ended", c.CancelTurn(turn=T1), NoSuchTurn, "t1"),
    ("cancel nothing", c.CancelTurn(turn=NOWHERE), NoSuchTurn, "nowhere"),
    ("withdraw what runs", c.WithdrawTurn(turn=T2), NoSuchTurn, "t2"),
    ("reorder what runs", c.ReorderQueue(turns=(T3, T2)), NoSuchTurn, "t2"),
    ("release what runs", c.ReleaseTurns(turn=T2), NoSuchTurn, "t2"),
    ("truncate while a turn runs", c.TruncateHistory(turn=T1), NotNow, "Stop it first"),
    ("replace while a turn runs", c.ReplaceTurn(turn=NOWHERE, replaces=T1, text="so"), NotNow, "Stop it first"),
    ("replace by nothing", c.ReplaceTurn(turn=NOWHERE, replaces=T1, text=" "), BadCommand, "empty"),
    ("clear while a turn runs", c.TruncateHistory(), NotNow, "Stop it first"),
    ("answer nothing", c.AnswerApproval(ask=AskId("nowhere"), choice="once"), NoSuchAsk, "nowhere"),
    ("approve a question", c.AnswerApproval(ask=AskId("free"), choice="once"), NoSuchAsk, "free"),
    ("answer an approval", c.AnswerQuestion(ask=AskId("may"), text="yes"), NoSuchAsk, "may"),
    ("choose what is not offered", c.AnswerApproval(ask=AskId("may"), choice="always"), BadCommand, "once, deny"),
    ("choose another colour", c.AnswerQuestion(ask=AskId("fixed"), text="green"), BadCommand, "red, blue"),
    ("tell a secret openly", c.AnswerQuestion(ask=AskId("secret"), text="hunter2"), BadCommand, "secret"),
    ("make a secret of it", c.AnswerQuestion(ask=AskId("free"), text="red", secret=True), BadCommand, "secret"),
    ("rename to nothing", c.ChangeSession(title=" ", pinned=True), BadCommand, "letter"),
    ("rename to a book", c.ChangeSession(title="x" * (TITLE_LENGTH + 1)), BadCommand, "201"),
]


@pytest.mark.parametrize(("command", "error", "word"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_command_that_cannot_take_effect_is_refused(
    busy: Session, command: c.Command, error: type[Refused], word: str
) -> None:
    """Each is refused with a sentence that names what is wrong or what to do instead."""
    with pytest.raises(error, match=word):
        decide(busy, command)


def test_without_a_run_an_interruption_is_a_message_that_goes_first(idle: Session) -> None:
    """There is nothing to cancel, so only the message is appended, ahead of those that wait."""
    decision = decide(idle, c.InterruptTurn(turn=NOWHERE, text="this first"))
    assert decision.intents == (e.TurnSubmitted(turn=NOWHERE, text="this first", ahead=True),)


def test_history_can_be_truncated_while_nothing_runs(idle: Session) -> None:
    """An idle session may lose a turn of its transcript, but not one that still waits."""
    assert decide(idle, c.TruncateHistory(turn=T1)).intents == (e.HistoryTruncated(turn=T1),)
    assert decide(idle, c.TruncateHistory()).intents == (e.HistoryTruncated(),)
    with pytest.raises(NotNow, match="Take it back"):
        decide(idle, c.TruncateHistory(turn=T2))


def test_a_message_takes_the_place_of_another_in_one_append(idle: Session) -> None:
    """The truncation and the words lie together under the words' key, ahead of what waits."""
    decision = decide(idle, c.ReplaceTurn(turn=NOWHERE, replaces=T1, text="one, better", client=PHONE))
    words = e.TurnSubmitted(turn=NOWHERE, text="one, better", ahead=True, replaces=T1, client=PHONE)
    assert decision == Decision((e.HistoryTruncated(turn=T1, client=PHONE), words), "turn:nowhere")
    with pytest.raises(NotNow, match="Take it back"):
        decide(idle, c.ReplaceTurn(turn=NOWHERE, replaces=T2, text="two, better"))


def test_a_secret_never_reaches_the_log(busy: Session) -> None:
    """The intent of a secret answer says that it was given, and not a letter of it (C10)."""
    decision = decide(busy, c.AnswerQuestion(ask=AskId("secret"), text="hunter2", secret=True, client=PHONE))
    assert b"hunter2" not in msgspec.json.encode(decision.intents)
    assert b"phone" in msgspec.json.encode(decision.intents)


CREATION: dict[str, Any] = {
    "title": "T",
    "agent": "a",
    "model": "m",
    "mode": "plan",
    "workspace": "w",
    "project": "p",
    "tags": ("x",),
    "client": PHONE,
}


def test_a_new_session_is_as_it_was_asked_for() -> None:
    """Every field of the command arrives in the session."""
    (created,) = decide(Session(), c.CreateSession(**CREATION)).intents
    session = session_of(created)
    assert {name: getattr(session, name) for name in CREATION if name != "client"} == {
        name: value for name, value in CREATION.items() if name != "client"
    }


def test_two_who_change_tags_at_once_both_have_their_way() -> None:
    """Each decides from what it saw; the log holds one after the other."""
    created = e.SessionCreated(tags=("a", "b"))
    seen = session_of(created)
    (desk,) = decide(seen, c.ChangeSession(add_tags=("c",), remove_tags=("a",))).intents
    (phone,) = decide(seen, c.ChangeSession(add_tags=("d", "c"))).intents
    assert session_of(created, desk, phone).tags == ("b", "c", "d")
    assert session_of(created, phone, desk).tags == ("b", "d", "c")


def test_a_whole_set_of_tags_replaces_what_another_added() -> None:
    created = e.SessionCreated(tags=("a",))
    (desk,) = decide(session_of(created), c.ChangeSession(add_tags=("b",))).intents
    (phone,) = decide(session_of(created), c.ChangeSession(tags=("x",), add_tags=("y",))).intents
    assert session_of(created, desk, phone).tags == ("x", "y")


LOSERS: list[tuple[str, tuple[e.Event, ...]]] = [
    ("a second answer", (e.ApprovalAnswered(ask=AskId("may"), choice="deny"),) * 2),
    ("an answer to what is not there", (e.QuestionAnswered(ask=AskId("nowhere"), text="x"),)),
    (
        "an answer after the end",
        (e.TurnEnded(turn=T2, outcome="completed"), e.ApprovalAnswered(ask=AskId("may"), choice="once")),
    ),
    (
        "an answer after the expiry",
        (e.QuestionExpired(ask=AskId("free"), reason="timeout"), e.QuestionAnswered(ask=AskId("free"), text="red")),
    ),
    ("a turn with an id in use", (e.TurnSubmitted(turn=T1, text="again"),)),
    ("a cancel after the end", (e.TurnCancelRequested(turn=T1),)),
    ("a cancel of nothing", (e.TurnCancelRequested(turn=NOWHERE),)),
    ("taking back what runs", (e.TurnWithdrawn(turn=T2),)),
    ("truncation while a turn runs", (e.HistoryTruncated(turn=T1),)),
    (
        "words in the place of what a run keeps",
        (e.HistoryTruncated(turn=T1), e.TurnSubmitted(turn=NOWHERE, text="so", replaces=T1)),
    ),
]


@pytest.mark.parametrize("events", [row[1] for row in LOSERS], ids=[row[0] for row in LOSERS])
def test_an_intent_that_came_too_late_did_not_take_effect(busy: Session, events: tuple[e.Event, ...]) -> None:
    """Whoever appended it is told the truth: another record decided the matter."""
    records = [placed(busy.seq + 1 + place, event) for place, event in enumerate(events)]
    replay(records, busy)
    assert not took_effect(busy, records[-1])


def test_a_cancel_that_is_given_twice_took_effect_twice(busy: Session) -> None:
    """Both people who pressed stop are told that the run is being stopped (X10)."""
    for seq in (busy.seq + 1, busy.seq + 2):
        record = placed(seq, e.TurnCancelRequested(turn=T2))
        busy.apply(record)
        assert took_effect(busy, record)
