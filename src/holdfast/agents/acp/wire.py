"""What we read of the Agent Client Protocol, version 1.

Agents differ, and so do the versions of the schema that they were written for. So fields that we do not use are not
listed, almost every field may be missing or null, and words that may grow in number (a status, a kind of tool) are
plain text here; `translate` gives them their meaning. Data of any shape stays as the JSON that the agent sent.

It is a list, and long because the protocol is: whoever asks what we read of it finds all of it here.

`_meta` is where the protocol lets implementations add what it lacks. `holdfast` is our own name in there; the others
are what widely used agents say.
"""

from typing import Any, TypeVar

import msgspec
from msgspec import Raw

VERSION = 1
NULL = Raw(b"null")
T = TypeVar("T")


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of a message. Unknown fields are ignored."""


# What `_meta` may hold.


class OurMeta(Wire, frozen=True, kw_only=True):
    """Extensions that an agent written for Holdfast may use; every one may be missing."""

    steer: bool = False
    commit_memory: bool = False
    reasons: bool = False
    warm: bool = False
    turn: str = ""
    id: str = ""
    parent: str = ""
    directory: str = ""
    description: str = ""
    pattern_keys: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    free_text: bool | None = None
    secret: bool = False
    timeout_seconds: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    cost: int = 0
    model: str = ""
    error: str = ""


class ClaudeMeta(Wire, frozen=True, kw_only=True):
    tool_name: str | None = None
    parent_tool_use_id: str | None = None


class TerminalMeta(Wire, frozen=True, kw_only=True):
    data: str = ""


class Meta(Wire, frozen=True, kw_only=True):
    holdfast: OurMeta | None = None
    claude_code: ClaudeMeta | None = None
    terminal_output: TerminalMeta | None = msgspec.field(default=None, name="terminal_output")


NO_META = Meta()
OURS = OurMeta()


class WithMeta(Wire, frozen=True, kw_only=True):
    raw_meta: Raw = msgspec.field(default=NULL, name="_meta")

    @property
    def meta(self) -> Meta:
        """What it says that we understand; somebody else's use of a name that we know is nothing."""
        return NO_META if self.raw_meta == NULL else read(self.raw_meta, Meta) or NO_META

    @property
    def ours(self) -> OurMeta:
        return self.meta.holdfast or OURS


# Opening.


class PromptCapabilities(Wire, frozen=True, kw_only=True):
    image: bool | None = False


class SessionCapabilities(Wire, frozen=True, kw_only=True):
    resume: dict[str, Any] | None = None


class AgentCapabilities(WithMeta, frozen=True, kw_only=True):
    load_session: bool | None = False
    prompt_capabilities: PromptCapabilities | None = None
    session_capabilities: SessionCapabilities | None = None


class AuthMethod(Wire, frozen=True, kw_only=True):
    name: str = ""


class AgentInfo(Wire, frozen=True, kw_only=True):
    name: str = ""
    title: str | None = None
    version: str | None = None


class Initialized(Wire, frozen=True, kw_only=True):
    protocol_version: int = VERSION
    agent_capabilities: AgentCapabilities | None = None
    agent_info: AgentInfo | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None


class Mode(Wire, frozen=True, kw_only=True):
    id: str
    name: str = ""
    description: str | None = None


class Modes(Wire, frozen=True, kw_only=True):
    current_mode_id: str = ""
    available_modes: tuple[Mode, ...] = ()


class Model(Wire, frozen=True, kw_only=True):
    model_id: str
    name: str = ""
    description: str | None = None


class Models(Wire, frozen=True, kw_only=True):
    current_model_id: str = ""
    available_models: tuple[Model, ...] = ()


class ConfigValue(Wire, frozen=True, kw_only=True):
    value: str = ""
    name: str = ""
    description: str | None = None


class ConfigEntry(ConfigValue, frozen=True, kw_only=True):
    """A value, or a group of them."""

    options: tuple[ConfigValue, ...] = ()


class ConfigOption(Wire, frozen=True, kw_only=True):
    id: str
    category: str | None = None
    type: str = "select"
    current_value: Raw = NULL
    options: tuple[ConfigEntry, ...] = ()


class Choosable(Wire, frozen=True, kw_only=True):
    """What an agent lets people choose, as it says when a session is begun or taken up."""

    modes: Modes | None = None
    models: Models | None = None
    config_options: tuple[ConfigOption, ...] | None = None


class SessionOpened(Wire, frozen=True, kw_only=True):
    session_id: str


class Configured(Wire, frozen=True, kw_only=True):
    config_options: tuple[ConfigOption, ...] = ()


# A turn.


class Usage(Wire, frozen=True, kw_only=True):
    """Tokens of a turn."""

    input_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int | None = 0
    cached_read_tokens: int | None = 0


class Prompted(Wire, frozen=True, kw_only=True):
    stop_reason: str = "end_turn"
    usage: Raw = NULL


class ErrorData(Wire, frozen=True, kw_only=True):
    details: str | None = None
    message: str | None = None


# What the agent reports.


class Resource(Wire, frozen=True, kw_only=True):
    """A file within a message."""

    uri: str = ""
    text: str = ""


class RawOutput(Wire, frozen=True, kw_only=True):
    """What many tools wrap their result in."""

    output: str | None = None
    stdout: str | None = None


class Content(WithMeta, frozen=True, kw_only=True):
    """A block of any type: text, an image, a link, a file."""

    type: str
    text: str = ""
    name: str = ""
    uri: str = ""
    mime_type: str | None = None
    resource: Resource | None = None


class ToolContent(Wire, frozen=True, kw_only=True):
    type: str
    content: Raw = NULL
    path: str = ""
    terminal_id: str = ""
    old_text: str | None = None
    new_text: str = ""


class PlanStep(Wire, frozen=True, kw_only=True):
    content: str = ""
    status: str = "pending"


class PlanBody(Wire, frozen=True, kw_only=True):
    type: str = "items"
    entries: tuple[PlanStep, ...] = ()


class Cost(Wire, frozen=True, kw_only=True):
    amount: float = 0.0


class Update(WithMeta, frozen=True, kw_only=True, tag_field="sessionUpdate"):
    """What may come in a `session/update`."""


class UserChunk(Update, frozen=True, kw_only=True, tag="user_message_chunk"):
    pass


class Chunk(Update, frozen=True, kw_only=True):
    content: Content
    message_id: str | None = None


class MessageChunk(Chunk, frozen=True, kw_only=True, tag="agent_message_chunk"):
    pass


class ThoughtChunk(Chunk, frozen=True, kw_only=True, tag="agent_thought_chunk"):
    pass


class ToolCall(WithMeta, frozen=True, kw_only=True):
    """A tool call or a change of one; a permission request carries one too."""

    tool_call_id: str
    name: str | None = None
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    content: tuple[Raw, ...] | None = None
    raw_input: Raw = NULL
    raw_output: Raw = NULL


class ToolStarted(ToolCall, frozen=True, kw_only=True, tag_field="sessionUpdate", tag="tool_call"):
    pass


class ToolUpdated(ToolCall, frozen=True, kw_only=True, tag_field="sessionUpdate", tag="tool_call_update"):
    pass


class Planned(Update, frozen=True, kw_only=True, tag="plan"):
    entries: tuple[PlanStep, ...] = ()


class PlanChanged(Update, frozen=True, kw_only=True, tag="plan_update"):
    plan: PlanBody


class PlanDropped(Update, frozen=True, kw_only=True, tag="plan_removed"):
    pass


class SessionInfo(Update, frozen=True, kw_only=True, tag="session_info_update"):
    title: str | None = None


class UsageUpdate(Update, frozen=True, kw_only=True, tag="usage_update"):
    used: int = 0
    size: int = 0
    cost: Cost | None = None


class CommandInput(Wire, frozen=True, kw_only=True):
    hint: str | None = None


class Command(Wire, frozen=True, kw_only=True):
    name: str
    description: str | None = None
    input: CommandInput | None = None


class CommandsUpdate(Update, frozen=True, kw_only=True, tag="available_commands_update"):
    available_commands: tuple[Command, ...] = ()


class ModeUpdate(Update, frozen=True, kw_only=True, tag="current_mode_update"):
    current_mode_id: str = ""


class OptionsUpdate(Update, frozen=True, kw_only=True, tag="config_option_update"):
    config_options: tuple[ConfigOption, ...] = ()


ChoiceUpdate = CommandsUpdate | ModeUpdate | OptionsUpdate
AnyUpdate = (
    UserChunk | MessageChunk | ThoughtChunk | ToolStarted | ToolUpdated
    | Planned | PlanChanged | PlanDropped | SessionInfo | UsageUpdate
    | CommandsUpdate | ModeUpdate | OptionsUpdate
)  # fmt: skip


class Updated(Wire, frozen=True, kw_only=True):
    session_id: str
    update: AnyUpdate


class Notice(Wire, frozen=True, kw_only=True):
    """`_holdfast/notice`: something that a person should know and that is no answer."""

    session_id: str
    text: str
    level: str = "info"
    code: str = ""


# What the agent asks.


class PermissionOption(Wire, frozen=True, kw_only=True):
    option_id: str
    name: str = ""
    kind: str = ""


class PermissionWanted(WithMeta, frozen=True, kw_only=True):
    session_id: str
    tool_call: ToolCall
    options: tuple[PermissionOption, ...] = ()


class Decided(PermissionWanted, frozen=True, kw_only=True):
    """`_holdfast/decided`: the agent decided by itself, as the mode that it is in lets it."""

    allowed: bool = False


class OneOf(Wire, frozen=True, kw_only=True):
    const: str
    title: str = ""


class Property(WithMeta, frozen=True, kw_only=True):
    """A field of a form."""

    type: str = "string"
    title: str | None = None
    description: str | None = None
    enum: tuple[str, ...] | None = None
    one_of: tuple[OneOf, ...] | None = None
    format: str | None = None


class Form(Wire, frozen=True, kw_only=True):
    properties: dict[str, Property] = {}


class ElicitationWanted(WithMeta, frozen=True, kw_only=True):
    message: str = ""
    mode: str = "form"
    requested_schema: Form | None = None


def read(raw: Raw | bytes, kind: type[T]) -> T | None:
    """`raw` as a `kind`, or None if it is not one. Never raises."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def text_of(raw: Raw) -> str:
    """The JSON that the agent sent, as text; empty for null."""
    return "" if raw == NULL else bytes(raw).decode("utf-8", "replace")
