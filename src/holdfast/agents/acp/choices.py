"""What an agent lets people choose: its model, its mode, and the commands that it understands.

There are two styles. Older agents have modes and models of their own (`session/set_mode`, `session/set_model`), newer
ones offer options, of which those of the category `mode` and `model` are meant here. An agent may use either for each.
"""

from collections.abc import Sequence
from typing import Any, Literal, assert_never

import msgspec

from holdfast.agents.acp import wire
from holdfast.agents.acp.connection import Connection, Gone, Rejected
from holdfast.core.events import AgentDescribed, Option, SlashCommand

LIMIT = 200
"""Models, modes or commands that are told of: a list for people."""
What = Literal["model", "mode"]


class Choice(msgspec.Struct, kw_only=True):
    """One thing that can be chosen. `first` is what the agent itself chose; `option` its name, if it is an option."""

    present: str = ""
    first: str = ""
    offered: tuple[Option, ...] = ()
    option: str = ""


class Choices:
    """Of one session of one agent."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._commands: tuple[SlashCommand, ...] = ()
        self._model = Choice()
        self._mode = Choice()
        self._failed: set[tuple[What, str]] = set()

    @property
    def model_offered(self) -> bool:
        return bool(self._model.offered)

    @property
    def described(self) -> AgentDescribed:
        return AgentDescribed(
            agent=self._agent,
            model=self._model.present,
            mode=self._mode.present,
            models=self._model.offered,
            modes=self._mode.offered,
            commands=self._commands,
        )

    def take(self, opened: wire.Choosable) -> None:
        """The session was begun or taken up: this is what there is."""
        if opened.modes is not None:
            modes = opened.modes
            offered = [Option(id=m.id, name=m.name, description=m.description or "") for m in modes.available_modes]
            self._mode = Choice(present=modes.current_mode_id, offered=tuple(offered[:LIMIT]))
        if opened.models is not None:
            models = opened.models
            named = [
                Option(id=m.model_id, name=m.name, description=m.description or "") for m in models.available_models
            ]
            self._model = Choice(present=models.current_model_id, offered=tuple(named[:LIMIT]))
        self._configure(opened.config_options or ())
        self._mode.first, self._model.first = self._mode.present, self._model.present

    def hear(self, update: wire.ChoiceUpdate) -> bool:
        """The agent reports a change; whether there is one."""
        before = self.described
        match update:
            case wire.ModeUpdate():
                self._mode.present = update.current_mode_id
            case wire.CommandsUpdate():
                self._commands = tuple(_command(each) for each in update.available_commands[:LIMIT])
            case wire.OptionsUpdate():
                self._configure(update.config_options)
            case _:
                assert_never(update)
        return self.described != before

    async def choose(self, connection: Connection, session: str, *, model: str, mode: str) -> list[str]:
        """Have the agent work as the session wants, empty for as it was; return what did not work, as sentences.

        What did not work once is not tried again.
        """
        failures = [
            await self._choose(connection, session, "mode", self._mode, mode),
            await self._choose(connection, session, "model", self._model, model),
        ]
        return [failure for failure in failures if failure]

    async def _choose(self, connection: Connection, session: str, what: What, choice: Choice, wanted: str) -> str:
        wanted = wanted or choice.first
        if wanted == choice.present or (what, wanted) in self._failed:
            return ""
        self._failed.add((what, wanted))
        if not choice.offered:
            return f"This agent does not let its {what} be chosen, so it is not {wanted}."
        try:
            answer = await connection.request(*_request(session, what, choice.option, wanted))
        except Rejected as exc:
            return f"The agent did not take the {what} {wanted} and goes on with {choice.present}: {exc}"
        except Gone:
            return ""  # the turn will say so
        self._failed.discard((what, wanted))
        choice.present = wanted
        configured = wire.read(answer, wire.Configured)
        self._configure(configured.config_options if configured else ())
        return ""

    def _configure(self, options: Sequence[wire.ConfigOption]) -> None:
        for option in options:
            choice = {"mode": self._mode, "model": self._model}.get(option.category or "")
            if choice is None or option.type != "select":
                continue
            present = wire.read(option.current_value, str) or ""
            choice.present, choice.option = present, option.id
            choice.offered = tuple(_offered(option)[:LIMIT])


def _request(session: str, what: What, option: str, wanted: str) -> tuple[str, dict[str, Any]]:
    if option:
        return "session/set_config_option", {"sessionId": session, "configId": option, "value": wanted}
    return f"session/set_{what}", {"sessionId": session, f"{what}Id": wanted}


def _offered(option: wire.ConfigOption) -> list[Option]:
    """What may be chosen, whether it comes in groups or not."""
    return [
        Option(
            id=each.value,
            name=f"{entry.name}: {each.name}" if entry.options else each.name,
            description=each.description or "",
        )
        for entry in option.options
        for each in entry.options or (entry,)
    ]


def _command(command: wire.Command) -> SlashCommand:
    hint = "" if command.input is None else command.input.hint or ""
    return SlashCommand(name=command.name.removeprefix("/"), description=command.description or "", hint=hint)
