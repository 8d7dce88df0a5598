"""The model that a conversation talks to, and what its provider's errors mean in words.

Clients are kept while the process lives: a connection that is open answers sooner.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec
from openai import AsyncOpenAI, Timeout
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from holdfast.core.errors import Refused
from holdfast.endpoints import Endpoint, read_endpoints, split
from holdfast.listing import Listing, list_models
from holdfast.settings import Settings

CONNECT, SILENCE = 10.0, 600.0
"""Seconds to reach a server, and that it may say nothing: a local model can read a long prompt for minutes."""
NO_KEY = "none"
"""What is sent as a key where none is wanted; the client insists on one."""
EXCERPT = 300


class NoModel(Refused):
    """{0}"""


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A model on an endpoint."""

    endpoint: Endpoint
    name: str

    @property
    def id(self) -> str:
        """As a session names it."""
        return f"{self.endpoint.name}/{self.name}"


class Providers:
    """The endpoints of this home, as they are now, and the clients made for them."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ
        self._clients: dict[tuple[str, str], AsyncOpenAI] = {}
        self._listings: dict[str, asyncio.Task[Listing]] = {}

    def warm(self) -> None:
        """Have a client for every endpoint that names a model: making one takes longer than a first word should."""
        with contextlib.suppress(Refused):
            for endpoint in self.endpoints().values():
                if endpoint.offered:
                    self.model(Chosen(endpoint=endpoint, name=split(endpoint.offered[0])[1]))

    async def close(self) -> None:
        for asking in self._listings.values():
            asking.cancel()
        for client in self._clients.values():
            await client.close()

    def endpoints(self) -> dict[str, Endpoint]:
        """Read anew each time: a key may have been added on the page a moment ago."""
        return read_endpoints(self._settings, self._environ)

    def offered(self) -> list[str]:
        """Every model that the endpoints name, the likeliest first."""
        return [model for endpoint in self.endpoints().values() for model in endpoint.offered]

    async def choose(self, wanted: str) -> Chosen:
        """The model that is named, or the one to use when none is. Raise `NoModel` with what to do."""
        endpoints = self.endpoints()
        if not endpoints:
            raise NoModel("No model is set up yet. Add a model endpoint in Settings, or set OPENAI_API_KEY.")
        name, model = split(wanted)
        if wanted and name not in endpoints:
            raise NoModel(
                f"There is no endpoint {name!r} (for the model {wanted!r}). There are: {', '.join(endpoints)}."
            )
        candidates = [endpoints[name]] if wanted else list(endpoints.values())
        named = next((each for each in candidates if each.offered), candidates[0])
        return Chosen(endpoint=named, name=model or await self._first(named))

    async def _first(self, endpoint: Endpoint) -> str:
        if endpoint.offered:
            return split(endpoint.offered[0])[1]
        listing = await list_models(endpoint)
        if len(listing.models) == 1:
            return listing.models[0]
        why = listing.problem or f"{endpoint.name} serves {len(listing.models)} models and none is chosen."
        raise NoModel(f"{why} Choose a model in Settings, or for this session.")

    def model(self, chosen: Chosen) -> OpenAIChatModel:
        endpoint = chosen.endpoint
        place = (endpoint.base_url, endpoint.key)
        client = self._clients.get(place)
        if client is None:
            client = self._clients[place] = AsyncOpenAI(
                base_url=endpoint.base_url,
                api_key=endpoint.key or NO_KEY,
                max_retries=0,  # tries again are ours, so that people are told of them
                timeout=Timeout(SILENCE, connect=CONNECT),
            )
        if urlsplit(endpoint.base_url).hostname == "api.openai.com":
            return OpenAIChatModel(chosen.name, provider=OpenAIProvider(openai_client=client))
        return OpenAIChatModel(chosen.name, provider=OpenAICompatibleProvider(endpoint.name, openai_client=client))

    def window(self, chosen: Chosen) -> int:
        """How many tokens it can look at; 0 if that is not known (yet)."""
        asked = self._listings.get(chosen.endpoint.base_url)
        known = asked.result().windows if asked is not None and asked.done() and not asked.cancelled() else {}
        return chosen.endpoint.window or known.get(chosen.name, 0)

    def learn_window(self, chosen: Chosen) -> None:
        """Ask the endpoint once, beside all else, how much its models can look at. One that does not say is fine."""
        if not chosen.endpoint.window and chosen.endpoint.base_url not in self._listings:
            self._listings[chosen.endpoint.base_url] = asyncio.create_task(list_models(chosen.endpoint))


def passing(error: ModelAPIError) -> bool:
    """Whether the same request may well succeed a little later."""
    return isinstance(error, ModelRateLimitError | ModelUnavailableError | ModelServerError | ModelConnectionError)


def explain(error: ModelAPIError, chosen: Chosen) -> str:
    """What went wrong and what to do, in a sentence, without the key."""
    where, model = chosen.endpoint.name, chosen.name
    said = _said(error)
    match error:
        case ModelAuthenticationError():
            do = "Check its key in Settings" if chosen.endpoint.key else "Add a key for it in Settings"
            sentence = f"{where} refused the key. {do}, then send the message again."
        case ModelNotFoundError():
            sentence = f"{where} has no model {model!r}, or its address is wrong. Choose another model in Settings."
        case ModelQuotaExceededError():
            sentence = f"The account at {where} is out of credit or over its quota."
        case ModelRateLimitError():
            sentence = f"{where} gets too many requests right now. Wait a little, then send the message again."
        case ModelContextWindowExceededError():
            sentence = f"The conversation is longer than {model} can look at. Start a new session, or use /compact."
        case ModelTimeoutError():
            sentence = f"{where} said nothing for too long. Try again, or choose another model."
        case ModelConnectionError():
            sentence = f"{where} can't be reached at {chosen.endpoint.base_url}. Check that it runs."
        case ModelUnavailableError() | ModelServerError():
            sentence = f"{where} failed. Try again in a moment, or choose another model."
        case _:
            sentence = f"{where} refused the request."
    text = f"{sentence} It said: {said}" if said else sentence
    return text.replace(chosen.endpoint.key, "[key]") if chosen.endpoint.key else text


def _said(error: ModelAPIError) -> str:
    """The provider's own words."""
    status = f"{error.status_code}" if isinstance(error, ModelHTTPError) else ""
    body = error.body
    if isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        inner = fields.get("error")
        body = cast("dict[str, Any]", inner).get("message") if isinstance(inner, dict) else fields.get("message", inner)
    words = " ".join(str(body).split())[:EXCERPT] if body else ""
    return f"{words} ({status})" if words and status else words or (f"status {status}" if status else "")
