"""What a stream tells, and under which number, follows from the log alone, from wherever it is read."""

from hypothesis import given

from holdfast.core import events as e
from holdfast.core.decide import took_effect
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from holdfast.server.dialect.narration import CLOSING, Narration, Told
from tests.core.histories import law, plausible

S1 = SessionId("s1")


def told(records: list[Record], state: Session | None = None) -> dict[TurnId, list[Told]]:
    narration = Narration(S1, state)
    streams: dict[TurnId, list[Told]] = {}
    for record in records:
        for each in narration.tell(record):
            streams.setdefault(each.run.turn, []).append(each)
    return streams


def sent(records: list[Record]) -> dict[TurnId, int]:
    """Where each message was sent first that counted: its place in the log."""
    places: dict[TurnId, int] = {}
    session = Session()
    for place, record in enumerate(records):
        session.apply(record)
        if isinstance(record.event, e.TurnSubmitted) and took_effect(session, record):
            places.setdefault(record.event.turn, place)
    return places


@law
@given(records=plausible())
def test_a_run_is_told_the_same_from_its_own_beginning_as_from_that_of_the_log(records: list[Record]) -> None:
    """Numbers count 1, 2, 3; nothing follows what closes a stream."""
    whole = told(records)
    for turn, place in sent(records).items():
        assert told(records[place:]).get(turn, []) == whole.get(turn, []), turn
    for events in whole.values():
        assert [each.number for each in events] == list(range(1, len(events) + 1))
        assert [each.name in CLOSING for each in events[:-1]] == [False] * (len(events) - 1)


@law
@given(records=plausible())
def test_every_message_that_was_sent_has_a_stream_that_ends_as_its_turn_did(records: list[Record]) -> None:
    """What the reducer says of a turn is what its stream says."""
    streams = told(records)
    state = replay(records)
    endings = {"completed": "stream_end", "cancelled": "cancel", "failed": "apperror", "interrupted": "apperror"}
    for turn in state.turns.values():
        name = streams[turn.id][-1].name
        assert name == endings[turn.outcome] if turn.outcome else name not in CLOSING, turn.id
