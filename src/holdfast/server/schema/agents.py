"""The agents that there are, the models that the built-in one speaks to, and what a new session is given."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from holdfast.agents.survey import Hint, Surveyed
from holdfast.core.house import Defaults
from holdfast.core.ids import SessionId
from holdfast.endpoints import PublicEndpoint
from holdfast.server.schema.base import Answer, Body, Folder, Name
from holdfast.workspace.starters import Starter


class Starters(Answer, frozen=True, kw_only=True):
    """What could be asked first in a folder, by what lies in it, the most telling first."""

    starters: list[Starter]


class NewDefaults(Body, frozen=True, kw_only=True):
    """What a new session is given unless it says otherwise. What is given is changed; the rest stays."""

    agent: Name | UnsetType = UNSET
    model: Name | UnsetType = UNSET
    mode: Name | UnsetType = UNSET
    workspace: Folder | UnsetType = UNSET


class NewEndpoint(Body, frozen=True, kw_only=True):
    """Where models are served. Without `key` or `key_env` a key that is there stays; `key_env` names a variable."""

    base_url: Annotated[str, Meta(max_length=2000)]
    key: Annotated[str, Meta(max_length=2000)] | UnsetType = UNSET
    key_env: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    models: Annotated[tuple[Name, ...], Meta(max_length=1000)] = ()
    default_model: Name = ""
    window: Annotated[int, Meta(ge=0)] = 0


class EndpointTrial(Body, frozen=True, kw_only=True):
    """What to try. With the `name` of an endpoint that is there, its key is used unless another is given."""

    base_url: Annotated[str, Meta(max_length=2000)]
    key: Annotated[str, Meta(max_length=2000)] = ""
    name: Name = ""


class AgentList(Answer, frozen=True, kw_only=True):
    """Every agent that could be used, and how it stands. `looking`: a look goes on, so ask again in a moment.

    `default` is the agent of a session that names none, `defaults` what a person has chosen, `hints` what else was
    found on this machine.
    """

    agents: tuple[Surveyed, ...]
    default: str
    defaults: Defaults
    hints: tuple[Hint, ...]
    looking: bool


class AgentCheck(Answer, frozen=True, kw_only=True):
    """Whether the agent could be started just now; `reason` says why not."""

    ready: bool
    reason: str
    agent: Surveyed | None


class EndpointList(Answer, frozen=True, kw_only=True):
    endpoints: list[PublicEndpoint]


class EndpointTried(Answer, frozen=True, kw_only=True):
    """The models that are served there, or the reason why they could not be listed."""

    models: list[str]
    reason: str


class Woken(Answer, frozen=True, kw_only=True):
    """The agent is being opened, if there is a free place."""

    session: SessionId
