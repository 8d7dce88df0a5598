"""Keeping a conversation within what its model can look at.

When it gets near, what was said long ago is summed up by the model itself, and the summary stands in its place; the
last messages stay as they are. A conversation that can't be made shorter is left alone.
"""

import dataclasses
from collections.abc import Sequence

from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.usage import RequestUsage

from holdfast.core.plausible import plausible

NEAR = 0.8
"""How full the model's window may get."""
KEPT = 0.25
"""How much of it the last messages may take."""
UNKNOWN = 32_000
"""What we reckon with if nobody says how much a model can look at."""
PER_TOKEN = 4
"""Characters of a token, roughly."""
OUTPUT = 2_000
"""Characters of a tool's result that a summary is made of."""
NOTICE = "The conversation got long, so its older part was summed up for the model. Nothing that you see is gone."
REQUEST = """\
Below is the older part of a conversation between a user and you, an agent with tools. It will be removed from your \
memory, and what you write now will stand in its place. Write down all that is needed to go on: what the user wants \
and has decided, what was found out, which files matter and how they were changed, what failed, and what is left to \
do. Be exact with names, paths, numbers and commands. Do not answer the user and call no tools.

"""
SUMMARY = "[Summary of the earlier part of this conversation]\n\n"


def due(messages: Sequence[ModelMessage], used: int, window: int) -> bool:
    """Whether it is time. `used` is what the last request took, by the provider's count; 0 if not known."""
    return window > 0 and max(used, estimate(messages)) > NEAR * window


def used(messages: Sequence[ModelMessage]) -> int:
    """How many tokens the last request and its answer took, by the provider's count; 0 if that is not known."""
    last = next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)
    return 0 if last is None else plausible(last.usage.input_tokens + last.usage.output_tokens)


def estimate(messages: Sequence[ModelMessage]) -> int:
    """About how many tokens the messages take."""
    return sum(len(recount(message)) for message in messages) // PER_TOKEN


async def shorten(messages: Sequence[ModelMessage], model: Model, window: int) -> list[ModelMessage] | None:
    """The conversation with its older part summed up; None if there is nothing to sum up. Raise as the model does."""
    old, recent = divide(messages, int(KEPT * (window or UNKNOWN)))
    if not old:
        return None
    room = int(NEAR * (window or UNKNOWN)) * PER_TOKEN
    told = "\n\n".join(recount(message, OUTPUT) for message in old)[-room:]
    answer = await model_request(model, [ModelRequest.user_text_prompt(REQUEST + told)])
    text = "".join(part.content for part in answer.parts if isinstance(part, TextPart)).strip()
    return [ModelRequest.user_text_prompt(SUMMARY + text), *map(_uncounted, recent)] if text else None


def _uncounted(message: ModelMessage) -> ModelMessage:
    """Without the count of a request that held what is gone now."""
    return dataclasses.replace(message, usage=RequestUsage()) if isinstance(message, ModelResponse) else message


def divide(messages: Sequence[ModelMessage], tokens: int) -> tuple[list[ModelMessage], list[ModelMessage]]:
    """What is summed up, and what stays: as many of the last messages as fit, from where no call lacks its result."""
    cuts = [number for number in range(1, len(messages)) if not _answers(messages[number])]
    fitting = [cut for cut in cuts if estimate(messages[cut:]) <= tokens]
    cut = fitting[0] if fitting else (cuts[-1] if cuts else 0)
    return list(messages[:cut]), list(messages[cut:])


def _answers(message: ModelMessage) -> bool:
    return isinstance(message, ModelRequest) and any(isinstance(part, ToolReturnPart) for part in message.parts)


def recount(message: ModelMessage, longest: int = 1_000_000) -> str:
    """A message as text."""
    lines: list[str] = []
    for part in message.parts:
        match part:
            case UserPromptPart(content=str(text)):
                lines.append(f"User: {text}")
            case UserPromptPart(content=content):
                lines.append(
                    "User: " + " ".join(piece if isinstance(piece, str) else "[attachment]" for piece in content)
                )
            case TextPart(content=text):
                lines.append(f"You: {text}")
            case ToolCallPart():
                lines.append(f"You called {part.tool_name}: {part.args_as_json_str()[:longest]}")
            case ToolReturnPart():
                lines.append(f"Result: {part.model_response_str()[:longest]}")
            case _:
                pass
    return "\n".join(lines)
