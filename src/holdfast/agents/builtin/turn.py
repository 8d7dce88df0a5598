"""One turn: a person's words, then requests to the model and deeds of its tools until it has no more to do.

Law: every step is in the history before the next one begins, so that a turn that is cut off anywhere, by a cancel or by
death, leaves a conversation that can go on. Words that steer go in before the next request; a turn does not end while
some wait.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserContent, UserPromptPart
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from holdfast.agents.builtin import compact, leave
from holdfast.agents.builtin.deed import Bench, Deed, Done, Tool, Unable, bounded
from holdfast.agents.builtin.history import History
from holdfast.agents.builtin.link import Json, Voice
from holdfast.agents.builtin.modes import Mode
from holdfast.agents.builtin.provider import Providers, explain, passing
from holdfast.agents.builtin.stream import CutOff, Spoken
from holdfast.core.errors import HoldfastError

PAUSES = (0.5, 2.0, 5.0)
"""Seconds before each further try of a request that failed for a passing reason."""
PATIENCE = 60.0
"""Seconds that a provider may ask us to wait."""
MOST_REQUESTS = 200
"""Requests to the model in one turn: a model that goes round in circles is stopped."""


class TurnFailed(HoldfastError):
    """{0}"""


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn works with."""

    providers: Providers
    history: History
    mode: Callable[[], Mode]
    tools: Mapping[str, Tool]
    system: Callable[[], ModelRequest]
    bench: Callable[[str], Bench]
    voice: Voice


class Turn:
    """Run once, in a task that may be cancelled at any time."""

    def __init__(self, setting: Setting) -> None:
        self._set = setting
        self._voice = setting.voice
        self._history = setting.history
        self._messages = itertools.count(1)
        self._steers: list[str] = []
        self._used = {
            part.tool_call_id
            for message in self._history.messages
            for part in message.parts
            if isinstance(part, ToolCallPart)
        }
        self._context = compact.used(self._history.messages)
        self.over = False

    def steer(self, words: str) -> bool:
        """Take words for the next request; return whether there will be one."""
        if not self.over:
            self._steers.append(words)
        return not self.over

    async def run(self, words: Sequence[UserContent]) -> str:
        """Return why it stopped, in the protocol's words. Raise `TurnFailed`."""
        self._history.append(ModelRequest(parts=[UserPromptPart(content=list(words))]))
        try:
            self._chosen = await self._set.providers.choose(self._history.model)
            self._set.providers.learn_window(self._chosen)
            for _ in range(MOST_REQUESTS):
                self._take_steers()
                response = await self._answer()
                self._history.append(response)
                self._report(response)
                if calls := [part for part in response.parts if isinstance(part, ToolCallPart)]:
                    await self._use_all(calls)
                elif not self._steers:
                    return _stop(response)
            return "max_turn_requests"
        finally:
            self.over = True
            self._take_steers()

    def _take_steers(self) -> None:
        words, self._steers = self._steers, []
        if words:
            self._history.append(ModelRequest(parts=[UserPromptPart(content=each) for each in words]))

    # The model.

    async def _answer(self) -> ModelResponse:
        """What the model says next, tried again when that may help."""
        await self._make_room()
        squeezed = False
        for pause in (*PAUSES, None):
            spoken = Spoken(self._voice, f"m{next(self._messages)}", self._unused)
            try:
                return await self._listen(spoken)
            except ModelContextWindowExceededError as exc:
                if squeezed or pause is None or not await self._compact():
                    raise TurnFailed(explain(exc, self._chosen)) from exc
                squeezed = True
            except ModelAPIError as exc:
                self._keep(spoken)
                if spoken.begun or pause is None or not passing(exc):
                    raise TurnFailed(self._ended_early(spoken, exc)) from exc
                await self._wait(min(exc.retry_after or pause, PATIENCE), explain(exc, self._chosen))
            except CutOff as exc:
                self._keep(spoken)
                if spoken.begun or pause is None:
                    raise TurnFailed(self._ended_early(spoken, exc)) from exc
                await self._wait(pause, f"{self._chosen.endpoint.name} closed the connection without a word.")
            except UnexpectedModelBehavior as exc:
                self._keep(spoken)
                raise TurnFailed(f"{self._chosen.endpoint.name} sent what can't be understood: {exc}") from exc
            except asyncio.CancelledError:
                self._keep(spoken)
                raise
        raise AssertionError("the last try returns or raises")

    async def _listen(self, spoken: Spoken) -> ModelResponse:
        chosen = self._chosen
        messages = [self._set.system(), *self._history.view]
        return await spoken.listen(self._set.providers.model(chosen), messages, self._definitions(), ModelSettings())

    def _definitions(self) -> list[ToolDefinition]:
        return [tool.definition for tool in self._set.tools.values() if self._set.mode().offers(tool)]

    def _keep(self, spoken: Spoken) -> None:
        """What was shown stays, and a call that was only announced is not left open."""
        if (said := spoken.so_far) is not None:
            self._history.append(said)
        for call in spoken.announced:
            self._close(call, Done(text="The answer broke off before this was called.", failed=True))

    def _ended_early(self, spoken: Spoken, error: ModelAPIError | CutOff) -> str:
        if isinstance(error, CutOff) or (spoken.begun and isinstance(error, ModelConnectionError)):
            why = f"The connection to {self._chosen.endpoint.name} broke off."
        else:
            why = explain(error, self._chosen)
        return f"{why} What had been said until then is kept." if spoken.begun else why

    async def _wait(self, seconds: float, why: str) -> None:
        self._voice.notice(f"{why} Trying again in {seconds:.0f} s.", "warning", "retry")
        await asyncio.sleep(seconds)

    def _unused(self, name: str) -> str:
        """A name that no call of this conversation has: some servers count from 0 in every answer."""
        names = (f"{name or 'call'}-{number}" for number in itertools.count(2))
        fresh = name if name and name not in self._used else next(each for each in names if each not in self._used)
        self._used.add(fresh)
        return fresh

    def _report(self, response: ModelResponse) -> None:
        usage = response.usage
        self._context = compact.used([response])
        ours: Json = {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cached": usage.cache_read_tokens,
            "reasoning": usage.details.get("reasoning_tokens", 0),
            "model": self._chosen.id,
        }
        size = self._set.providers.window(self._chosen)
        self._voice.update("usage_update", used=self._context, size=size, _meta={"holdfast": ours})

    # The length of the conversation.

    async def _make_room(self) -> None:
        window = self._set.providers.window(self._chosen)
        if compact.due(self._history.view, self._context, window):
            await self._compact()

    async def _compact(self) -> bool:
        """Put a summary in the place of what was said long ago; return whether that made it shorter."""
        model = self._set.providers.model(self._chosen)
        window = self._set.providers.window(self._chosen)
        try:
            shorter = await compact.shorten(self._history.view, model, window)
        except (ModelAPIError, UnexpectedModelBehavior):
            return False  # the request itself will say what is wrong
        if shorter is None:
            return False
        self._history.replace(shorter)
        self._context = 0
        self._voice.notice(compact.NOTICE, "info", "compacted")
        return True

    # Tools.

    async def _use_all(self, calls: Sequence[ToolCallPart]) -> None:
        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(self._use(call))

    async def _use(self, call: ToolCallPart) -> None:
        try:
            done = await self._carry_out(call)
        except asyncio.CancelledError:
            self._finish(call, Done(text="The user stopped this.", failed=True))
            raise
        except (HoldfastError, OSError, UnicodeError) as exc:
            done = Done(text=str(exc), failed=True)
        self._finish(call, done)
        await self._voice.drain()

    async def _carry_out(self, call: ToolCallPart) -> Done:
        name, mode = call.tool_call_id, self._set.mode()
        bench = self._set.bench(name)
        tool = self._set.tools.get(call.tool_name)
        if tool is None or not mode.offers(tool):
            raise Unable(f"There is no tool {call.tool_name!r} here.")
        raw = call.args_as_json_str() or "{}"
        try:
            arguments = msgspec.json.decode(raw, type=tool.arguments)
        except (msgspec.DecodeError, UnicodeDecodeError) as exc:
            raise Unable(f"These arguments can't be used: {exc}") from exc
        deed = await tool.prepare(arguments, bench)
        shown = _shown(call, deed, raw)
        self._voice.update("tool_call_update", **shown, status="pending")
        if (asking := mode.asking(tool, deed)) is not None:
            verdict = await leave.ask(self._voice, {**shown, "status": "pending"}, asking, str(bench.workspace.root))
            if not verdict.allowed:
                return Done(text=verdict.told, failed=True)
        self._voice.update("tool_call_update", toolCallId=name, status="in_progress")
        return await deed.do(self._output(name))

    def _output(self, call: str) -> Callable[[str], Awaitable[None]]:
        async def say(piece: str) -> None:
            if self._voice.live:
                self._voice.update(
                    "tool_call_update", toolCallId=call, _meta={"terminal_output": {"data": piece, "terminal_id": call}}
                )
                await self._voice.drain()

        return say

    def _finish(self, call: ToolCallPart, done: Done) -> None:
        result = ToolReturnPart(tool_name=call.tool_name, content=bounded(done.text), tool_call_id=call.tool_call_id)
        self._history.append(ModelRequest(parts=[result]))
        self._close(call.tool_call_id, done)

    def _close(self, call: str, done: Done) -> None:
        text = done.text if done.shown is None else done.shown
        status = "failed" if done.failed else "completed"
        shown = {"content": [{"type": "content", "content": {"type": "text", "text": text}}]} if text else {}
        self._voice.update("tool_call_update", toolCallId=call, status=status, **shown)


def _shown(call: ToolCallPart, deed: Deed, raw: str) -> Json:
    diffs = [{"type": "diff", "path": diff.path, "oldText": diff.old, "newText": diff.new} for diff in deed.diffs]
    return {
        "toolCallId": call.tool_call_id,
        "name": call.tool_name,
        "title": deed.title,
        "kind": deed.kind,
        "rawInput": msgspec.Raw(raw.encode()),
        **({"content": diffs} if diffs else {}),
    }


def _stop(response: ModelResponse) -> str:
    match response.finish_reason:
        case "length":
            return "max_tokens"
        case "content_filter":
            return "refusal"
        case _:
            return "end_turn"
