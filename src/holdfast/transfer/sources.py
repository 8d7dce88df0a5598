"""Opens what is to be imported: a folder of hermes-webui, or a file of another program or of our own."""

import os
from collections.abc import Mapping
from pathlib import Path

from holdfast.agents.catalog import BUILTIN
from holdfast.agents.hermes.find import NAME, find_hermes, profile_agent
from holdfast.rules import read_house
from holdfast.settings import Settings
from holdfast.store.blobs import Blobs
from holdfast.store.protocol import Store
from holdfast.transfer.exported import Exported
from holdfast.transfer.hermes_webui.files import State, default_folder
from holdfast.transfer.hermes_webui.settings import take_settings
from holdfast.transfer.hermes_webui.source import Given, Source
from holdfast.transfer.hermes_webui.state_db import FILE, Database, homes
from holdfast.transfer.imports import Progress, take_in
from holdfast.transfer.open_webui import Chats
from holdfast.transfer.report import Kind, NothingThere, Report


async def import_from(
    kind: Kind, path: Path | None, *, store: Store, settings: Settings, report: Report, progress: Progress
) -> None:
    """Bring everything that is at `path`. Raise `NothingThere` if that is nothing of this kind."""
    match kind:
        case "hermes-webui":
            await _from_hermes_webui(path, store, settings, report, progress)
        case "open-webui":
            agent = await _usual_agent(store, settings)
            chats = Chats(_file(path, kind), agent, Blobs(settings.blobs), report)
            await take_in(store, chats, report, progress)
        case "holdfast":
            exported = Exported(_file(path, kind), Blobs(settings.blobs), report)
            await take_in(store, exported, report, progress)


async def _usual_agent(store: Store, settings: Settings) -> str:
    """What a session is given that no agent here has held."""
    return settings.agent or (await read_house(store)).defaults.agent or BUILTIN.name


def look_at(kind: Kind, named: str) -> Path | None:
    """The place that is meant, whole; None for the usual one. Raise `NothingThere` if nothing can come from there."""
    try:
        path = Path(named).expanduser().absolute() if named else None
        if kind == "hermes-webui":
            _state(path, kind)
        else:
            _file(path, kind)
    except (OSError, ValueError, RuntimeError) as exc:
        raise NothingThere(named, f"that is no path ({exc}).", kind) from exc
    return path


def _state(path: Path | None, kind: Kind) -> State:
    state = State(default_folder(os.environ) if path is None else path)
    if not state.sessions.is_dir():
        raise NothingThere(state.folder, "there is no folder of sessions in it.", kind)
    return state


def _file(path: Path | None, kind: Kind) -> Path:
    if path is None or not path.is_file():
        raise NothingThere(path or "no path", "an export is a file.", kind)
    return path


async def _from_hermes_webui(
    path: Path | None, store: Store, settings: Settings, report: Report, progress: Progress
) -> None:
    state = _state(path, report.kind)
    folder = state.folder
    report.source = str(folder)
    fallback = await _usual_agent(store, settings)
    hermes = find_hermes(settings)
    usable = not hermes.problem

    def agent_of(profile: str) -> tuple[str, bool]:
        return (profile_agent(hermes, profile), True) if usable else (fallback, False)

    base = _hermes_home(folder, os.environ, given=path is not None)
    databases = {} if base is None else {profile: Database(home) for profile, home in homes(base)}
    given = Given(state=state, blobs=Blobs(settings.blobs), databases=databases, agent_of=agent_of)
    await take_in(store, Source(given, report), report, progress)
    await take_settings(store, state, report, hermes=usable)


def _hermes_home(folder: Path, environ: Mapping[str, str], *, given: bool) -> Path | None:
    """The home of Hermes that belongs to the folder: where it lies, or else the usual one if the folder is."""
    if (folder.parent / FILE).exists() or (folder.parent / "profiles").is_dir():
        return folder.parent
    return None if given else Path(environ.get("HERMES_HOME") or f"~/.{NAME}").expanduser()
