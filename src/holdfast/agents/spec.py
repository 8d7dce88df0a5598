"""How an agent is called and started."""

from collections.abc import Mapping

import msgspec

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")


class AgentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """`env` is set for the agent; `keep` names variables of our environment that it gets besides the usual few.

    `warm` says that it may be started before its session is known.
    """

    name: str
    title: str
    command: tuple[str, ...]
    env: Mapping[str, str] = {}
    keep: tuple[str, ...] = ()
    warm: bool = False
