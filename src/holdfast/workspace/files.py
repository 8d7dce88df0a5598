"""Which files an agent may have through us: those that are really inside its workspace.

Law: what `resolve` returns is a real path, inside the real workspace and outside of what is excluded, whatever links
and dots led there. A file that does not exist yet is judged by where it would come to lie.
"""

import errno
from collections.abc import Iterable
from pathlib import Path

from holdfast.core.errors import Refused


class OutsideWorkspace(Refused):
    """{0} is not inside the workspace {1}. Choose a file in there, or a session with another folder."""

    status = 403


class Excluded(Refused):
    """{0} belongs to Holdfast itself or holds secrets, and no agent gets it."""

    status = 403


class NoPath(Refused):
    """{0!r} can't be a path: {1}."""

    status = 400


class Workspace:
    """The folder `root` without the folders and files that are `excluded`.

    A folder that contains the workspace does not exclude it: a session without a folder works inside Holdfast's home.
    """

    def __init__(self, root: Path, excluded: Iterable[Path] = ()) -> None:
        self.root = root.resolve()
        real = [path.expanduser().resolve() for path in excluded]
        self._excluded = [path for path in real if not self.root.is_relative_to(path)]

    def resolve(self, path: str | Path) -> Path:
        """The real path of `path`, taken from the workspace if it is relative. Raise a sentence if it is not in it."""
        try:
            real = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError) as exc:
            raise NoPath(str(path), _reason(exc)) from exc
        if not real.is_relative_to(self.root):
            raise OutsideWorkspace(path, self.root)
        if any(real.is_relative_to(place) for place in self._excluded):
            raise Excluded(path)
        return real


def _reason(exc: Exception) -> str:
    looped = isinstance(exc, RuntimeError) or (isinstance(exc, OSError) and exc.errno == errno.ELOOP)
    return "its links lead in a circle" if looped else str(exc)
