"""`holdfast status`: the server, the runners, the sessions, the size of the store."""

import asyncio
from argparse import ArgumentParser, Namespace

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for
from holdfast.ownership import Holder, living
from holdfast.settings import Settings


def add_options(parser: ArgumentParser) -> None:
    add_home(parser)


def run(arguments: Namespace) -> int:
    from holdfast.server.presence import find
    from holdfast.server.routes.health import size_of

    settings = settings_for(arguments)
    found = find(settings.home)
    if found is None:
        say("Server", "not running. Start it with: holdfast serve")
        sessions, running = asyncio.run(counted(settings))
    else:
        presence, status = found
        say("Server", f"{presence.link} (process {status.pid}, up {spelled(status.uptime)}, version {status.version})")
        sessions, running = status.sessions, status.running
        if status.places.waiting:
            say("Waiting", f"{len(status.places.waiting)} for a free place ({status.places.running} running)")
    say("Runners", runners(living(settings.locks)))
    say("Sessions", f"{sessions}, {running} of them running or waiting for you" if running else str(sessions))
    say("Store", f"{size_of(settings.store) / 1e6:.1f} MB in {settings.store}")
    return 0


def say(name: str, words: str) -> None:
    print(f"{name:10}{words}")


def runners(found: list[Holder]) -> str:
    named = ", ".join(f"{holder.session} (process {holder.pid})" for holder in found)
    return f"{len(found)}: {named}" if found else "none"


def spelled(seconds: float) -> str:
    """A length of time in its largest unit that fits."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


async def counted(settings: Settings) -> tuple[int, int]:
    """What the store itself says, when there is no server to ask."""
    from holdfast.server.routes.health import count
    from holdfast.store.sqlite.store import DATABASE, SqliteStore

    if not (settings.store / DATABASE).exists():
        return 0, 0
    store = await SqliteStore.open_folder(settings.store)
    try:
        return await count(store)
    finally:
        await store.close()


COMMAND = Command(name="status", summary="say what runs, and where", add_options=add_options, run=run)
