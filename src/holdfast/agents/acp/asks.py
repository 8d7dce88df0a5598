"""What an agent may ask a person, as values, and a person's answer in the agent's words.

Of a permission request all that was said about the call is shown, unabridged. Of the options that the agent offers only
"allow once" and "reject once" are ever chosen: remembering is ours. A form with one field is a question; one with more
is asked as one text, to be answered with a line for each field.
"""

import shlex
from typing import Any

import msgspec

from holdfast.agents.acp import wire
from holdfast.agents.acp.calls import Call, words
from holdfast.core.events import Diff
from holdfast.core.ids import CallId
from holdfast.core.plausible import plausible

YES, NO = "Yes", "No"
CANCELLED: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}
CALLED_OFF: dict[str, Any] = {"action": "cancel"}
DECLINED: dict[str, Any] = {"action": "decline"}


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """A way to answer, as the agent offered it."""

    id: str
    name: str
    kind: str


class Permission(msgspec.Struct, frozen=True, kw_only=True):
    """The agent waits for leave to do something. `id` is what the answer names, `call` the tool call that it is for."""

    id: str
    call: CallId | None
    parent: CallId | None = None
    title: str
    command: str
    tool: str = ""
    action: str = ""
    arguments: str = ""
    directory: str = ""
    description: str = ""
    pattern_keys: tuple[str, ...] = ()
    diffs: tuple[Diff, ...] = ()
    options: tuple[Option, ...] = ()


class Elicited(msgspec.Struct, frozen=True, kw_only=True):
    """The agent waits for a person's words. `id` is what the answer names."""

    id: str
    text: str
    choices: tuple[str, ...] = ()
    free_text: bool = True
    secret: bool = False
    timeout_seconds: int = 0


class _Arguments(msgspec.Struct):
    command: str | list[str] | None = None
    cmd: str | list[str] | None = None
    cwd: str | None = None
    workdir: str | None = None
    description: str | None = None


def permission(name: str, wanted: wire.PermissionWanted, call: Call, workspace: str) -> Permission:
    said, ours = wanted.tool_call, wanted.ours
    arguments = wire.read(call.arguments.encode(), _Arguments) or _Arguments()
    command = arguments.command or arguments.cmd or call.title or call.name
    return Permission(
        id=name,
        call=CallId(said.tool_call_id),
        parent=CallId(ours.parent) if ours.parent else None,
        title=call.title,
        command=command if isinstance(command, str) else shlex.join(command),
        tool=call.name,
        action=call.action,
        arguments=call.arguments,
        directory=ours.directory or arguments.cwd or arguments.workdir or workspace,
        description=ours.description or arguments.description or words(said),
        pattern_keys=ours.pattern_keys,
        diffs=call.diffs,
        options=tuple(Option(id=option.option_id, name=option.name, kind=option.kind) for option in wanted.options),
    )


def decision(
    options: tuple[wire.PermissionOption, ...], *, allow: bool, reason: str = "", digest: str = ""
) -> dict[str, Any] | None:
    """The answer to a permission request; None if the agent offers no way to say it."""
    kind = "allow_once" if allow else "reject_once"
    chosen = next((option.option_id for option in options if option.kind == kind), None)
    if chosen is None:
        return None
    answer: dict[str, Any] = {"outcome": {"outcome": "selected", "optionId": chosen}}
    ours = {name: value for name, value in (("reason", reason), ("digest", digest)) if value}
    return answer | ({"_meta": {"holdfast": ours}} if ours else {})


def question(name: str, wanted: wire.ElicitationWanted) -> Elicited | None:
    """The question that a form asks; None if it is no form."""
    if wanted.mode != "form" or wanted.requested_schema is None:
        return None
    ours, fields = wanted.ours, wanted.requested_schema.properties
    seconds = plausible(ours.timeout_seconds)
    secret = ours.secret or any(field.format == "password" for field in fields.values())
    if not fields:
        return Elicited(id=name, text=wanted.message, choices=(YES, NO), free_text=False)
    if len(fields) > 1:
        return Elicited(id=name, text=_form(wanted.message, fields), secret=secret, timeout_seconds=seconds)
    (field,) = fields.values()
    choices = ours.choices or tuple(_choices(field))
    about = "" if field.description in (None, "", wanted.message) else f"\n\n{field.description}"
    return Elicited(
        id=name,
        text=wanted.message + about,
        choices=choices,
        free_text=not choices if ours.free_text is None else ours.free_text,
        secret=secret,
        timeout_seconds=seconds,
    )


def reply(wanted: wire.ElicitationWanted, text: str) -> dict[str, Any]:
    """A person's answer as the form wants it; a refusal if it does not fit the form."""
    fields = wanted.requested_schema.properties if wanted.requested_schema else {}
    if not fields:
        return {"action": "accept", "content": {}} if text == YES else DECLINED
    said = {next(iter(fields)): text} if len(fields) == 1 else _lines(text)
    content: dict[str, Any] = {}
    for name, field in fields.items():
        if name in said:
            try:
                content[name] = _value(field, said[name])
            except ValueError:
                return DECLINED
    return {"action": "accept", "content": content}


def _form(message: str, fields: dict[str, wire.Property]) -> str:
    lines = [message, "", "Answer with one line for each field:", ""]
    for name, field in fields.items():
        about = field.description or field.title or field.type
        choices = " | ".join(_choices(field))
        lines.append(f"{name}: {about}" + (f" ({choices})" if choices else ""))
    return "\n".join(lines)


def _lines(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _choices(field: wire.Property) -> dict[str, Any]:
    """What a person sees, and what it stands for."""
    if field.type == "boolean":
        return {YES: True, NO: False}
    titled = {option.title or option.const: option.const for option in field.one_of or ()}
    return titled or {value: value for value in field.enum or ()}


def _value(field: wire.Property, text: str) -> Any:
    """Raise ValueError if the text is no value of the field's type."""
    match field.type:
        case "integer":
            return int(text)
        case "number":
            return float(text)
        case "boolean":
            return text.strip().lower() in ("yes", "true", "y", "1")
        case "array":
            return [part.strip() for part in text.split(",") if part.strip()]
        case _:
            return _choices(field).get(text, text)
