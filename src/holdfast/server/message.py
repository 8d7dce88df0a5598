"""One message to a person outside of the page: to a URL (ntfy, Gotify, any webhook) or to a command."""

import asyncio
import contextlib
import os
from email.header import Header
from urllib.parse import urlsplit

import msgspec

from holdfast import outbound
from holdfast.core.errors import HoldfastError
from holdfast.core.ids import SessionId
from holdfast.settings import NotifySettings

PATIENCE = 20.0
KEPT = ("PATH", "HOME", "LANG", "USER", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY")
"""What a command is told of our environment."""


class NotDelivered(HoldfastError):
    """A notification was not delivered: {0}"""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What is said. As JSON it is what Gotify takes, and whatever else reads a webhook."""

    title: str
    message: str
    kind: str
    session: SessionId
    link: str


async def deliver(settings: NotifySettings, message: Message) -> None:
    """Return when it was taken. Raise `NotDelivered`. A title may be an agent's, and hold anything."""
    try:
        if settings.url:
            await asyncio.to_thread(_post, settings, message)
        if settings.command:
            await _run(settings.command, message)
    except ValueError as exc:  # what neither a header nor an environment can hold
        raise NotDelivered(str(exc)) from exc


def _post(settings: NotifySettings, message: Message) -> None:
    match settings.format:
        case "ntfy":
            body = message.message.encode()
            headers = {
                "Title": Header(message.title, "utf-8").encode(maxlinelen=0),
                "Click": message.link,
                "Tags": message.kind,
            }
        case "json":
            click = {"client::notification": {"click": {"url": message.link}}}
            body = msgspec.json.encode(msgspec.structs.asdict(message) | {"priority": 8, "extras": click})
            headers = {"Content-Type": "application/json"}
    try:
        # Private networks too: the address is the operator's own setting, and a box at home is where such things live.
        outbound.post(settings.url, body, headers, seconds=PATIENCE, private=True)
    except outbound.NotSent as exc:
        # The address is a secret, or holds one: what is said, and logged, names its host alone.
        host, why = urlsplit(settings.url).hostname, " ".join(map(str, exc.details[1:]))
        raise NotDelivered(f"{host}: {why}") from None


async def _run(command: tuple[str, ...], message: Message) -> None:
    """Start it without a shell; the message is on its standard input, as JSON, and in its environment."""
    env = {name: os.environ[name] for name in KEPT if name in os.environ}
    said = msgspec.structs.asdict(message).items()
    env |= {f"HOLDFAST_{name.upper()}": value.replace("\0", "") for name, value in said}
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=env,
            start_new_session=True,
        )
    except OSError as exc:
        raise NotDelivered(f"{command[0]}: {exc}") from exc
    try:
        async with asyncio.timeout(PATIENCE):
            _, complaint = await process.communicate(msgspec.json.encode(message))
    except TimeoutError as exc:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise NotDelivered(f"{command[0]} did not end within {PATIENCE:.0f} s") from exc
    if process.returncode:
        words = complaint.decode("utf-8", "replace").strip()[-500:]
        raise NotDelivered(f"{command[0]} ended with {process.returncode}: {words}")
