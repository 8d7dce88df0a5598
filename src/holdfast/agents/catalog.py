"""The agents that a session can be given to: what each is called and how it is started."""

import sys
from collections.abc import Mapping

import msgspec

from holdfast.core.errors import Refused
from holdfast.settings import Settings


class NoSuchAgent(Refused):
    """There is no agent {0!r}. There are: {1}."""

    status = 404


class AgentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """`env` is set for the agent; `keep` names variables of our environment that it gets besides the usual few."""

    name: str
    title: str
    command: tuple[str, ...]
    env: Mapping[str, str] = {}
    keep: tuple[str, ...] = ()


TOUR = AgentSpec(
    name="tour",
    title="Tour (scripted, no model)",
    # -P: a file in the workspace must not pass for a module of the agent.
    command=(sys.executable, "-P", "-m", "holdfast.agents.scripted"),
)
BUILT_IN: Mapping[str, AgentSpec] = {TOUR.name: TOUR}


def added_in(settings: Settings) -> dict[str, AgentSpec]:
    """What there is on this machine, and what a person has added in `config.toml`."""
    from holdfast.agents.hermes.find import find_hermes, spec

    hermes = find_hermes(settings)
    there = {} if hermes.problem else {hermes_spec.name: hermes_spec for hermes_spec in (spec(hermes),)}
    return there | {
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
