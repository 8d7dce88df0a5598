"""One request to a model: what comes back is shown as it comes, and returned when it is whole.

Law: what was shown is never lost. Whoever is cut off in the middle, by a person, a dropped connection or an error in
the stream, finds what was said until then in `Spoken.so_far`.
"""

import dataclasses
from collections.abc import Callable, Sequence

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models import StreamedResponse as Streamed
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from holdfast.agents.builtin.link import Voice


class CutOff(Exception):
    """The connection ended before the answer did."""


class Spoken:
    """The answer to one request. `unused` gives a tool call's id, or another if the model has used it before."""

    def __init__(self, voice: Voice, message: str, unused: Callable[[str], str]) -> None:
        self._voice = voice
        self._message = message
        self._unused = unused
        self._names: dict[int, str] = {}
        self._stream: Streamed | None = None
        self.announced: list[str] = []
        """Calls that were shown."""

    @property
    def begun(self) -> bool:
        """Whether anything was shown."""
        return self._stream is not None and bool(self._stream.get().parts)

    @property
    def so_far(self) -> ModelResponse | None:
        """What was said; no tool call, since none of them was carried out. None if nothing was."""
        if self._stream is None:
            return None
        response = self._stream.get()
        parts = [part for part in response.parts if isinstance(part, TextPart | ThinkingPart) and part.content]
        if not any(isinstance(part, TextPart) for part in parts):
            return None
        return dataclasses.replace(response, parts=parts, state="complete")

    async def listen(
        self, model: Model, messages: Sequence[ModelMessage], tools: Sequence[ToolDefinition], settings: ModelSettings
    ) -> ModelResponse:
        """Raise `ModelAPIError`, or `CutOff` if the stream ended without saying that it does."""
        parameters = ModelRequestParameters(function_tools=list(tools))
        async with model_request_stream(
            model, messages, model_settings=settings, model_request_parameters=parameters
        ) as stream:
            self._stream = stream
            async for event in stream:
                match event:
                    case PartStartEvent():
                        self._begin(event)
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                        self._voice.say(text, self._message)
                    case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(text))) if text:
                        self._voice.think(text, self._message)
                    case _:
                        continue
                await self._voice.drain()
        response = stream.get()
        if not _finished(response):
            raise CutOff
        return dataclasses.replace(response, parts=[self._named(*part) for part in enumerate(response.parts)])

    def _begin(self, event: PartStartEvent) -> None:
        match event.part:
            case TextPart(content=text) if text:
                self._voice.say(text, self._message)
            case ThinkingPart(content=text) if text:
                self._voice.think(text, self._message)
            case ToolCallPart() as call:
                name = self._names[event.index] = self._unused(call.tool_call_id)
                self.announced.append(name)
                fields = {"toolCallId": name, "name": call.tool_name, "title": call.tool_name}
                self._voice.update("tool_call", **fields, kind="other", status="pending")
            case _:
                pass

    def _named(self, index: int, part: ModelResponsePart) -> ModelResponsePart:
        if isinstance(part, ToolCallPart):
            return dataclasses.replace(part, tool_call_id=self._names.get(index) or self._unused(part.tool_call_id))
        return part


def _finished(response: ModelResponse) -> bool:
    """Whether the server came to its end. A connection that breaks between two lines looks like a polite one."""
    said = response.provider_details or {}
    return "finish_reason" in said or response.usage.total_tokens > 0
