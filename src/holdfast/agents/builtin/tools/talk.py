"""Tools that turn to the person: a question, and a plan to look at."""

from typing import Annotated, Literal

import msgspec

from holdfast.agents.builtin.deed import Bench, Deed, Done, Say, Tool, Unable
from holdfast.agents.builtin.link import Json, at


class Asking(msgspec.Struct, kw_only=True):
    question: Annotated[str, msgspec.Meta(min_length=1)]
    choices: Annotated[list[str], msgspec.Meta(description="Likely answers; another may be given.")] = []


async def ask(arguments: Asking, bench: Bench) -> Deed:
    if not bench.voice.forms:
        raise Unable("Nobody can be asked from here. Decide yourself, and say what you assumed.")

    async def do(_: Say) -> Done:
        field: Json = {"type": "string", "title": "Answer"} | ({"enum": arguments.choices} if arguments.choices else {})
        form = {"type": "object", "properties": {"answer": field}, "required": ["answer"]}
        answer = await bench.voice.ask(
            "elicitation/create",
            mode="form",
            message=arguments.question,
            requestedSchema=form,
            _meta={"holdfast": {"choices": arguments.choices, "freeText": True}},
        )
        if at(answer, "action") != "accept":
            return Done(text="The user did not answer. Decide yourself, and say what you assumed.")
        return Done(text=f"The user answered: {at(answer, 'content', 'answer')}")

    return Deed(title=f"Ask: {arguments.question}", kind="other", do=do)


class Step(msgspec.Struct, kw_only=True):
    text: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class Planning(msgspec.Struct, kw_only=True):
    steps: list[Step]


async def plan(arguments: Planning, bench: Bench) -> Deed:
    async def do(_: Say) -> Done:
        entries = [{"content": step.text, "priority": "medium", "status": step.status} for step in arguments.steps]
        bench.voice.update("plan", entries=entries)
        return Done(text="The plan is shown.")

    return Deed(title="Plan", kind="think", do=do)


ASK = Tool(
    name="ask",
    about="Ask the person a question and wait for the answer. Only for what you can't find out or decide yourself.",
    arguments=Asking,
    prepare=ask,
)
PLAN = Tool(
    name="plan",
    about="Show the person your plan for a task of several steps; call it again with all steps as they change.",
    arguments=Planning,
    prepare=plan,
)
