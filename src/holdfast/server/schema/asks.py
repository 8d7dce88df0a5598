"""What is asked of a person, what they answer, and the rules that answer for them."""

from typing import Annotated, Literal

from msgspec import Meta

from holdfast.core.events import Choice, Rule
from holdfast.core.ids import AskId, SessionId
from holdfast.core.items import Approval, Question
from holdfast.core.policy import Offer
from holdfast.server.schema.base import Answer, Body, Reason, Text


class AskAnswer(Body, frozen=True, kw_only=True):
    """`choice` answers an approval, `text` a question.

    `reason` goes with deny, `everywhere` with always. `digest` is that of the request as it was shown: if it is given
    and does not fit, nothing is answered. The text of a secret is never stored.
    """

    choice: Choice | None = None
    text: Text | None = None
    reason: Reason = ""
    everywhere: bool = False
    digest: Annotated[str, Meta(max_length=64)] = ""


class Answered(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """The answer counts. `reason_goes`: the agent hears why it was refused with the refusal, as words during the run,
    or as its next turn."""

    session: SessionId
    ask: AskId
    seq: int
    reason_goes: Literal["agent", "steer", "turn"] | None = None


class Offers(Answer, frozen=True, kw_only=True):
    """What may be answered beyond *once*, and in words what each would match from then on."""

    offers: list[Offer]


class ApprovalRule(Answer, frozen=True, kw_only=True):
    """Something that is allowed for good, in words, and the answer that it came from. `used` is when it answered last,
    to the day; 0 if that is not known."""

    id: str
    words: str
    rule: Rule
    time: int
    client: str
    session: SessionId | None
    ask: AskId | None
    used: int = 0


class ApprovalRules(Answer, frozen=True, kw_only=True):
    rules: list[ApprovalRule]


class Asks(Answer, frozen=True, kw_only=True):
    """What waits for an answer, oldest first. `head` is the oldest, `count` how many there are."""

    head: Approval | Question | None
    count: int
    asks: list[Approval | Question]
    seq: int
    lineage: str
