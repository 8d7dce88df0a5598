"""What belongs to no session: the rules that a person allowed for good. Folded from the log `house`.

Total like a session: what does not fit has no effect. A rule that was revoked stays so; the same answer recorded again
does not bring it back, because its key is taken.
"""

import msgspec

from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId
from holdfast.core.records import Record


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """A rule, and the answer that it came from: when, from which client, to what."""

    rule: e.Rule
    time: int
    client: str = ""
    session: SessionId | None = None
    ask: AskId | None = None


class House(msgspec.Struct, kw_only=True):
    """`rules` in the order in which they were remembered."""

    seq: int = 0
    rules: dict[str, Remembered] = {}

    def apply(self, record: Record) -> None:
        """Fold one record of the house log."""
        self.seq = record.seq
        match record.event:
            case e.RuleRemembered() as event:
                remembered = Remembered(
                    rule=event.rule, time=record.time, client=event.client, session=event.session, ask=event.ask
                )
                self.rules.setdefault(event.rule.id, remembered)
            case e.RuleRevoked() as event:
                self.rules.pop(event.rule, None)
            case _:
                pass
