"""Which agents there are on this machine, how each stands, and which one a new session gets."""

import contextlib
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from holdfast import __version__
from holdfast.agents.builtin.about import ABOUT
from holdfast.agents.catalog import BUILTIN, TOUR, added_in, catalog
from holdfast.agents.hermes import bridge
from holdfast.agents.hermes import find as hermes
from holdfast.agents.spec import AgentSpec
from holdfast.agents.standing import Ask, look
from holdfast.core.errors import Refused
from holdfast.core.events import Option
from holdfast.endpoints import Endpoint, read_endpoints, split
from holdfast.listing import Listing, list_now
from holdfast.settings import Settings

log = logging.getLogger(__name__)

PROBE = 1.0
"""Seconds that a program on this machine gets to list its models."""
Family = Literal["hermes", "builtin", "tour", "acp"]


class Local(msgspec.Struct, frozen=True):
    """A program that serves models on this machine, and where it usually does."""

    name: str
    title: str
    base_url: str


LOCAL = (
    Local("ollama", "Ollama", "http://127.0.0.1:11434/v1"),
    Local("lm-studio", "LM Studio", "http://127.0.0.1:1234/v1"),
    Local("llama.cpp", "llama.cpp", "http://127.0.0.1:8080/v1"),
)
HERE = ("", "127.0.0.1", "localhost", "0.0.0.0", "::1", "::")  # noqa: S104  to be recognised, not to be bound
ASKING = Option(id="ask", name="Ask first", description="Before a file is written or a command is run.")
"""A mode that every agent has, because it is ours: see `agents/acp/errands.py`."""


class Surveyed(msgspec.Struct, frozen=True, kw_only=True):
    """One agent. `reason` says why it is not ready, and what to do. `model` is what it works with by itself."""

    name: str
    title: str
    family: Family = "acp"
    installed: bool = False
    version: str = ""
    ready: bool = False
    reason: str = ""
    model: str = ""
    models: tuple[Option, ...] = ()
    modes: tuple[Option, ...] = ()


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """Something on this machine that Holdfast could work with, as a choice of one press.

    `agent`: an agent that is ready. `endpoint`: models that are served on this machine. `key`: a key in the
    environment. `import`: data of another program. `detail` says more in a few words.
    """

    what: Literal["agent", "endpoint", "key", "import"]
    name: str
    title: str
    detail: str = ""
    base_url: str = ""
    models: tuple[str, ...] = ()


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """What was found. `default` is the agent of a session that names none."""

    agents: tuple[Surveyed, ...] = ()
    hints: tuple[Hint, ...] = ()
    default: str = "tour"


def default_among(agents: Iterable[Surveyed]) -> str:
    """Hermes if it is there, else the built-in agent if it has a model, else the tour. Others are to be chosen."""
    usable = [agent for agent in agents if agent.ready and agent.family != "acp"]
    ready = {agent.family: agent.name for agent in reversed(usable)}  # of several, the first counts
    return ready.get("hermes") or ready.get("builtin") or ready.get("tour") or "tour"


def take_survey(
    settings: Settings, environ: Mapping[str, str], local: Sequence[Local] | None = None
) -> Iterator[Survey]:
    """Look around: first at files alone, which is quick, then by asking, which takes a while.

    Asked are programs for their version, and this machine's usual ports for their models.
    """
    endpoints = _endpoints(settings, environ)
    ours = (*_hermes(settings, environ), _builtin(endpoints), _tour())
    others = _others(settings, {agent.name for agent in ours})
    yield _surveyed(ours, [_other(spec, environ, "never") for spec in others], (), endpoints, environ)
    served = _served(endpoints, local_servers(environ) if local is None else local)
    with ThreadPoolExecutor(max_workers=4) as pool:
        asked = list(pool.map(_other, others, repeat(environ), repeat("version")))
    yield _surveyed(ours, asked, served, endpoints, environ)


def _surveyed(
    ours: Sequence[Surveyed],
    others: Sequence[Surveyed],
    served: Sequence[Hint],
    endpoints: Mapping[str, Endpoint],
    environ: Mapping[str, str],
) -> Survey:
    agents = (*ours[:-1], *others, ours[-1])
    hints = (*_ready(agents), *served, *_keys(endpoints), *_data(environ))
    return Survey(agents=agents, hints=hints, default=default_among(agents))


def corrected(survey: Survey, agents: Iterable[Surveyed]) -> Survey:
    """The same survey with what is known of its agents now: what follows from that follows."""
    now = tuple(agents)
    ready = {agent.name for agent in now if agent.ready}
    hints = tuple(hint for hint in survey.hints if hint.what != "agent" or hint.name in ready)
    return msgspec.structs.replace(survey, agents=now, hints=hints, default=default_among(now))


def local_servers(environ: Mapping[str, str]) -> Sequence[Local]:
    """Where programs usually serve models; Ollama where its own variable says, if that is on this machine."""
    wanted = environ.get("OLLAMA_HOST", "").strip()
    with contextlib.suppress(ValueError):  # what is no address names no place
        place = urlsplit(wanted if "://" in wanted else f"//{wanted}")
        if place.port is not None and (place.hostname or "") in HERE:
            return [msgspec.structs.replace(LOCAL[0], base_url=f"http://127.0.0.1:{place.port}/v1"), *LOCAL[1:]]
    return LOCAL


def _endpoints(settings: Settings, environ: Mapping[str, str]) -> dict[str, Endpoint]:
    try:
        return read_endpoints(settings, environ)
    except Refused as exc:
        log.warning("endpoints.unreadable", extra={"error": str(exc)})
        return {}


def _builtin(endpoints: Mapping[str, Endpoint]) -> Surveyed:
    offered = [model for endpoint in endpoints.values() for model in endpoint.offered]
    reason = "" if offered else "It has no model yet. Add an endpoint in Settings, and choose its models."
    return Surveyed(
        name=BUILTIN.name,
        title=BUILTIN.title,
        family="builtin",
        installed=True,
        version=__version__,
        ready=bool(offered),
        reason=reason,
        model=offered[0] if offered else "",
        models=tuple(Option(id=model, name=split(model)[1], description=split(model)[0]) for model in offered),
        modes=tuple(Option(id=mode, name=name, description=about) for mode, (name, about) in ABOUT.items()),
    )


def _tour() -> Surveyed:
    return Surveyed(name=TOUR.name, title=TOUR.title, family="tour", installed=True, version=__version__, ready=True)


def _ready(agents: Iterable[Surveyed]) -> list[Hint]:
    """Agents of others that can be used as they are."""
    return [
        Hint(what="agent", name=agent.name, title=agent.title, detail=agent.version)
        for agent in agents
        if agent.ready and (agent.name == hermes.NAME or agent.family == "acp")
    ]


def _served(endpoints: Mapping[str, Endpoint], local: Sequence[Local]) -> list[Hint]:
    """Models that programs on this machine serve and that nobody has added yet."""
    known = {endpoint.base_url.rstrip("/") for endpoint in endpoints.values()}
    wanted = [each for each in local if each.base_url not in known]
    with ThreadPoolExecutor(max_workers=max(1, len(wanted))) as pool:
        listings = pool.map(_probe, wanted)
        return [
            Hint(
                what="endpoint",
                name=each.name,
                title=each.title,
                detail=f"{len(listing.models)} model{'s' if len(listing.models) > 1 else ''} on this machine",
                base_url=each.base_url,
                models=listing.models,
            )
            for each, listing in zip(wanted, listings, strict=True)
            if listing.models
        ]


def _probe(local: Local) -> Listing:
    return list_now(Endpoint(name=local.name, base_url=local.base_url), PROBE)


def _keys(endpoints: Mapping[str, Endpoint]) -> list[Hint]:
    """Keys in the environment that nobody has chosen a model for."""
    return [
        Hint(what="key", name=endpoint.name, title=endpoint.name, detail=endpoint.key_env, base_url=endpoint.base_url)
        for endpoint in endpoints.values()
        if endpoint.source == "environment" and not endpoint.offered
    ]


def _data(environ: Mapping[str, str]) -> list[Hint]:
    """Sessions of hermes-webui, which can be taken over."""
    home = Path(environ.get("HERMES_HOME") or "~/.hermes").expanduser()
    folder = Path(environ.get("HERMES_WEBUI_STATE_DIR") or home / "webui").expanduser()
    try:
        count = sum(1 for _ in (folder / "sessions").glob("*.json"))
    except OSError:
        return []
    sessions = f"{count} session{'s' if count != 1 else ''} in {folder}"
    return [Hint(what="import", name="hermes-webui", title="hermes-webui", detail=sessions)] if count else []


def _hermes(settings: Settings, environ: Mapping[str, str]) -> list[Surveyed]:
    """Hermes as it would be started by itself, and with each of its other profiles."""
    found = hermes.find_hermes(settings, environ)
    main = _with_profile(found, hermes.NAME, hermes.TITLE)
    if found.problem:
        return [main]
    others = [hermes.profile_spec(found, other) for other in hermes.profiles(found)]
    return [main, *(_with_profile(found, other.name, other.title) for other in others)]


def _with_profile(found: hermes.Found, name: str, title: str) -> Surveyed:
    return Surveyed(
        name=name,
        title=title,
        family="hermes",
        installed=bool(found.python),
        version=found.version,
        ready=not found.problem,
        reason=found.problem,
        modes=tuple(Option(id=mode, name=name, description=about) for mode, (name, about) in bridge.MODES.items()),
    )


def _other(spec: AgentSpec, environ: Mapping[str, str], ask: Ask) -> Surveyed:
    standing = look(spec, environ, ask=ask)
    return Surveyed(
        name=spec.name,
        title=spec.title,
        installed=standing.installed,
        version=standing.version,
        ready=standing.ready,
        reason=standing.reason,
        modes=(ASKING,),
    )


def _others(settings: Settings, ours: Collection[str]) -> list[AgentSpec]:
    """Every agent that is neither built in nor Hermes: those that a person added, and those that we know."""
    return [spec for name, spec in catalog(added_in(settings)).items() if name not in ours]
