"""How much the agent may do without asking."""

from enum import StrEnum

import msgspec

from holdfast.agents.builtin.about import ABOUT
from holdfast.agents.builtin.deed import Deed, Tool
from holdfast.agents.builtin.link import Json

EDIT = "edit"


class Mode(StrEnum):
    """`default` asks for what is dangerous, `ask` for every edit and command, `read` changes nothing."""

    DEFAULT = "default"
    ASK = "ask"
    READ = "read"

    def offers(self, tool: Tool) -> bool:
        return self is not Mode.READ or not tool.changes

    def asking(self, tool: Tool, deed: Deed) -> Deed | None:
        """The deed as it has to be asked for; None if it may just be done."""
        if deed.keys:
            return deed
        if self is Mode.ASK and (tool.changes or deed.changes):
            if deed.kind == "execute":
                return deed  # without a key: what is remembered is exactly this command
            return msgspec.structs.replace(deed, keys=(EDIT,))
        return None


def described(current: Mode) -> Json:
    """As the protocol says it."""
    modes = [{"id": mode, "name": name, "description": about} for mode, (name, about) in ABOUT.items()]
    return {"currentModeId": current, "availableModes": modes}
