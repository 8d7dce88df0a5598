"""Signing in: a one-time code for the credential."""

import asyncio

from litestar import post
from litestar.params import JSONBody

from holdfast.server.schema import SignIn, Token
from holdfast.server.wired import Wired


@post("/api/sign-in", summary="Exchange the code of a one-time link for the credential", status_code=200)
async def sign_in(wiring: Wired, data: JSONBody[SignIn]) -> Token:
    return Token(token=await asyncio.to_thread(wiring.gatekeeper.redeem, data.code))


ROUTES = (sign_in,)
