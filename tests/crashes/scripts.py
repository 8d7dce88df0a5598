"""What the agent does in a case, what the person does meanwhile, and what the transcript must then say.

`said` and `thought` are all the words of a turn that runs to its end; of any other turn they are the beginning. Words
take 100 to 300 ms, so that a kill falls between them.
"""

import re
from typing import Literal, NamedTuple

Deed = Literal["cancel", "queue", "steer", "interrupt", "withdraw"]

OUTPUT = "text.appended|thought.appended|tool.changed|approval.requested|question.asked"
EFFECTS = "effects"


class Script(NamedTuple):
    """`deeds` are done when the turn has put out its `when`th piece. `moments` is how many there are at least."""

    name: str
    text: str
    said: str = ""
    thought: str = ""
    deeds: tuple[Deed, ...] = ()
    when: int = 3
    choice: Literal["once", "deny"] = "once"
    moments: int = 8


PACED = re.compile(r"^(!(?:think)?stream \d+ |!tool \w+ \{.*\} )(\d+)", re.MULTILINE)


def paced(text: str, attempt: int) -> str:
    """The same words, more slowly each time: on a busy machine a run was over before the blow could fall."""
    return PACED.sub(lambda found: f"{found[1]}{int(found[2]) * (1, 4, 12, 30)[attempt - 1]}", text)


def words(count: int, prefix: str = "word") -> str:
    return " ".join(f"{prefix}{number}" for number in range(1, count + 1))


STREAM = Script("stream", "!stream 40 5", words(40), moments=30)
THINK = Script("think", "!thinkstream 20 5\n!stream 20 5", words(20), words(20, "thought"), moments=30)
TOOL = Script(
    "tool",
    '!say first\n!tool read {"path":"a"} 60 found\n!tool execute {"command":"ls"} 60 listed\n!stream 10 5',
    "first" + words(10),
    moments=5,
)
APPROVE = Script(
    "approve",
    "!stream 4 5 before\n!approve append effects one\n!stream 8 10 between\n!approve append effects two\n!stream 8 5",
    words(4, "before") + "approved:once" + words(8, "between") + "approved:once" + words(8),
    moments=7,
)
DENY = Script(
    "deny",
    "!say before\n!approve append effects one\n!stream 20 8",
    "beforedenied" + words(20),
    choice="deny",
    moments=4,
)
MANY = Script(
    "many",
    "!say before\n!approvemany 3\n!stream 20 5",
    "before" + "\n".join(["approved:once"] * 3) + words(20),
    moments=4,
)
ASK = Script(
    "ask",
    "!stream 4 5 before\n!ask Which? | red | blue\n!stream 20 8",
    words(4, "before") + "answer:red" + words(20),
    moments=5,
)
CANCEL = Script("cancel", "!thinkstream 5 5\n!stream 400 5", words(400), words(5, "thought"), ("cancel",), moments=6)
QUEUE = Script("queue", "!stream 40 5", words(40), deeds=("queue", "queue"), moments=20)
WITHDRAW = Script("withdraw", "!stream 40 5", words(40), deeds=("queue", "withdraw"), moments=20)
STEER = Script("steer", "!stream 50 5", words(50), deeds=("steer",), moments=20)
INTERRUPT = Script("interrupt", "!stream 400 5", words(400), deeds=("interrupt",), moments=6)
SPAWN = Script("spawn", "!spawn\n!stream 40 5", words(40), moments=20)

ALL = (STREAM, THINK, TOOL, APPROVE, DENY, MANY, ASK, CANCEL, QUEUE, WITHDRAW, STEER, INTERRUPT, SPAWN)
BY_NAME = {script.name: script for script in ALL}
