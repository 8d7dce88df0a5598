"""Asking a person for leave to do one thing.

Law: what is carried out is what the person saw. The client's answer names it by a digest of command, arguments, folder
and changes; ours is made of the very request that was sent, by the client's own reading of it.
"""

from typing import Any, NamedTuple

import msgspec

from holdfast.agents.acp import asks, wire
from holdfast.agents.acp.calls import Calls
from holdfast.agents.builtin.deed import Deed
from holdfast.agents.builtin.link import Json, Voice, at
from holdfast.core.policy import digest

OPTIONS = [
    {"optionId": "allow", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]
OTHER = "What was approved is not what was asked for, so nothing was done."


class Verdict(NamedTuple):
    """Whether it may be done. `told` is what the model hears if not."""

    allowed: bool
    told: str = ""


async def ask(voice: Voice, call: Json, deed: Deed, directory: str) -> Verdict:
    """`call` is the tool call as it was shown."""
    ours: Json = {"directory": directory, "description": deed.why, "patternKeys": deed.keys}
    params: Json = {"toolCall": call, "options": OPTIONS, "_meta": {"holdfast": ours}}
    answer = await voice.ask("session/request_permission", **params)
    chosen = at(answer, "outcome", "optionId")
    if chosen != "allow":
        return Verdict(allowed=False, told=_refusal(answer))
    named = at(answer, "_meta", "holdfast", "digest")
    if named not in (None, _digest(params, directory)):
        return Verdict(allowed=False, told=OTHER)
    return Verdict(allowed=True)


def _refusal(answer: Json | None) -> str:
    if at(answer, "outcome", "outcome") != "selected":
        return "Nobody allowed this, so it was not done."
    reason = at(answer, "_meta", "holdfast", "reason")
    because = f" Their reason: {reason}" if reason else ""
    return f"The user denied this, so it was not done.{because} Do not try to reach the same by other means."


def _digest(params: dict[str, Any], directory: str) -> str:
    raw = msgspec.json.encode({"sessionId": "", **params})
    wanted = msgspec.json.decode(raw, type=wire.PermissionWanted)
    seen = asks.permission("", wanted, Calls().describe(wanted.tool_call), directory)
    return digest(seen.command, seen.arguments, seen.directory, seen.diffs)
