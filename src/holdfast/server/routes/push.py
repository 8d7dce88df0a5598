"""Web Push, switched on and off by the device that asks, for itself alone."""

import asyncio
import re
import time

from holdfast.core.errors import BadCommand, Refused
from holdfast.server.endpoint import JSONBody, delete, get, put
from holdfast.server.push.sealed import is_key
from holdfast.server.push.subscriptions import Subscription
from holdfast.server.schema.account import PushState, PushSubscribed
from holdfast.server.visitor import Visitor
from holdfast.server.wired import Visiting, Wired

ADDRESS = re.compile(r"(https?)://[A-Za-z0-9.-]+(:\d{1,5})?/[!-~]*")
NOBODY = "mailto:holdfast@localhost"
"""Whom a push service may turn to about a page that has no address out there."""


class NoDevice(Refused):
    """Only a signed-in device can be pushed to, so that its sign-out ends it. Sign in by a link: holdfast link"""


@get("/api/push", summary="Whether this device is pushed to, and the key to subscribe with")
async def read_push(wiring: Wired, visitor: Visiting) -> PushState:
    kept = wiring.push.of(visitor.device or "")
    key = await asyncio.to_thread(lambda: wiring.push_keys.public)
    return PushState(key=key, on=kept is not None, details=kept is not None and kept.details)


@put("/api/push", summary="Push to this device from now on", status=204)
async def begin_push(wiring: Wired, visitor: Visiting, data: JSONBody[PushSubscribed]) -> None:
    address = ADDRESS.fullmatch(data.endpoint)
    if address is None or not (address[1] == "https" or wiring.settings.file.notify.push_private):
        raise BadCommand("A push service has a plain https address. Give the one that the browser gave.")
    if not is_key(data.p256dh, data.auth):
        raise BadCommand("These are not the keys of a subscription. Give those that the browser gave.")
    wiring.push.put(
        Subscription(
            device=_device(visitor),
            endpoint=data.endpoint,
            p256dh=data.p256dh,
            auth=data.auth,
            contact=visitor.origin if visitor.origin.startswith("https:") else NOBODY,
            since=time.time_ns() // 1_000_000,
            details=data.details,
        )
    )


@delete("/api/push", summary="Push to this device no more", status=204)
async def end_push(wiring: Wired, visitor: Visiting) -> None:
    wiring.push.end(_device(visitor))


def _device(visitor: Visitor) -> str:
    if not visitor.device:
        raise NoDevice
    return visitor.device


ROUTES = (read_push, begin_push, end_push)
