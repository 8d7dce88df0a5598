"""The devices that want to be pushed to, and what each of them shows now, in one file that only its owner can read.

Law: a subscription counts only while its device is signed in, so it ends with the sign-out, whoever signs it out and
however. What a device shows is written down here once the push service took it: a restart shows nothing anew and still
takes back what has been answered. The file is no part of a log and of no backup: an address to push to is a credential.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from holdfast.core.errors import HoldfastError
from holdfast.core.ids import SessionId
from holdfast.server import private

FILE = "push.json"


class PushUnreadable(HoldfastError):
    """{0} can't be read ({1}). Remove it: then no device is pushed to until it is switched on there again."""


class PushNotKept(HoldfastError):
    """Which devices are pushed to can't be written down ({0}), so nothing was changed. Free some space, try again."""

    status = 507


class Shown(msgspec.Struct, frozen=True):
    """A notification on a device: the ask or the turn that it is about."""

    session: SessionId
    name: str


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """Where a device is pushed to, and the keys by which only that browser can read it.

    `contact` is whom the push service may turn to. `since` is when it was switched on, in milliseconds. `details`: the
    person wants to read the command or the question itself.
    """

    device: str
    endpoint: str
    p256dh: str
    auth: str
    contact: str
    since: int
    details: bool = False
    shown: tuple[Shown, ...] = ()


class Subscriptions:
    """At most one for each device. Everything here happens on the event loop, one thing after the other."""

    def __init__(self, home: Path, signed_in: Callable[[], Iterable[str]]) -> None:
        self._file = home / FILE
        self._signed_in = signed_in
        self._kept = {each.device: each for each in _read(self._file)}

    def living(self) -> list[Subscription]:
        """Those whose device is signed in; the others are forgotten."""
        here = set(self._signed_in())
        if not here.issuperset(self._kept):
            self._keep({device: each for device, each in self._kept.items() if device in here})
        return list(self._kept.values())

    def of(self, device: str) -> Subscription | None:
        return next((each for each in self.living() if each.device == device), None)

    def put(self, subscription: Subscription) -> None:
        """Push to this device from now on. One address is one browser, under whatever name it signed in before."""
        before = [each for each in self.living() if subscription.device == each.device]
        before += [each for each in self.living() if subscription.endpoint == each.endpoint]
        if before:
            subscription = msgspec.structs.replace(subscription, since=before[0].since, shown=before[0].shown)
        others = {name: each for name, each in self._kept.items() if each not in before}
        self._keep(others | {subscription.device: subscription})

    def end(self, device: str) -> None:
        if device in self._kept:
            self._keep({name: each for name, each in self._kept.items() if name != device})

    def mark(self, device: str, shown: Shown, *, shows: bool) -> None:
        """The device shows this now, or does not any more."""
        subscription = self.of(device)
        if subscription is not None:
            rest = tuple(each for each in subscription.shown if each != shown)
            marked = msgspec.structs.replace(subscription, shown=(*rest, shown) if shows else rest)
            self._keep(self._kept | {device: marked})

    def _keep(self, kept: dict[str, Subscription]) -> None:
        """Write it down, then act on it."""
        try:
            private.replace(self._file, msgspec.json.encode(list(kept.values())).decode())
        except OSError as exc:
            raise PushNotKept(exc.strerror or exc) from exc
        self._kept = kept


def _read(file: Path) -> list[Subscription]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=list[Subscription])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as exc:
        raise PushUnreadable(file, exc) from exc
