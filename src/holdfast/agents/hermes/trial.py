"""Whether the Hermes that was found can be used: its Python starts, imports it, and it has what the bridge needs.

Files can't tell that. It is started as it would be for a session and hears the first words of the protocol, in a home
of its own that is thrown away: looking leaves nothing in a person's.
"""

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

import msgspec

from holdfast.agents.acp.client import AcpAgent, AgentUnusable
from holdfast.agents.spec import AgentSpec

PATIENCE = 45.0
"""Seconds that it gets."""


async def try_out(spec: AgentSpec, patience: float = PATIENCE) -> str:
    """What is wrong with it, as a sentence; empty if it can be used. Nothing of it is left running."""
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="holdfast-hermes-"))
    aside = msgspec.structs.replace(spec, env={**spec.env, "HERMES_HOME": str(folder)})
    try:
        agent = await AcpAgent.start(aside, workspace=folder, tag=f"trial:{os.getpid()}", patience=patience)
    except AgentUnusable as exc:
        return exc.reason
    else:
        await agent.end()
        return ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)
