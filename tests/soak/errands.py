"""What people ask the agent for, chosen by dice, and what it must then say.

Where the words hang on an answer stands `ANSWER`: only the log knows who was first.
"""

from collections.abc import Iterator
from random import Random

from holdfast.agents.scripted.directives import UNICODE
from holdfast.core import events as e
from holdfast.core.records import Record
from tests.crashes.scripts import Script, words

ANSWER = "\0"
LARGE = 2_000
"""Words that a tool gives back at once."""


def errand(dice: Random, name: str) -> Script:
    """`name` names the turn, so that what it permits can be told from what others permit."""
    makers = (_stream, _stream, _think, _tool, _approve, _approve, _many, _ask, _large, _strange, _spawn, _fail, _crash)
    return dice.choice(makers)(dice, name)


def answered(scripts: dict[str, Script], log: list[Record]) -> dict[str, Script]:
    """The scripts with the answers that count, in the order in which they were asked for."""
    filled = dict(scripts)
    for turn, told in _told(log):
        if turn in filled:
            filled[turn] = filled[turn]._replace(said=filled[turn].said.replace(ANSWER, told, 1))
    return filled


def _told(log: list[Record]) -> Iterator[tuple[str, str]]:
    """The turn of every ask and what the agent says to its answer; ends each turn's with the first without one."""
    first: dict[str, str] = {}
    for record in log:
        match record.event:
            case e.ApprovalAnswered(ask=ask, choice=choice):
                first.setdefault(ask, "denied" if choice == "deny" else f"approved:{choice}")
            case e.QuestionAnswered(ask=ask, text=text):
                first.setdefault(ask, f"answer:{text}")
            case _:
                pass
    for record in log:
        if isinstance(record.event, e.ApprovalRequested | e.QuestionAsked):
            yield record.event.turn, first.get(record.event.ask, ANSWER)


def _pace(dice: Random) -> int:
    """Milliseconds for a word."""
    return dice.choice((10, 20, 30, 50))


def _stream(dice: Random, _: str) -> Script:
    count = dice.randint(20, 150)
    return Script("stream", f"!stream {count} {_pace(dice)}", words(count))


def _think(dice: Random, _: str) -> Script:
    thought, count = dice.randint(5, 40), dice.randint(10, 60)
    text = (
        f"!thinkstream {thought} {_pace(dice)}\n!plan Look; Think; Write\n!stream {count} {_pace(dice)}\n!usage 900 80"
    )
    return Script("think", text, words(count), words(thought, "thought"))


def _tool(dice: Random, _: str) -> Script:
    count = dice.randint(5, 30)
    text = (
        f'!say first\n!tool read {{"path":"a"}} {dice.randint(1, 300)} found\n'
        f'!tool execute {{"command":"ls"}} {dice.randint(1, 300)} listed\n!stream {count} {_pace(dice)}'
    )
    return Script("tool", text, "first" + words(count))


def _approve(dice: Random, name: str) -> Script:
    before, after = dice.randint(1, 10), dice.randint(5, 40)
    text = (
        f"!stream {before} {_pace(dice)} before\n!approve append effects {name}-1\n!stream {after} {_pace(dice)}\n"
        f"!approve append effects {name}-2\n!say done"
    )
    return Script("approve", text, f"{words(before, 'before')}{ANSWER}{words(after)}{ANSWER}done")


def _many(dice: Random, _: str) -> Script:
    count = dice.randint(2, 4)
    return Script("many", f"!approvemany {count}\n!stream 10 {_pace(dice)}", "\n".join([ANSWER] * count) + words(10))


def _ask(dice: Random, _: str) -> Script:
    count = dice.randint(5, 40)
    text = f"!say before\n!ask Which? | red | blue\n!stream {count} {_pace(dice)}"
    return Script("ask", text, f"before{ANSWER}{words(count)}")


def _large(dice: Random, _: str) -> Script:
    """Much in one record. It is no word that anybody said, so that bytes for a word mean something."""
    text = f'!tool read {{"path":"a"}} {dice.randint(1, 300)} {words(dice.randint(1, LARGE), "found")}\n!say end'
    return Script("large", text, "end")


def _strange(dice: Random, _: str) -> Script:
    return Script("strange", f"!unicode\n!sleep {dice.randint(1, 500)}\n!say end", "".join(UNICODE) + "end")


def _spawn(dice: Random, _: str) -> Script:
    return Script("spawn", f"!spawn\n!stream 20 {_pace(dice)}", words(20))


def _fail(dice: Random, _: str) -> Script:
    return Script("fail", f"!stream 10 {_pace(dice)}\n!fail as it was told", words(10))


def _crash(dice: Random, _: str) -> Script:
    return Script("crash", f"!stream 10 {_pace(dice)}\n!crash", words(10))
