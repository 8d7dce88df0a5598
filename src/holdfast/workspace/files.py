"""The one resolver: which file a path means, and whether it may be touched.

Law: what comes out lies inside the workspace by its real path, every link followed, and is neither among the excluded
places nor a name that holds secrets. Between the look and the use a link could be put in the way; so `opened` looks
again at what was really opened, and hands out nothing that lies elsewhere.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import IO

from holdfast.core.errors import Refused
from holdfast.settings import WORKSPACES

SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store"})
SECRET_FILES = frozenset(
    {".netrc", ".pgpass", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd", "id_rsa", "id_dsa", "id_ecdsa"}
    | {"id_ed25519", "credentials.json", ".env"}
)
SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore")
HARMLESS_ENV = (".example", ".sample", ".template", ".dist")


class OutOfBounds(Refused):
    """{0} {1}"""

    status = 403


class NoWorkspace(Refused):
    """{0} belongs to Holdfast itself, so no agent may work there. Choose another folder, or none to get a new one."""

    status = 400


class NoFolder(NoWorkspace):
    """{0!r} can't be a folder to work in ({1}). Choose another one, or none to get a new one."""


def check_root(folder: str | Path, home: Path) -> None:
    """Raise `NoWorkspace` for a folder of the home that is not one of those which sessions are given there, and for
    what can't be any folder. Whether it is there, whoever begins to work there is told."""
    try:
        real = Path(folder).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as exc:
        raise NoFolder(str(folder), str(exc).rstrip(".")) from exc
    if _within(real, home.resolve()):
        raise NoWorkspace(folder)


def _within(root: Path, closed: Path) -> bool:
    """Whether `root` is a part of a closed place, and none that was made there to be worked in."""
    return root.is_relative_to(closed) and closed / WORKSPACES not in root.parents


class Workspace:
    """`excluded` are places that stay closed even if they lie inside, like the home that holds the keys."""

    def __init__(self, root: Path, excluded: Iterable[Path] = ()) -> None:
        self.root = root.resolve()
        self._excluded = tuple(place.resolve() for place in excluded)
        self.closed = self._excluded[0] if self._excluded else None
        """The first of the excluded places, for whoever reads what names it."""

    def resolve(self, path: str | Path) -> Path:
        """The real path that `path` means, seen from the workspace. It need not exist. Raise `OutOfBounds`."""
        text = str(path)
        if "\0" in text or not text.strip():
            raise OutOfBounds("That", "is no path.")
        try:
            real = (self.root / Path(text).expanduser()).resolve()
        except (OSError, RuntimeError, ValueError) as exc:
            raise OutOfBounds(repr(text), f"can't be followed: {exc}.") from exc
        self._check(real, text)
        return real

    def _check(self, real: Path, text: str) -> None:
        if not real.is_relative_to(self.root):
            through = " It is a link, or lies behind one." if _looks_inside(text, self.root) else ""
            raise OutOfBounds(text, f"lies outside of the workspace {self.root}.{through}")
        if any(real.is_relative_to(place) for place in self._closed()):
            raise OutOfBounds(text, "belongs to Holdfast itself and stays closed.")
        if secret(real.relative_to(self.root)):
            raise OutOfBounds(text, "holds secrets by its name, so it stays closed. Ask the person for what you need.")

    def _closed(self) -> Iterable[Path]:
        """A workspace that a home holds for a session is there on purpose: it stays open."""
        return (place for place in self._excluded if not self.root.is_relative_to(place) or _within(self.root, place))

    def relative(self, real: Path) -> str:
        """As a person would write it."""
        return str(real.relative_to(self.root)) if real != self.root else "."

    def inside(self, path: str | Path) -> bool:
        """Whether the path may be touched."""
        try:
            self.resolve(path)
        except OutOfBounds:
            return False
        return True

    def below(self, real: Path, skipped: Collection[str] = ()) -> Iterator[Path]:
        """The ordinary files below a folder that `resolve` gave, as far as they may be touched; links are none.

        Folders named in `skipped`, and those that are closed, are not entered.
        """
        for folder, folders, files in os.walk(real):
            place = Path(folder)
            folders[:] = sorted(each for each in folders if each not in skipped and self.inside(place / each))
            for each in sorted(files):
                if self._ordinary(place / each):
                    yield place / each

    def _ordinary(self, path: Path) -> bool:
        """Whether it is a file that may be touched, and no link. What can't be looked at is none."""
        try:
            return not path.is_symlink() and path.is_file() and self.inside(path)
        except OSError:
            return False

    def read_bytes(self, real: Path, most: int) -> bytes:
        """Up to `most` bytes of a file that `resolve` gave."""
        with self.opened(real, os.O_RDONLY) as file:
            return file.read(most)

    def opened(self, real: Path, flags: int) -> IO[bytes]:
        """The file, if what was opened is the very one that `resolve` gave and an ordinary one."""
        # Not blocking: a pipe without a writer would hold us for ever.
        handle = os.open(real, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        try:
            self._look_again(real, os.fstat(handle))
        except BaseException:
            os.close(handle)
            raise
        return os.fdopen(handle, "wb" if flags & os.O_WRONLY else "rb")

    def _look_again(self, real: Path, opened: os.stat_result) -> None:
        if not stat.S_ISREG(opened.st_mode):
            raise OutOfBounds(self.relative(real), "is no ordinary file.")
        again = real.resolve()
        there = again.stat()
        if again != real or (there.st_dev, there.st_ino) != (opened.st_dev, opened.st_ino):
            raise OutOfBounds(str(real), "was changed into something else while it was being opened.")

    def write_text(self, real: Path, text: str) -> None:
        """Replace or make the file that `resolve` gave; all of it or nothing, its permissions kept."""
        real.parent.mkdir(parents=True, exist_ok=True)
        self._check(real.parent.resolve() / real.name, str(real))
        draft = real.with_name(f".{real.name}.{os.getpid()}.draft")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8", "surrogateescape"))
                if real.exists():
                    os.fchmod(file.fileno(), stat.S_IMODE(real.stat().st_mode))
                file.flush()
                os.fsync(file.fileno())
            self._check(draft.resolve(), str(real))
            draft.replace(real)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def is_folder(path: Path) -> bool:
    """As far as it can be looked at."""
    try:
        return path.is_dir()
    except OSError:
        return False


def secret(path: Path) -> bool:
    """Whether a path holds secrets, as far as its name tells."""
    name = path.name.lower()
    if any(part.lower() in SECRET_FOLDERS for part in path.parts):
        return True
    if name.startswith(".env.") and not name.endswith(HARMLESS_ENV):
        return True
    return name in SECRET_FILES or name.endswith(SECRET_ENDINGS)


def _looks_inside(text: str, root: Path) -> bool:
    return Path(os.path.normpath(root / text)).is_relative_to(root)
