"""Opens what is to be imported: a folder of hermes-webui, or a file of another program or of our own."""

import os
from collections.abc import Mapping
from pathlib import Path

from holdfast.agents.catalog import BUILTIN
from holdfast.agents.hermes.find import NAME, find_hermes, profile_agent
from holdfast.settings import Settings
from holdfast.store.blobs import Blobs
from holdfast.store.protocol import Store
from holdfast.transfer.hermes_webui.files import State, default_folder
from holdfast.transfer.hermes_webui.settings import take_settings
from holdfast.transfer.hermes_webui.source import Given, Source
from holdfast.transfer.hermes_webui.state_db import FILE, Database, homes
from holdfast.transfer.imports import Progress, take_in
from holdfast.transfer.report import Kind, NothingThere, Report


async def import_from(
    kind: Kind, path: Path | None, *, store: Store, settings: Settings, report: Report, progress: Progress
) -> None:
    """Bring everything that is at `path`. Raise `NothingThere` if that is nothing of this kind."""
    match kind:
        case "hermes-webui":
            await _from_hermes_webui(path, store, settings, report, progress)
        case "open-webui" | "holdfast":
            raise NothingThere(path, "not yet.", kind)


async def _from_hermes_webui(
    path: Path | None, store: Store, settings: Settings, report: Report, progress: Progress
) -> None:
    folder = default_folder(os.environ) if path is None else path
    report.source = str(folder)
    state = State(folder)
    if not state.sessions.is_dir():
        raise NothingThere(folder, "there is no folder of sessions in it.", report.kind)
    hermes = find_hermes(settings)
    usable = not hermes.problem

    def agent_of(profile: str) -> tuple[str, bool]:
        return (profile_agent(hermes, profile), True) if usable else (BUILTIN.name, False)

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
