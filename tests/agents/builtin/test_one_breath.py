"""What the built-in agent reads in one piece counts in the order in which it was said."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from holdfast.settings import Settings
from tests.agents.builtin.inside import Inside
from tests.agents.builtin.model import Model

Json = dict[str, Any]


class Pipe:
    """The agent, spoken to in lines."""

    def __init__(self, settings: Settings) -> None:
        self._inside = Inside(settings)
        self.session = ""

    async def open(self, workspace: Path) -> None:
        self.tell(asked(1, "session/new", cwd=str(workspace), mcpServers=[]))
        self.session = (await self.answers(1))[1]["result"]["sessionId"]

    def tell(self, *messages: Json) -> None:
        """All in one piece."""
        named = [{**each, "params": {"sessionId": self.session, **each["params"]}} for each in messages]
        self._inside.write(b"".join(json.dumps(each).encode() + b"\n" for each in named))

    async def answers(self, *requests: int) -> dict[int, Json]:
        found: dict[int, Json] = {}
        async with asyncio.timeout(60):  # a limit against hanging
            while not found.keys() >= set(requests):
                for line in (await self._inside.read()).splitlines():
                    message = json.loads(line)
                    if "method" not in message:
                        found[message["id"]] = message
        return found

    async def end(self) -> None:
        await self._inside.end()


def asked(number: int, method: str, **params: Any) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def prompt(number: int, text: str) -> Json:
    return asked(number, "session/prompt", prompt=[{"type": "text", "text": text}])


CANCEL: Json = {"jsonrpc": "2.0", "method": "session/cancel", "params": {}}


@pytest.fixture
async def pipe(settings: Settings, workspace: Path) -> AsyncGenerator[Pipe]:
    pipe = Pipe(settings)
    await pipe.open(workspace)
    yield pipe
    await pipe.end()


async def test_a_cancel_that_is_read_with_its_prompt_ends_it(pipe: Pipe, model: Model) -> None:
    """The turn has not taken a step yet; it is answered as cancelled, and the next one runs."""
    pipe.tell(prompt(2, "!stream 100000 5"), CANCEL)
    assert (await pipe.answers(2))[2]["result"] == {"stopReason": "cancelled"}
    assert model.requests == []
    pipe.tell(prompt(3, "!say Still here."))
    assert (await pipe.answers(3))[3]["result"] == {"stopReason": "end_turn"}


async def test_of_two_prompts_that_are_read_together_the_second_is_refused(pipe: Pipe, model: Model) -> None:
    """One turn at a time, from the moment on at which it was asked for."""
    pipe.tell(prompt(2, "!say One."), prompt(3, "!say Two."))
    found = await pipe.answers(2, 3)
    assert found[2]["result"] == {"stopReason": "end_turn"}
    assert "still runs" in found[3]["error"]["message"]
    assert len(model.requests) == 1


async def test_words_that_are_read_with_their_prompt_are_heard(pipe: Pipe, model: Model) -> None:
    """The turn is still looking for its model; what steers it waits there."""
    pipe.tell(prompt(2, "!say One."), asked(3, "_holdfast/steer", text="Use the blue one."))
    found = await pipe.answers(2, 3)
    assert found[3]["result"] == {"accepted": True}
    assert model.heard("user") == ["!say One.", "Use the blue one."]


async def test_words_are_refused_while_the_conversation_is_summed_up(pipe: Pipe) -> None:
    """There is no request that they could go into; whoever sent them sends them again."""
    pipe.tell(prompt(2, "/compact"), asked(3, "_holdfast/steer", text="Use the blue one."))
    assert (await pipe.answers(2, 3))[3]["result"] == {"accepted": False}
