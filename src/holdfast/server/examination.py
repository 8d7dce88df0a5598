"""Everything that Holdfast stands on, looked at: what is well, and what to do about what is not.

What a look needs is imported by the look: `holdfast doctor` shall answer although something can't even be imported.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

import msgspec

from holdfast import __version__
from holdfast.core.counted import counted
from holdfast.core.errors import HoldfastError
from holdfast.refused import sentence_for
from holdfast.settings import Settings, read_settings, without_file

ENOUGH = 500_000_000
NEEDED = ("server.lock", "token", "account.json", "store", "store/store.db", "store/store.lock", "run", "logs")
"""What a start reads and writes, and what one as another user (`sudo`) may have left to that user."""
SAFE_SQLITE = (3, 51, 3)


class Finding(msgspec.Struct, frozen=True):
    """What was looked at, and what is wrong with it, if anything."""

    fine: bool
    sentence: str


def examine_from(environ: Mapping[str, str], home: Path | None) -> Iterable[Finding]:
    """The settings first. Whatever is wrong with them, the rest is looked at too, with the defaults then."""
    settings = without_file(environ, home=home)
    try:
        settings = read_settings(environ, home=home)
    except (HoldfastError, OSError) as exc:
        yield Finding(fine=False, sentence=sentence_for(exc) or "")
    yield from examine(settings)


def examine(settings: Settings) -> Iterable[Finding]:
    for look in LOOKS:
        try:
            yield look(settings)
        except (HoldfastError, OSError) as exc:
            yield Finding(fine=False, sentence=sentence_for(exc) or "")
        except ImportError as exc:
            yield Finding(fine=False, sentence=f"{exc}. A part of Holdfast is missing or broken: install it again.")
    yield from look_at_agents(settings)


def look_at_sqlite(settings: Settings) -> Finding:  # noqa: ARG001  all looks take the settings
    import apsw

    version = apsw.sqlite_lib_version()
    fine = tuple(map(int, version.split("."))) >= SAFE_SQLITE
    advice = "" if fine else " That one can damage a database with several writers: reinstall apsw from its wheel."
    return Finding(fine=fine, sentence=f"SQLite {version}, brought by apsw.{advice}")


def look_at_home(settings: Settings) -> Finding:
    from holdfast.store.sqlite.place import check_place

    home = settings.home
    there = _existing(home)
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
    check_place(there)
    for path in (there, *(home / name for name in NEEDED)):
        if path.exists() and not os.access(path, os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    if not home.exists():
        return Finding(fine=True, sentence=f"{home} does not exist yet and is made at the first start.")
    if home.stat().st_mode & 0o077:
        return Finding(fine=False, sentence=f"Others can look into {home}. Close it with: chmod 700 {home}")
    return Finding(fine=True, sentence=f"{home} is on a local disk and is yours alone.")


def look_at_space(settings: Settings) -> Finding:
    free = shutil.disk_usage(_existing(settings.home)).free
    advice = "" if free >= ENOUGH else " Runs go on without space for a while, but new turns are refused: free some."
    return Finding(fine=free >= ENOUGH, sentence=f"{free / 1e9:.1f} GB are free for {settings.home}.{advice}")


def look_at_store(settings: Settings) -> Finding:
    from holdfast.store.sqlite.check import check_store

    found = check_store(settings.store)
    if found is None:
        return Finding(fine=True, sentence="There is no store yet; it is made at the first start.")
    return Finding(
        fine=True,
        sentence=f"The store is sound: {counted(found.sessions, 'session')}, {counted(found.records, 'record')}, "
        f"{found.size / 1e6:.1f} MB.",
    )


def look_at_address(settings: Settings) -> Finding:
    """Where the server is, or whether it could listen there."""
    from holdfast.server.account import read_account
    from holdfast.server.guard import is_loopback
    from holdfast.server.listening import check_host, listen
    from holdfast.server.presence import find
    from holdfast.server.serve import NotLoopback, encryption

    wanted = settings.file.server
    encryption(settings)
    if (found := find(settings.home)) is not None:
        return Finding(fine=True, sentence=f"The server is at {found[0].link} (process {found[0].pid}).")
    check_host(wanted.host)
    if not is_loopback(wanted.host) and not read_account(settings.home).password:
        raise NotLoopback(wanted.host)
    with listen(wanted.host, wanted.port) as listener:
        host, port = listener.getsockname()[:2]
    return Finding(fine=True, sentence=f"No server runs. One can listen on {host}, port {port}.")


def look_at_page(settings: Settings) -> Finding:  # noqa: ARG001  all looks take the settings
    from holdfast.server.assets import FOLDER, read_page

    read_page(FOLDER, __version__)
    return Finding(fine=True, sentence="The page is built.")


def look_at_restarts(settings: Settings) -> Finding:  # noqa: ARG001  all looks take the settings
    from holdfast.server import restarts

    problems = restarts.problems()
    if problems:
        return Finding(fine=False, sentence=" ".join(problems))
    return Finding(fine=True, sentence=" ".join(["A restart of the server ends no run.", *restarts.notes()]))


def look_at_hermes(settings: Settings) -> Finding:
    import asyncio

    from holdfast.agents.hermes.find import find_hermes, spec
    from holdfast.agents.hermes.trial import try_out

    found = find_hermes(settings)
    unfit = "" if found.problem else asyncio.run(try_out(spec(found)))
    if unfit:
        return Finding(fine=False, sentence=unfit)
    if not found.problem:
        where = f"{found.state} (profile {found.profile})" if found.profile else str(found.state)
        return Finding(fine=True, sentence=f"Hermes {found.version} of {found.python}, with {where}.")
    # Nobody has to have Hermes; but one that is there, or that was named, must work.
    wanted = bool(found.python or settings.file.hermes.python or settings.file.hermes.profile)
    return Finding(fine=not wanted and not found.version, sentence=found.problem)


def look_at_agents(settings: Settings) -> Iterable[Finding]:
    """A line for every agent of others that is installed or that a person has added."""
    from concurrent.futures import ThreadPoolExecutor

    from holdfast.agents.catalog import added_in, catalog
    from holdfast.agents.known import KNOWN
    from holdfast.agents.standing import look

    added = settings.file.agents
    agents = [spec for name, spec in catalog(added_in(settings)).items() if name in KNOWN or name in added]
    with ThreadPoolExecutor() as looking:  # each may take seconds to say its version
        standings = looking.map(partial(look, environ=os.environ, ask="always"), agents)
    for spec, standing in zip(agents, standings, strict=True):
        called = f"{spec.title} {standing.version}".strip()
        if standing.ready:
            yield Finding(fine=True, sentence=f"{called} can be used.")
        elif standing.broken or (spec.name in added and not standing.installed):
            yield Finding(fine=False, sentence=standing.reason)
        elif standing.installed:
            yield Finding(fine=True, sentence=f"{called} is installed. {standing.reason}")


LOOKS: tuple[Callable[[Settings], Finding], ...] = (
    look_at_sqlite,
    look_at_home,
    look_at_space,
    look_at_store,
    look_at_address,
    look_at_page,
    look_at_restarts,
    look_at_hermes,
)


def _existing(path: Path) -> Path:
    return path if path.exists() else _existing(path.parent)
