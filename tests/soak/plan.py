"""What a soak does, decided before it begins.

The same seed makes the same choices; at which moment of a run they fall is up to the machine.
"""

from random import Random

import msgspec

STORM = 0.4
"""The part of the time in which servers die, too. After it one server lives on, so that its memory can be judged."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`gap` is the mean of the seconds between two blows; `stay` that of those that a viewer stays connected."""

    seconds: float = 1800.0
    sessions: int = 20
    viewers: int = 30
    seed: int = 1
    gap: float = 4.0
    stay: float = 20.0

    @property
    def names(self) -> list[str]:
        return [f"soak-{number:02}" for number in range(1, self.sessions + 1)]

    @property
    def storm(self) -> float:
        return self.seconds * STORM

    @property
    def pause(self) -> float:
        """Seconds between two samples: some 360 in all, and no more than one a second."""
        return max(1.0, self.seconds / 360)

    def dice(self, *who: object) -> Random:
        """Everybody has dice of their own, so that nobody's choices hang on when another chooses."""
        return Random(":".join(map(str, (self.seed, *who))))

    def followed(self, viewer: int) -> list[str]:
        """The sessions that a viewer follows: every session has a viewer, most have several."""
        names = self.names
        more = self.dice("followed", viewer).sample(names, min(2, len(names)))
        return list(dict.fromkeys([names[viewer % len(names)], *more]))
