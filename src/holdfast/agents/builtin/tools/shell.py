"""Running a command in the workspace."""

import shutil
from typing import Annotated

import msgspec

from holdfast.agents.builtin.danger import inspect
from holdfast.agents.builtin.deed import Bench, Deed, Done, Say, Tool, Unable
from holdfast.agents.builtin.tools.process import run

SECONDS, MOST = 120, 3600


class Arguments(msgspec.Struct, kw_only=True):
    command: Annotated[str, msgspec.Meta(description="The command line, for bash.")]
    timeout: Annotated[int, msgspec.Meta(ge=1, description="Seconds after which it is ended; 120 if not given.")] = (
        SECONDS
    )


async def prepare(arguments: Arguments, bench: Bench) -> Deed:
    command = arguments.command
    if not command.strip() or "\0" in command:
        raise Unable("There is no command in this.")
    found = inspect(command, bench.workspace)

    async def do(say: Say) -> Done:
        shell = shutil.which("bash") or "/bin/sh"
        return await run([shell, "-c", command], min(arguments.timeout, MOST), bench, say)

    return Deed(
        title=command.strip().splitlines()[0],
        kind="execute",
        do=do,
        changes=True,
        keys=tuple(dict.fromkeys(danger.key for danger in found)),
        why=" ".join(dict.fromkeys(danger.why for danger in found)),
    )


SHELL = Tool(
    name="shell",
    about=(
        "Run a command with bash in the workspace and return what it printed. Nothing can be typed into it, and what it"
        " leaves running is ended with it. Dangerous commands are shown to the person first."
    ),
    arguments=Arguments,
    prepare=prepare,
    changes=True,
)
