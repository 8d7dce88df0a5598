"""The agents that a session can be given to: what each is called and how it is started."""

import sys
from collections.abc import Mapping

import msgspec

from holdfast.agents.hermes.find import find_hermes, profile_spec, profiles, spec
from holdfast.agents.known import KNOWN
from holdfast.agents.spec import PROXIES, AgentSpec
from holdfast.core.errors import Refused
from holdfast.endpoints import key_variables
from holdfast.settings import Settings


class NoSuchAgent(Refused):
    """There is no agent {0!r}. There are: {1}."""

    status = 404


TOUR = AgentSpec(
    name="tour",
    title="Tour (scripted, no model)",
    # -P: a file in the workspace must not pass for a module of the agent.
    command=(sys.executable, "-P", "-m", "holdfast.agents.scripted"),
    warm=True,
)
BUILTIN = AgentSpec(
    name="builtin",
    title="Built-in",
    command=(sys.executable, "-P", "-m", "holdfast.agents.builtin"),
    keep=PROXIES,
    warm=True,
)
BUILT_IN: Mapping[str, AgentSpec] = {
    TOUR.name: TOUR,
    BUILTIN.name: BUILTIN,
    **{
        known.name: AgentSpec(
            name=known.name, title=known.title, command=known.command, keep=(*PROXIES, *known.keys, *known.keep)
        )
        for known in KNOWN.values()
    },
}
"""Ours, and those of others that we know how to start, installed or not."""


def added_in(settings: Settings) -> dict[str, AgentSpec]:
    """What a person has added in `config.toml`, Hermes, and the built-in agent with the variables of its keys."""
    builtin = msgspec.structs.replace(BUILTIN, keep=(*PROXIES, *key_variables(settings)))
    hermes = find_hermes(settings)
    theirs = [] if hermes.problem else [spec(hermes), *(profile_spec(hermes, other) for other in profiles(hermes))]
    there = [builtin, *theirs]
    return {agent.name: agent for agent in there} | {
        name: AgentSpec(name=name, title=entry.title or name, command=entry.command, env=entry.env, keep=entry.keep)
        for name, entry in settings.file.agents.items()
    }


def catalog(added: Mapping[str, AgentSpec] | None = None) -> dict[str, AgentSpec]:
    """Every agent by its name. One that a person added replaces the built-in one of that name."""
    return {**BUILT_IN, **(added or {})}


def find(name: str, added: Mapping[str, AgentSpec] | None = None) -> AgentSpec:
    """Raise `NoSuchAgent` if there is none of that name. No name means the tour."""
    agents = catalog(added)
    spec = agents.get(name or TOUR.name)
    if spec is None:
        raise NoSuchAgent(name, ", ".join(agents))
    return spec
