"""What a tool would do, as a value: decided first, shown and perhaps asked for, then done exactly so."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from pydantic_ai.tools import ToolDefinition

from holdfast.agents.builtin.link import Voice
from holdfast.core.errors import HoldfastError
from holdfast.core.events import Diff
from holdfast.workspace.files import Workspace

LONGEST = 30_000
"""Characters of a result that a model gets."""


class Unable(HoldfastError):
    """{0}"""


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it: `text` for the model, `shown` for the person if that is something else."""

    text: str
    shown: str | None = None
    failed: bool = False


Say = Callable[[str], Awaitable[None]]
"""Shows a piece of output while the deed is done."""


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """`changes` says that it changes something, or could: whoever wants to be asked before edits is asked.

    `keys` name what is dangerous about it, and `why` says it in a sentence; without keys nobody needs to be asked.
    """

    title: str
    kind: str
    do: Callable[[Say], Awaitable[Done]]
    changes: bool = False
    keys: tuple[str, ...] = ()
    why: str = ""
    diffs: tuple[Diff, ...] = ()


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """Where tools work: the files that they may touch, what their processes inherit, and the way to the person."""

    workspace: Workspace
    environ: Mapping[str, str]
    voice: Voice
    call: str


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """`prepare` looks, decides and changes nothing. It raises `Unable` for what can't be done."""

    name: str
    about: str
    arguments: type[msgspec.Struct]
    prepare: Callable[[Any, Bench], Awaitable[Deed]]
    changes: bool = False

    @property
    def definition(self) -> ToolDefinition:
        _, components = msgspec.json.schema_components([self.arguments])
        schema = dict(components.pop(self.arguments.__name__))
        schema.pop("title", None)
        if components:
            schema["$defs"] = components
        return ToolDefinition(name=self.name, description=self.about, parameters_json_schema=schema)


def bounded(text: str, longest: int = LONGEST) -> str:
    """The text, or its two ends and how much lies between them."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"
