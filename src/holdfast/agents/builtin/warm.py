"""Doing once, before anybody waits, what the libraries put off until they are first used.

A whole answer of a model that is none goes through the same hands as a real one will, and nothing leaves the process.
"""

from collections.abc import AsyncIterator

from openai.types.chat import ChatCompletionChunk
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, FunctionModel

from holdfast.agents.builtin.tools.table import TOOLS


async def warm() -> None:
    """Return when a turn would find everything ready."""
    words: list[ModelMessage] = [ModelRequest.user_text_prompt("Hello")]
    parameters = ModelRequestParameters(function_tools=[tool.definition for tool in TOOLS.values()])
    model = FunctionModel(stream_function=_answer)
    async with model_request_stream(model, words, model_request_parameters=parameters) as stream:
        async for _ in stream:
            pass
    said = ModelMessagesTypeAdapter.dump_python([*words, stream.get()], mode="json")
    ModelMessagesTypeAdapter.validate_python(said)
    ChatCompletionChunk.model_rebuild()


async def _answer(_: list[ModelMessage], __: AgentInfo) -> AsyncIterator[str]:
    yield "Hello"
