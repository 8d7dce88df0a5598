"""Which commands are dangerous."""

import msgspec

from holdfast.workspace.files import Workspace


class Danger(msgspec.Struct, frozen=True):
    key: str
    why: str


def inspect(command: str, _workspace: Workspace) -> list[Danger]:
    return [Danger("recursive delete", "It deletes.")] if "rm -r" in command else []
