"""The table: every fault point on the way of a run, and every moment of a turn, against everybody who can die there."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from holdfast import faults
from tests.crashes.points import Role
from tests.crashes.scene import Victim

Column = Literal["server", "runner", "agent", "server + runner", "second kill"]

VICTIMS: dict[Column, tuple[Victim, ...]] = {
    "server": ("server",),
    "runner": ("runner",),
    "agent": ("agent",),
    "server + runner": ("server", "runner"),
}
COLUMNS: tuple[Column, ...] = (*VICTIMS, "second kill")

WRITING = ("store.locked", "store.written", "store.committed")
STREAMING = (*WRITING, "store.settled", "outbox.appending", "outbox.appended", "spool.written")
"""Reached by a runner while its agent works."""
TURNING = {
    "runner.turn_started": "stream",
    "runner.agent_opened": "think",
    "runner.delivered": "approve",
    "runner.steered": "steer",
    "runner.turn_ending": "tool",
}
"""Reached by a runner once in a turn, with the script that leads there."""
TAKING_OVER = ("ownership.locked", "store.claimed", "salvage.claimed", "salvage.adopted")
"""Reached by a runner that finds its session's last run dead."""
ASKED = (*WRITING, "server.appended")
"""Reached by a server when a person does something."""
RECORDING = ("store.settled", "store.claimed", "salvage.claimed", "salvage.adopted")
"""Reached by a server that writes down the loss of a run."""
SPAWNING = ("supervisor.spawning", "supervisor.spawned")
"""Reached by a server that starts a runner, while another session's turn runs."""
MOMENTS = {
    "the agent speaks": ("stream", "text.appended", 5),
    "the agent thinks": ("think", "thought.appended", 5),
    "the agent uses a tool": ("tool", "tool.changed", 1),
    "an approval waits": ("approve", "approval.requested", 1),
    "three approvals wait": ("many", "approval.requested", 3),
    "a question waits": ("ask", "question.asked", 1),
    "an approval was given": ("approve", "approval.answered", 1),
    "a cancel was asked for": ("cancel", "turn.cancel_requested", 1),
    "a turn was queued": ("queue", "turn.submitted", 2),
    "a tool outlives its parent": ("spawn", "text.appended", 5),
}
"""Not a point in our code but something that a browser has just been shown: script, kind of record, which of them."""

ELSEWHERE = ("blobs.", "backup.", "restore.", "runner.memory_")
"""Points that no turn passes; their own suites visit them."""
NOBODY = "no agent lives then: the dead run's was ended before, the next one is not started yet"
IMPOSSIBLE: dict[tuple[str, Column], str] = {
    **{(point, "agent"): NOBODY for point in TAKING_OVER},
}


class Case(NamedTuple):
    """`at` is who stands at the point; empty for a moment. A random case has a seed instead."""

    point: str
    column: Column
    script: str = ""
    at: Role | Literal[""] = ""
    seed: int = 0

    @property
    def name(self) -> str:
        if self.seed:
            return f"random {self.seed}"
        return f"{self.point}{'@' + self.at if self.at else ''} / {self.column} / {self.script}"

    @property
    def session(self) -> str:
        return "".join(letter if letter.isalnum() else "-" for letter in self.name)[:50]


def table() -> list[Case]:
    return [*_streaming(), *_turning(), *_taking_over(), *_asked(), *_recording(), *_spawning(), *_moments()]


def seeds(first: int, count: int) -> list[Case]:
    return [Case("random", "server", seed=seed) for seed in range(first, first + count)]


def covered(cases: list[Case]) -> set[tuple[str, Column]]:
    return {(case.point, case.column) for case in cases}


def run_points() -> list[str]:
    """Every listed point that a run can pass."""
    return [name for name in faults.ALL if not name.startswith(ELSEWHERE)]


def _streaming() -> Iterator[Case]:
    for number, point in enumerate(STREAMING):
        for column in COLUMNS:
            for script in (("stream", "think", "queue")[number % 3], ("tool", "ask", "approve")[number % 3]):
                yield Case(point, column, script, "runner")


def _turning() -> Iterator[Case]:
    for point, script in TURNING.items():
        for column in COLUMNS:
            yield Case(point, column, script, "runner")
    for column in COLUMNS:
        yield Case("runner.delivered", column, "ask", "runner")
        yield Case("runner.turn_ending", column, "queue", "runner")


def _taking_over() -> Iterator[Case]:
    for point in TAKING_OVER:
        for column in COLUMNS:
            if (point, column) not in IMPOSSIBLE:
                yield Case(point, column, "queue" if point == "ownership.locked" else "approve", "runner")


def _asked() -> Iterator[Case]:
    for number, point in enumerate(ASKED):
        for column in COLUMNS:
            for script in (("queue", "steer")[number % 2], ("approve", "cancel")[number % 2]):
                yield Case(point, column, script, "server")


def _recording() -> Iterator[Case]:
    for point in RECORDING:
        for column in ("server + runner", "second kill"):
            yield Case(point, column, "stream", "server")
            yield Case(point, column, "many", "server")


def _spawning() -> Iterator[Case]:
    for point in SPAWNING:
        for column in COLUMNS:
            yield Case(point, column, "stream", "server")


def _moments() -> Iterator[Case]:
    for moment, (script, _, _) in MOMENTS.items():
        for column in COLUMNS:
            yield Case(moment, column, script)
