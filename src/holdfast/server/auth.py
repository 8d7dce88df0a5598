"""Who may do everything: the token of a home, and the devices that were signed in by a link or by the password.

Law: what counts is decided here and nowhere else, and a change counts at once: whoever was signed out, by name or by a
new token or password, has no request answered any more and no live connection left. All but the hashing of passwords
happens on the event loop, one thing after the other, so that no two changes can mix.
"""

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from holdfast.core.errors import Refused
from holdfast.server import password as passwords
from holdfast.server import private
from holdfast.server.account import IDLE, Account, AccountNotKept, Device, digest, read_account, write_account
from holdfast.server.attempts import Attempts
from holdfast.server.links import Links, LinkUsed
from holdfast.server.private import TOKEN, new_token, token_in
from holdfast.server.visits import Visits

log = logging.getLogger(__name__)

SCHEME = "bearer "
NAME_LENGTH = 64
KEEP_SECONDS = 600.0
"""When a device was last seen is written down this often, and whenever something else is."""
LOOK_SECONDS = 1.0


class NotSignedIn(Refused):
    """This needs a credential. Open the link that this command prints: holdfast link"""

    status = 401


class WrongPassword(Refused):
    """This is not the password. Try again, or use a link: holdfast link"""

    status = 403


class NoPassword(Refused):
    """No password is set. Sign in by a link (holdfast link), then set one in the settings."""

    status = 403


class NoSuchDevice(Refused):
    """There is no signed-in device {0}. It may have been signed out already: look at the list again."""

    status = 404


class PasswordNeeded(Refused):
    """Others can reach this server over the network, so its password can be changed but not removed."""


class Gatekeeper:
    """Who is signed in to a home. `exposed`: others than this machine can reach the server."""

    def __init__(self, home: Path, now: Callable[[], float] = time.time, *, exposed: bool = False) -> None:
        self._home = home
        self._now = now
        self.exposed = exposed
        self.links = Links(home, now)
        self.visits = Visits()
        self.attempts = Attempts()
        self.token = token_in(home)
        self._account = read_account(home).under(self.token).since(self._ms())
        self._devices = {device.digest: device for device in self._account.devices}
        self._seen: dict[str, tuple[int, str]] = {}
        self._hashing = asyncio.Semaphore(1)  # each takes 64 MB

    # Who asks.

    def admits(self, authorization: bytes, address: str = "") -> str | None:
        """The device whose credential an Authorization header carries, empty for the token itself; None for neither."""
        scheme, given = authorization[: len(SCHEME)].decode("latin-1"), authorization[len(SCHEME) :].strip()
        if scheme.lower() != SCHEME or not given:
            return None
        if hmac.compare_digest(given, self.token.encode()):
            return ""
        device = self._devices.get(digest(given.decode("latin-1")))
        if device is None:
            return None
        now, seen = self._ms(), self._seen.get(device.id, (device.seen, ""))[0]
        if now - seen >= IDLE:
            return None
        self._seen[device.id] = (max(now, seen), address)
        return device.id

    @property
    def has_password(self) -> bool:
        return bool(self._account.password)

    @property
    def devices(self) -> list[Device]:
        """Who is signed in, who was seen last first."""
        return sorted(map(self._fresh, self._devices.values()), key=lambda device: device.seen, reverse=True)

    def signed_in(self) -> list[str]:
        """The ids of the devices that are signed in."""
        return [device.id for device in self._devices.values()]

    # Signing in.

    def sign_in_by_code(self, code: str, name: str, address: str) -> tuple[str, Device]:
        """Exchange the code of a one-time link for a credential of the device's own.

        Raise `LinkUsed`, or `TooManyAttempts` for a wrong code that comes too early; a good one never does.
        """
        try:
            self.links.redeem(code)
        except LinkUsed:
            self.attempts.begin(address)  # before the line in the log: whoever tries on and on writes few
            log.warning("sign_in.refused", extra={"by": "link", "address": address})
            raise
        return self._admit(name, address, "link")

    async def sign_in_by_password(self, password: str, name: str, address: str) -> tuple[str, Device]:
        """Exchange the password for a credential. Raise `WrongPassword`, `NoPassword` or `TooManyAttempts`."""
        self.attempts.begin(address)
        await self._check(password, address)
        self.attempts.succeeded(address)
        return self._admit(name, address, "password")

    async def _check(self, password: str, address: str) -> None:
        kept = self._account.password
        if not kept:
            raise NoPassword
        async with self._hashing:
            good = await asyncio.to_thread(passwords.fits, password, kept)
            anew = await asyncio.to_thread(passwords.hashed, password) if good and passwords.outdated(kept) else kept
        if not good or self._account.password != kept:  # it may have been changed meanwhile
            log.warning("sign_in.refused", extra={"by": "password", "address": address})
            raise WrongPassword
        if anew != kept:
            self._keep(msgspec.structs.replace(self._account, password=anew))

    def sign_in_again(self, name: str, address: str) -> tuple[str, Device]:
        """A new credential for who has just ended every sign-in, their own included."""
        return self._admit(name, address, "change")

    def _admit(self, name: str, address: str, by: str) -> tuple[str, Device]:
        credential, now = secrets.token_urlsafe(32), self._ms()
        device = Device(
            id=secrets.token_hex(8),
            name=name[:NAME_LENGTH] or "browser",
            digest=digest(credential),
            created=now,
            seen=now,
            address=address,
        )
        before = set(self._devices)
        self._keep(self._account.since(now).admitting(device))
        for gone in before - set(self._devices):
            log.info("sign_in.forgotten", extra={"digest": gone[:8]})
        log.info("sign_in.granted", extra={"by": by, "device": device.id, "address": address})
        return credential, device

    # Changing it.

    def rename(self, device: str, name: str) -> None:
        self._named(device)
        renamed = [
            msgspec.structs.replace(each, name=name) if each.id == device else each for each in self._account.devices
        ]
        self._keep(msgspec.structs.replace(self._account, devices=tuple(renamed)))

    def sign_out(self, device: str) -> None:
        """The device is answered no more. Raise `NoSuchDevice`."""
        self._named(device)
        left = tuple(each for each in self._account.devices if each.id != device)
        self._keep(msgspec.structs.replace(self._account, devices=left))
        self.visits.end(device)
        log.info("sign_out", extra={"device": device})

    def sign_out_all(self, *, but: str | None = None) -> None:
        """Every device but one is answered no more. The token still is."""
        left = tuple(each for each in self._account.devices if each.id == but)
        gone = [each.id for each in self._account.devices if each.id != but]
        self._keep(msgspec.structs.replace(self._account, devices=left))
        for device in gone:
            self.visits.end(device)
        log.info("sign_out.all", extra={"devices": len(gone)})

    async def change_password(self, password: str | None, current: str, by: str, address: str) -> None:
        """Set, change or (None) remove the password; every sign-in ends. The token needs no `current` one.

        Whoever is signed out while the new one is being hashed changes nothing: raise `NotSignedIn`.
        """
        token = self.token
        if password is None and self.exposed:
            raise PasswordNeeded
        if by and self.has_password:
            self.attempts.begin(address)
            await self._check(current, address)
            self.attempts.succeeded(address)
        async with self._hashing:
            kept = "" if password is None else await asyncio.to_thread(passwords.hashed, password)
        if self.token != token or (by and by not in self.signed_in()):
            raise NotSignedIn
        self.links.clear()
        self._keep(msgspec.structs.replace(self._account, password=kept, devices=()))
        self.visits.end_all()
        log.info("password.changed", extra={"removed": password is None})

    def change_token(self) -> None:
        """Make a new token; every sign-in ends, and so does the power of the old one."""
        self.links.clear()
        private.replace(self._home / TOKEN, new_token())
        self.look()

    def look(self) -> None:
        """Take up a token that was changed or removed in its file."""
        token = token_in(self._home)
        if token != self.token:
            self._keep(self._account.under(token))
            self.token = token
            self.visits.end_all()
            log.info("token.changed")

    async def watch(self) -> None:
        """See to it, until cancelled, that a token removed by hand loses its power, and that times are written down."""
        kept = self._now()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                self.look()
                if self._seen and self._now() - kept >= KEEP_SECONDS:
                    kept = self._now()
                    self._keep(self._account)
            except (OSError, AccountNotKept) as exc:
                log.warning("account.not_kept", extra={"error": str(exc)})

    # What is kept.

    def _keep(self, account: Account) -> None:
        """Write it down, then act on it."""
        fresh = msgspec.structs.replace(account, devices=tuple(map(self._fresh, account.devices)))
        write_account(self._home, fresh)
        self._account = fresh
        self._devices = {device.digest: device for device in fresh.devices}
        self._seen.clear()

    def _fresh(self, device: Device) -> Device:
        seen, address = self._seen.get(device.id, (device.seen, ""))
        return msgspec.structs.replace(device, seen=seen, address=address or device.address)

    def _named(self, device: str) -> None:
        if all(each.id != device for each in self._account.devices):
            raise NoSuchDevice(device)

    def _ms(self) -> int:
        return int(self._now() * 1000)
