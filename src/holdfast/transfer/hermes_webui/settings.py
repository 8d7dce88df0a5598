"""Settings of hermes-webui that mean something here. What a person has chosen here already stays."""

import contextlib
from pathlib import Path

from msgspec import UNSET

from holdfast.agents.hermes.find import NAME
from holdfast.core.errors import KeyTaken
from holdfast.core.events import DefaultsChosen
from holdfast.core.house import Defaults
from holdfast.core.ids import HOUSE
from holdfast.rules import read_house
from holdfast.store.protocol import Store
from holdfast.transfer.hermes_webui.files import State
from holdfast.transfer.report import Report
from holdfast.transfer.scribe import CLIENT
from holdfast.transfer.values import Fields

KEY = "import:hermes-webui"
TAKEN = ("default_model", "default_workspace")


async def take_settings(store: Store, state: State, report: Report, *, hermes: bool) -> None:
    """`hermes`: whether Hermes is what new sessions can be given to, so that its default model means something."""
    settings = Fields(state.document("settings.json"))
    event = _chosen(settings, (await read_house(store)).defaults, hermes=hermes)
    if event != DefaultsChosen(client=CLIENT):
        with contextlib.suppress(KeyTaken):  # an earlier import has brought others, and people have chosen since
            if (await store.append(HOUSE, [event], key=KEY)).written:
                values = zip(TAKEN, (event.model, event.workspace), strict=True)
                report.settings += [name for name, value in values if value is not UNSET]
    others = sorted(name for name, _ in settings.items() if name not in TAKEN)
    if others:
        report.leave("", f"settings ({', '.join(others)})", "they have no equivalent here.")
    for name in ("workspaces.json",):
        if (state.folder / name).exists():
            report.leave("", name, "a session names its own folder here; there is no list of them.")


def _chosen(settings: Fields, before: Defaults, *, hermes: bool) -> DefaultsChosen:
    model = settings.word("default_model") if hermes and not before.model and before.agent in ("", NAME) else ""
    workspace = "" if before.workspace else settings.text("default_workspace")
    usable = Path(workspace).is_absolute() and Path(workspace).is_dir()
    return DefaultsChosen(
        agent=NAME if model else UNSET,
        model=model or UNSET,
        workspace=workspace if usable else UNSET,
        client=CLIENT,
    )
