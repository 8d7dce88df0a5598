"""Adds the agent `stamps` to the catalog of every Holdfast process that finds this file on its path."""

import sys
from pathlib import Path

from holdfast.agents import catalog

PROGRAM = Path(__file__).parent.parent / "stamps.py"

catalog.BUILT_IN = {
    **catalog.BUILT_IN,
    "stamps": catalog.AgentSpec(name="stamps", title="Stamps", command=(sys.executable, "-P", str(PROGRAM))),
}
