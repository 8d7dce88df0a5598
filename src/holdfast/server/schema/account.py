"""Who is let in, and by what; the devices that are told by push."""

from typing import Annotated

from msgspec import Meta

from holdfast.server.schema.base import Answer, Body, DeviceName


class SignIn(Body, frozen=True, kw_only=True):
    """The code of a one-time link, or the password. `name` is what the device is called in the list of devices."""

    code: Annotated[str, Meta(max_length=200)] | None = None
    password: Annotated[str, Meta(max_length=1000)] | None = None
    name: DeviceName = ""


class DeviceChange(Body, frozen=True, kw_only=True):
    """What a device is called."""

    name: Annotated[str, Meta(min_length=1, max_length=64)]


class PasswordChange(Body, frozen=True, kw_only=True):
    """The new password, null to have none, and the present one, if there is one."""

    password: Annotated[str, Meta(max_length=1000)] | None
    current: Annotated[str, Meta(max_length=1000)] = ""


class Token(Answer, frozen=True, kw_only=True):
    """The credential of this device alone, for the Authorization header: `Bearer <token>`."""

    token: str
    device: str


class SignedInDevice(Answer, frozen=True, kw_only=True):
    """A device that is signed in. Times are milliseconds since 1970; `current`: it is the one that asks."""

    id: str
    name: str
    created: int
    seen: int
    address: str
    current: bool


class AccountState(Answer, frozen=True, kw_only=True):
    """Whether there is a password and whether it may be removed; the devices, who was seen last first."""

    has_password: bool
    password_needed: bool
    devices: list[SignedInDevice]


class PushState(Answer, frozen=True, kw_only=True):
    """Whether the device that asks is pushed to. `key` is the server's own, as a browser wants it to subscribe."""

    key: str
    on: bool
    details: bool


class PushSubscribed(Body, frozen=True, kw_only=True):
    """What a browser's push service gave it. `details`: the command or the question itself may be shown."""

    endpoint: Annotated[str, Meta(max_length=2000)]
    p256dh: Annotated[str, Meta(max_length=200)]
    auth: Annotated[str, Meta(max_length=100)]
    details: bool = False


class OneTimeLink(Answer, frozen=True, kw_only=True):
    """A link that signs in whoever opens it, once. `rows` is its QR code: a text of 0 (light) and 1 (dark) a row.

    `local`: the link names this machine only as itself, so no other device can open it.
    """

    link: str
    expires: int
    local: bool
    rows: list[str]
