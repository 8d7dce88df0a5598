"""Agents: which there are, whether one works, what a new session gets, and having one opened before it is needed."""

import asyncio
from typing import Annotated

from msgspec import Meta

from holdfast.core import ids
from holdfast.core.errors import NoSuchSession
from holdfast.core.events import DefaultsChosen
from holdfast.core.ids import HOUSE
from holdfast.rules import read_house
from holdfast.server.endpoint import FromPath, JSONBody, QueryField, get, post, put
from holdfast.server.schema.agents import AgentCheck, AgentList, NewDefaults, Starters, Woken
from holdfast.server.wired import Caller, Wired
from holdfast.workspace.files import check_root
from holdfast.workspace.starters import starters


@get("/api/agents", summary="Every agent that could be used, and how it stands")
async def list_agents(wiring: Wired) -> AgentList:
    return await _listed(wiring)


@post("/api/agents/look", summary="Look again what is on this machine; the list tells when that is done", status=200)
async def look_again(wiring: Wired) -> AgentList:
    wiring.roster.look_again()
    return await _listed(wiring)


@post("/api/agents/{name}/check", summary="Start an agent to see whether it works", status=200)
async def check_agent(wiring: Wired, name: FromPath[str]) -> AgentCheck:
    checked = await wiring.roster.check(name)
    known = next((agent for agent in wiring.roster.survey.agents if agent.name == name), None)
    return AgentCheck(ready=checked.ready, reason=checked.reason, agent=known)


@get("/api/starters", summary="What could be asked first in a folder, by the names of what lies in it")
async def list_starters(workspace: Annotated[str, QueryField(limits=Meta(max_length=4096))]) -> Starters:
    return Starters(starters=await asyncio.to_thread(starters, workspace))


@put("/api/defaults", summary="Choose what a new session is given", status=200)
async def choose_defaults(wiring: Wired, client: Caller, data: JSONBody[NewDefaults]) -> AgentList:
    if data.workspace:
        check_root(data.workspace, wiring.settings.home)
    chosen = DefaultsChosen(agent=data.agent, model=data.model, mode=data.mode, workspace=data.workspace, client=client)
    await wiring.store.append(HOUSE, [chosen])
    return await _listed(wiring)


@post(
    "/api/sessions/{session_id}/wake",
    summary="Have the session's agent opened: somebody is about to write",
    status=202,
)
async def wake_session(wiring: Wired, session_id: FromPath[str]) -> Woken:
    session = ids.session_id(session_id)
    state = (await wiring.store.open(session)).session
    if state.deleted:
        raise NoSuchSession(session)
    if not state.alive:
        wiring.supervisor.wake(session)
    return Woken(session=session)


async def _listed(wiring: Wired) -> AgentList:
    survey = wiring.roster.survey
    defaults = (await read_house(wiring.store)).defaults
    known = {agent.name for agent in survey.agents}
    chosen = wiring.settings.agent or (defaults.agent if defaults.agent in known else "")
    return AgentList(
        agents=survey.agents,
        default=chosen or survey.default,
        defaults=defaults,
        hints=survey.hints,
        looking=wiring.roster.looking,
    )


ROUTES = (list_agents, look_again, check_agent, list_starters, choose_defaults, wake_session)
