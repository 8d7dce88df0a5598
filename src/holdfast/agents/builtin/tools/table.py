"""Every tool by its name."""

from collections.abc import Mapping

from holdfast.agents.builtin.deed import Tool
from holdfast.agents.builtin.tools.change import EDIT, WRITE
from holdfast.agents.builtin.tools.fetch import FETCH
from holdfast.agents.builtin.tools.look import LIST, READ, SEARCH
from holdfast.agents.builtin.tools.shell import SHELL
from holdfast.agents.builtin.tools.talk import ASK, PLAN

ALL = (SHELL, READ, WRITE, EDIT, LIST, SEARCH, FETCH, ASK, PLAN)
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in ALL}
