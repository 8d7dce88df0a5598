"""Settings of hermes-webui that mean something here. What a person has chosen here already stays."""

from pathlib import Path

import msgspec
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
    before = (await read_house(store)).defaults
    choices = [_model(settings, before, hermes=hermes), _workspace(settings, before)]
    await _choose(store, report, [choice for choice in choices if choice.value])
    for choice in choices:
        if choice.why:
            report.leave("", choice.name, choice.why)
    others = sorted(name for name, _ in settings.items() if name not in TAKEN)
    if others:
        report.leave("", f"settings ({', '.join(others)})", "they have no equivalent here.")
    for name in ("workspaces.json",):
        if (state.folder / name).exists():
            report.leave("", name, "a session names its own folder here; there is no list of them.")


class _Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A default: what it is to be, or why it is not; neither if there is none, or it is that already."""

    name: str
    value: str = ""
    why: str = ""


async def _choose(store: Store, report: Report, choices: list[_Choice]) -> None:
    """Once in the life of a home: whoever has chosen otherwise since has done so on purpose."""
    values = {choice.name: choice.value for choice in choices}
    model, workspace = values.get("default_model", UNSET), values.get("default_workspace", UNSET)
    event = DefaultsChosen(agent=UNSET if model is UNSET else NAME, model=model, workspace=workspace, client=CLIENT)
    try:
        written = not values or (await store.append(HOUSE, [event], key=KEY)).written
    except KeyTaken:
        written = 0
    if written:
        report.settings += values
    else:
        for name in values:
            report.leave("", name, "an earlier import has chosen the defaults, and was overruled since.")


def _model(settings: Fields, before: Defaults, *, hermes: bool) -> _Choice:
    name = "default_model"
    model = settings.word(name)
    if not model or (before.agent, before.model) == (NAME, model):
        return _Choice(name=name)
    if not hermes:
        return _Choice(name=name, why=f"{model} is a model of Hermes, and Hermes is not there.")
    if before.model or before.agent not in ("", NAME):
        return _Choice(name=name, why=f"another model or agent than {model} has been chosen here.")
    return _Choice(name=name, value=model)


def _workspace(settings: Fields, before: Defaults) -> _Choice:
    name = "default_workspace"
    folder = settings.text(name)
    if not folder or before.workspace == folder:
        return _Choice(name=name)
    if before.workspace:
        return _Choice(name=name, why=f"another folder than {folder} has been chosen here.")
    if not (Path(folder).is_absolute() and Path(folder).is_dir()):
        return _Choice(name=name, why=f"there is no folder {folder} here.")
    return _Choice(name=name, value=folder)
