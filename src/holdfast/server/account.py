"""Who is signed in: the devices and the password of a home, in one file that only its owner can read.

Law: a credential is known by its digest alone, a password by its argon2id hash. The file is no part of a log: nothing
that is exported or backed up holds a credential, not even a digest. Only the home's one server writes it, whole and
synced, before anybody is told. Devices belong to the token under which they signed in: with another token none counts.
"""

from hashlib import sha256
from pathlib import Path

import msgspec

from holdfast.core.errors import HoldfastError
from holdfast.server import private

FILE = "account.json"
DAY = 24 * 60 * 60 * 1000
IDLE = 90 * DAY
"""Milliseconds after which a device that was not seen is signed out."""
MOST = 200
"""Devices that can be signed in at once; one more, and the one that was not seen for longest is signed out."""


class AccountUnreadable(HoldfastError):
    """{0} can't be read ({1}). Put back a good copy, or remove it: then no device is signed in and there is no
    password."""


class AccountNotKept(HoldfastError):
    """Who is signed in can't be written down ({0}), so nothing was changed. Free some space and try again."""

    status = 507


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A browser or a program that signed in. Times are milliseconds since 1970."""

    id: str
    name: str
    digest: str
    created: int
    seen: int
    address: str = ""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """`token` is the digest of the token that the devices belong to; `password` a hash, empty if there is none."""

    token: str = ""
    password: str = ""
    devices: tuple[Device, ...] = ()

    def under(self, token: str) -> "Account":
        """The same under this token: if it is another one, nobody is signed in."""
        name = digest(token)
        return self if self.token == name else Account(token=name, password=self.password)

    def since(self, now: int) -> "Account":
        """Without the devices that were not seen for too long."""
        return msgspec.structs.replace(self, devices=tuple(each for each in self.devices if now - each.seen < IDLE))

    def admitting(self, device: Device) -> "Account":
        """With one device more, and never more than `MOST`."""
        latest = sorted(self.devices, key=lambda each: each.seen)[-(MOST - 1) :]
        return msgspec.structs.replace(self, devices=(*latest, device))


def digest(credential: str) -> str:
    return sha256(credential.encode("utf-8", "surrogatepass")).hexdigest()


def read_account(home: Path) -> Account:
    try:
        return msgspec.json.decode((home / FILE).read_bytes(), type=Account)
    except FileNotFoundError:
        return Account()
    except (OSError, msgspec.DecodeError) as exc:
        raise AccountUnreadable(home / FILE, exc) from exc


def write_account(home: Path, account: Account) -> None:
    try:
        private.replace(home / FILE, msgspec.json.format(msgspec.json.encode(account), indent=1).decode())
    except OSError as exc:
        raise AccountNotKept(exc.strerror or exc) from exc
