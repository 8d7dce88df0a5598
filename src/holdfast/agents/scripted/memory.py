"""How the scripted agent's commits of memory behave, until a directive says otherwise."""

from pathlib import Path
from typing import Any

import msgspec

DIARY = "memory.jsonl"
"""If the workspace has this file, every commit that is asked for is written into it."""


class Memory:
    def __init__(self) -> None:
        self.failures = 0
        """How many of the next commits fail."""
        self.seconds = 0.0
        """How long a commit takes."""

    def note(self, workspace: str, commit: dict[str, Any]) -> None:
        """Write down that a commit was asked for."""
        diary = Path(workspace) / DIARY
        if diary.is_file():
            with diary.open("ab") as file:
                file.write(msgspec.json.encode(commit) + b"\n")
