"""Commands as people give them: sensible, mistaken, or about things that are not there."""

from collections.abc import Sequence
from typing import TypeVar

from holdfast.core import commands as c
from holdfast.core.ids import AskId, SteerId, TurnId
from holdfast.core.session import Session
from tests.core.dice import Dice
from tests.core.wild import ATTACHMENT

Name = TypeVar("Name", bound=str)


def order(dice: Dice, session: Session) -> c.Command:
    """A command about something in the session, if the dice find something."""
    dice.shake()
    turn = _one_of(dice, [*session.turns, TurnId("t1"), TurnId("nowhere")])
    ask = _one_of(dice, [*session.asks, AskId("nowhere")])
    text = dice.pick(("this", "", "  ", "something else"))
    choice = dice.pick(("once", "deny"))
    commands: tuple[c.Command, ...] = (
        c.SubmitTurn(turn=TurnId("new"), text=text, attachments=(ATTACHMENT,) if dice.once_in(3) else ()),
        c.SubmitTurn(turn=turn, text=text),
        c.StartTurn(turn=TurnId("new"), text=text, model=dice.pick(("", "other"))),
        c.InterruptTurn(turn=TurnId("new"), text=text),
        c.ReplaceTurn(turn=TurnId("new"), replaces=turn, text=text),
        c.CancelTurn(turn=turn),
        c.CancelTurn(turn=turn),
        c.WithdrawTurn(turn=turn),
        c.ReleaseTurns(turn=turn),
        c.ReleaseTurns(),
        c.SteerTurn(turn=turn, steer=SteerId("new"), text=text),
        c.AnswerApproval(ask=ask, choice=choice),
        c.AnswerApproval(ask=ask, choice=choice),
        c.AnswerQuestion(ask=ask, text=text),
        c.AnswerQuestion(ask=ask, text=text, secret=dice.once_in(2)),
        c.TruncateHistory(turn=turn),
        c.TruncateHistory(),
        c.ChangeSession(title=text * dice.pick((1, 60))),
        c.ChangeSession(seen=dice.below(50)),
        c.DeleteSession(),
        c.RestoreSession(),
        c.CreateSession(title=text),
    )
    return dice.pick(commands)


def _one_of(dice: Dice, names: Sequence[Name]) -> Name:
    return dice.pick(names)
