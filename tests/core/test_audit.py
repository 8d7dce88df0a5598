"""Every ask, from the log: what the audit says is what the session says, and more than the transcript keeps."""

from hypothesis import given

from holdfast.core import events as e
from holdfast.core.audit import Audit, Entry
from holdfast.core.ids import SessionId
from holdfast.core.items import Approval, Question
from holdfast.core.records import Record
from holdfast.core.session import Session
from tests.core.histories import histories, law


def audited(records: list[Record]) -> list[Entry]:
    audit = Audit(SessionId("s"))
    settled = [entry for record in records for entry in audit.apply(record)]
    return [*settled, *audit.open()]


@law
@given(histories())
def test_the_audit_has_every_ask_as_the_session_left_it(records: list[Record]) -> None:
    """Seen as each left the session, truncated or not: nothing missing, nothing twice, the same end."""
    session = Session()
    known: dict[int, Approval | Question] = {}
    for record in records:
        session.apply(record)
        if isinstance(record.event, e.ApprovalRequested | e.QuestionAsked):
            ask = session.ask(record.event.ask)
            if ask is not None and ask not in known.values():
                known[record.seq] = ask
    found = {entry.seq: (entry.ask, entry.state, entry.answer_seq, entry.answered_at) for entry in audited(records)}
    assert len(found) == len(audited(records))
    assert found == {seq: (ask.ask, ask.state, ask.answer_seq, ask.answered_at) for seq, ask in known.items()}
