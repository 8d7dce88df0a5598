"""What belongs to no session: what is allowed for good, what new sessions are given. Folded from the log `house`.

Total like a session: what does not fit has no effect. A rule that was revoked stays so; the same answer recorded again
does not bring it back, because its key is taken.
"""

import msgspec
from msgspec import UNSET

from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId
from holdfast.core.records import Record


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """A rule, and the answer that it came from: when, from which client, to what. `used` is when it was used last, to
    the day; 0 if nobody has written that down."""

    rule: e.Rule
    time: int
    client: str = ""
    session: SessionId | None = None
    ask: AskId | None = None
    used: int = 0


class Defaults(msgspec.Struct, frozen=True, kw_only=True):
    """What a new session is given unless it says otherwise; empty for what suits the machine."""

    agent: str = ""
    model: str = ""
    mode: str = ""
    workspace: str = ""


class House(msgspec.Struct, kw_only=True):
    """`rules` in the order in which they were remembered."""

    seq: int = 0
    rules: dict[str, Remembered] = {}
    defaults: Defaults = Defaults()

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
            case e.RuleUsed(rule=name) if name in self.rules:
                self.rules[name] = msgspec.structs.replace(self.rules[name], used=record.time)
            case e.DefaultsChosen() as event:
                before = self.defaults
                self.defaults = Defaults(
                    agent=before.agent if event.agent is UNSET else event.agent,
                    model=before.model if event.model is UNSET else event.model,
                    mode=before.mode if event.mode is UNSET else event.mode,
                    workspace=before.workspace if event.workspace is UNSET else event.workspace,
                )
            case _:
                pass
