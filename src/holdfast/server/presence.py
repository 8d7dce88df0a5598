"""The server of a home, as others find it: one at a time, and where it is.

Law: a home has one server. Whoever holds `flock` on `server.lock` is it; the kernel frees the lock at its death.
`server.json` says where it listens, and is believed only if it was written by whoever holds the lock: one that a killed
server left names a port that another program may have taken since, and that one would be sent the token.
"""

import fcntl
import http.client
import os
import ssl
import time
from pathlib import Path
from typing import Self

import msgspec

from holdfast.core.errors import HoldfastError
from holdfast.owned import close_to_others, make_folder
from holdfast.server.links import Links
from holdfast.server.private import token_in
from holdfast.server.schema.house import Status

FILE = "server.json"
LOCK = "server.lock"
ANSWER_SECONDS = 5.0
START_SECONDS = 15.0


class ServerStuck(HoldfastError):
    """A server of {0} is there (process {1}) but does not answer. End it with: holdfast stop --server"""


class Presence(msgspec.Struct, frozen=True, kw_only=True):
    """Where a server listens. `instance` is new with every start; a `certificate` (its file) means https."""

    pid: int
    host: str
    port: int
    instance: str
    certificate: str = ""
    path: str = ""

    @property
    def link(self) -> str:
        host = f"[{self.reach}]" if ":" in self.reach else self.reach
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}{self.path}/"

    @property
    def reach(self) -> str:
        """The address at which this machine reaches it: one that listens everywhere listens here too."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104  compared, not bound


class Seat:
    """The place of a home's one server, held until it is left or the process dies."""

    def __init__(self, home: Path, descriptor: int) -> None:
        self._file = home / FILE
        self._descriptor = descriptor

    @classmethod
    def take(cls, home: Path) -> Self | None:
        """Become the server of this home, or None if there is one."""
        make_folder(home)
        close_to_others(home)
        descriptor = os.open(home / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        (home / FILE).unlink(missing_ok=True)  # a server that was killed could not
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return cls(home, descriptor)

    def announce(self, presence: Presence) -> None:
        """Say where the server is, once it listens."""
        draft = self._file.with_suffix(".draft")
        draft.write_bytes(msgspec.json.encode(presence))
        draft.chmod(0o600)
        draft.rename(self._file)

    def close(self) -> None:
        self._file.unlink(missing_ok=True)
        os.close(self._descriptor)


def one_time(presence: Presence, links: Links) -> str:
    """A link that signs in whoever opens it, once. The code is in the fragment, which no server and no preview sees."""
    return f"{presence.link}#code={links.issue()}"


def holder(home: Path) -> int | None:
    """The process that is the home's server; None if there is none."""
    try:
        descriptor = os.open(home / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        said = os.pread(descriptor, 32, 0).decode("ascii", "replace")
        return int(said) if said.isdecimal() else 0
    else:
        return None
    finally:
        os.close(descriptor)


def find(home: Path, patience: float = 0.0) -> tuple[Presence, Status] | None:
    """The home's server and how it is, None if there is none. Raise `ServerStuck` if it does not answer in time."""
    deadline = time.monotonic() + patience
    while (pid := holder(home)) is not None:
        presence = _said(home, pid)
        status = None if presence is None else _ask(home, presence)
        if presence is not None and status is not None:
            return presence, status
        if time.monotonic() >= deadline:
            raise ServerStuck(home, pid)
        time.sleep(0.1)
    return None


def _said(home: Path, pid: int) -> Presence | None:
    """Where the process says that it listens."""
    try:
        presence = msgspec.json.decode((home / FILE).read_bytes(), type=Presence)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    return presence if presence.pid == pid else None


def _ask(home: Path, presence: Presence) -> Status | None:
    """Ask whoever listens there. The answer counts only if it names the same start of the server."""
    try:
        connection = connection_to(presence)
        connection.request("GET", "/api/status", headers={"authorization": f"Bearer {token_in(home)}"})
        answer = connection.getresponse()
        body = answer.read(1_000_000)
        status = msgspec.json.decode(body, type=Status) if answer.status == 200 else None
        connection.close()
    except (OSError, http.client.HTTPException, msgspec.DecodeError):
        return None
    return status if status is not None and status.instance == presence.instance else None


def connection_to(presence: Presence) -> http.client.HTTPConnection:
    """To exactly the certificate that the server has, whatever names it carries: the token goes to nobody else."""
    if not presence.certificate:
        return http.client.HTTPConnection(presence.reach, presence.port, timeout=ANSWER_SECONDS)
    context = ssl.create_default_context(cafile=presence.certificate)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return http.client.HTTPSConnection(presence.reach, presence.port, timeout=ANSWER_SECONDS, context=context)
