"""Model endpoints of the built-in agent: list, save, remove, try. A key goes in and never comes out."""

import asyncio
import os

from msgspec import UNSET

from holdfast.endpoints import Endpoint, public, read_endpoints, remove_endpoint, save_endpoint
from holdfast.listing import list_models
from holdfast.server.endpoint import FromPath, JSONBody, delete, get, post, put
from holdfast.server.schema.agents import EndpointList, EndpointTrial, EndpointTried, NewEndpoint
from holdfast.server.wired import Wired


@get("/api/endpoints", summary="Where the built-in agent finds its models")
async def list_endpoints(wiring: Wired) -> EndpointList:
    return await _listed(wiring)


@put("/api/endpoints/{name}", summary="Add an endpoint, or change the one of that name", status=200)
async def put_endpoint(wiring: Wired, name: FromPath[str], data: JSONBody[NewEndpoint]) -> EndpointList:
    await asyncio.to_thread(_save, wiring, name, data)
    wiring.roster.look_again()
    return await _listed(wiring)


@delete("/api/endpoints/{name}", summary="Forget an endpoint and its key", status=200)
async def delete_endpoint(wiring: Wired, name: FromPath[str]) -> EndpointList:
    await asyncio.to_thread(remove_endpoint, wiring.settings, name)
    wiring.roster.look_again()
    return await _listed(wiring)


@post("/api/endpoints/try", summary="List the models that an address serves", status=200)
async def try_endpoint(wiring: Wired, data: JSONBody[EndpointTrial]) -> EndpointTried:
    known = (await asyncio.to_thread(read_endpoints, wiring.settings, os.environ)).get(data.name)
    # A key that is there is only ever sent to where it is meant for.
    kept = known.key if known is not None and known.base_url == data.base_url else ""
    endpoint = Endpoint(name=data.name or "new", base_url=data.base_url, key=data.key or kept)
    found = await list_models(endpoint)
    return EndpointTried(models=list(found.models), reason=found.problem)


def _save(wiring: Wired, name: str, data: NewEndpoint) -> None:
    known = read_endpoints(wiring.settings, os.environ).get(name)
    same = known if known is not None and known.base_url == data.base_url else None
    key = (same.key if same and not same.key_env else "") if data.key is UNSET else data.key
    variable = (same.key_env if same and data.key is UNSET else "") if data.key_env is UNSET else data.key_env
    save_endpoint(
        wiring.settings,
        Endpoint(
            name=name,
            base_url=data.base_url,
            key=key,
            key_env=variable,
            models=data.models,
            default_model=data.default_model,
            window=data.window,
        ),
    )


async def _listed(wiring: Wired) -> EndpointList:
    found = await asyncio.to_thread(read_endpoints, wiring.settings, os.environ)
    return EndpointList(endpoints=[public(endpoint) for endpoint in found.values()])


ROUTES = (list_endpoints, put_endpoint, delete_endpoint, try_endpoint)
