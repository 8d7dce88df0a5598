"""Signing in and out: who is signed in, the password, the token, and links for another device."""

import asyncio
import time
from typing import Annotated
from urllib.parse import urlsplit

from holdfast.core.errors import BadCommand
from holdfast.server.account import Device
from holdfast.server.endpoint import FROM_STRANGERS, FromPath, JSONBody, QueryField, delete, get, patch, post, put
from holdfast.server.guard import is_loopback
from holdfast.server.links import LINK_SECONDS
from holdfast.server.schema.account import (
    AccountState,
    DeviceChange,
    OneTimeLink,
    PasswordChange,
    SignedInDevice,
    SignIn,
    Token,
)
from holdfast.server.wired import Caller, Visiting, Wired
from holdfast.server.wiring import Wiring


@post(
    "/api/sign-in",
    summary="Exchange the code of a one-time link, or the password, for a credential",
    status=200,
    largest=FROM_STRANGERS,
)
async def sign_in(wiring: Wired, visitor: Visiting, client: Caller, data: JSONBody[SignIn]) -> Token:
    name = _printable(data.name or client)
    if data.code is not None and data.password is None:
        return _token(wiring.gatekeeper.sign_in_by_code(data.code, name, visitor.address))
    if data.password is not None and data.code is None:
        return _token(await wiring.gatekeeper.sign_in_by_password(data.password, name, visitor.address))
    raise BadCommand("Give the code of a link or the password, one of the two.")


@get("/api/account", summary="Who is signed in, and whether there is a password")
async def read_account(wiring: Wired, visitor: Visiting) -> AccountState:
    keeper = wiring.gatekeeper
    return AccountState(
        has_password=keeper.has_password,
        password_needed=keeper.exposed,
        devices=[_shown(device, visitor.device) for device in keeper.devices],
    )


@patch("/api/account/devices/{device}", summary="Call a device something else", status=204)
async def rename_device(wiring: Wired, device: FromPath[str], data: JSONBody[DeviceChange]) -> None:
    wiring.gatekeeper.rename(device, _printable(data.name))


@delete("/api/account/devices/{device}", summary="Sign a device out", status=204)
async def sign_out(wiring: Wired, device: FromPath[str]) -> None:
    wiring.gatekeeper.sign_out(device)


@delete("/api/account/devices", summary="Sign every device out", status=204)
async def sign_out_all(
    wiring: Wired,
    visitor: Visiting,
    others: Annotated[bool, QueryField("Every device but the one that asks")] = False,  # noqa: FBT002  a query's field
) -> None:
    wiring.gatekeeper.sign_out_all(but=visitor.device if others else None)


@put(
    "/api/account/password",
    summary="Set, change or remove the password",
    description="Every sign-in and every live connection ends at once. The answer is a new credential for who asked.",
)
async def change_password(wiring: Wired, visitor: Visiting, client: Caller, data: JSONBody[PasswordChange]) -> Token:
    name = _name_of(wiring, visitor.device, client)
    await wiring.gatekeeper.change_password(data.password, data.current, visitor.device or "", visitor.address)
    return _token(wiring.gatekeeper.sign_in_again(name, visitor.address))


@post(
    "/api/account/token",
    summary="Make a new token for this home",
    description="Every sign-in and every live connection ends at once. The answer is a new credential for who asked.",
    status=200,
)
async def change_token(wiring: Wired, visitor: Visiting, client: Caller) -> Token:
    name = _name_of(wiring, visitor.device, client)
    wiring.gatekeeper.change_token()
    return _token(wiring.gatekeeper.sign_in_again(name, visitor.address))


@post("/api/account/links", summary="Make a link that signs another device in, once, within ten minutes")
async def make_link(wiring: Wired, visitor: Visiting) -> OneTimeLink:
    from holdfast.qr import modules

    code = await asyncio.to_thread(wiring.gatekeeper.links.issue)
    link = f"{visitor.origin}{wiring.settings.file.server.path}/#code={code}"
    return OneTimeLink(
        link=link,
        expires=int(time.time() + LINK_SECONDS) * 1000,
        local=is_loopback(urlsplit(link).hostname or ""),
        rows=["".join("1" if dark else "0" for dark in row) for row in modules(link)],
    )


def _token(signed_in: tuple[str, Device]) -> Token:
    return Token(token=signed_in[0], device=signed_in[1].id)


def _shown(device: Device, asking: str | None) -> SignedInDevice:
    return SignedInDevice(
        id=device.id,
        name=device.name,
        created=device.created,
        seen=device.seen,
        address=device.address,
        current=device.id == asking,
    )


def _name_of(wiring: Wiring, device: str | None, client: str) -> str:
    """What the device that asks is called."""
    return next((each.name for each in wiring.gatekeeper.devices if each.id == device), client)


def _printable(name: str) -> str:
    if not name.isprintable():
        raise BadCommand("A name is one line of letters. Leave out what can't be printed.")
    return name.strip()


ROUTES = (
    sign_in,
    read_account,
    rename_device,
    sign_out,
    sign_out_all,
    change_password,
    change_token,
    make_link,
)
