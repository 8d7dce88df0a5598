"""Every tool by its name."""

from collections.abc import Mapping

from holdfast.agents.builtin.deed import Tool
from holdfast.agents.builtin.tools.shell import SHELL

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (SHELL,)}
