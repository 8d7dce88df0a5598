"""Turns: submit, steer, interrupt, cancel, take back, let go on, continue."""

import asyncio
import contextlib
import os
import signal
from typing import Literal, cast

from holdfast.core import commands as c
from holdfast.core import ids
from holdfast.core.errors import StoreError
from holdfast.core.ids import SessionId
from holdfast.ownership import probe
from holdfast.server.act import act, turn_state
from holdfast.server.endpoint import FromPath, JSONBody, post
from holdfast.server.schema.sessions import Continuation, Done, NewTurn, QueueOrder, Submitted
from holdfast.server.wired import Caller, Wired

State = Literal["queued", "running", "ended", "steering"]


@post("/api/sessions/{session_id}/turns", summary="Send a message", status=200)
async def submit_turn(wiring: Wired, client: Caller, session_id: FromPath[str], data: JSONBody[NewTurn]) -> Submitted:
    session = ids.session_id(session_id)
    command = await _command(wiring, session, client, data)
    return await _submit(wiring, session, command, data.id)


async def _command(wiring: Wired, session: SessionId, client: Caller, data: NewTurn) -> c.Command:
    turn = ids.turn_id(data.id)
    if data.replaces is not None:
        replaces = ids.turn_id(data.replaces)
        return c.ReplaceTurn(turn=turn, replaces=replaces, text=data.text, attachments=data.attachments, client=client)
    if data.mode == "interrupt":
        return c.InterruptTurn(turn=turn, text=data.text, attachments=data.attachments, client=client)
    if data.mode == "steer" and not data.attachments:
        running = (await wiring.store.open(session)).session.running
        if running is not None:
            return c.SteerTurn(turn=running, steer=ids.steer_id(data.id), text=data.text, client=client)
    return c.SubmitTurn(
        turn=turn,
        text=data.text,
        attachments=data.attachments,
        continues=ids.turn_id(data.continues) if data.continues else None,
        client=client,
    )


async def _submit(wiring: Wired, session: SessionId, command: c.Command, name: str) -> Submitted:
    turn = ids.turn_id(name)
    outcome = await act(wiring, session, command)
    state = cast("State", turn_state(outcome, turn))
    return Submitted(session=session, turn=turn, seq=outcome.seq, state=state)


@post("/api/sessions/{session_id}/turns/{turn_id}/cancel", summary="Stop a turn", status=200)
async def cancel_turn(wiring: Wired, client: Caller, session_id: FromPath[str], turn_id: FromPath[str]) -> Done:
    return await cancel(wiring, ids.session_id(session_id), ids.turn_id(turn_id), client)


async def cancel(wiring: Wired, session: SessionId, turn: ids.TurnId, client: str) -> Done:
    """The one way in which a turn is stopped, whatever language it was asked for in."""
    try:
        return Done(session=session, seq=(await act(wiring, session, c.CancelTurn(turn=turn, client=client))).seq)
    except StoreError:
        if not await _signalled(wiring, session, turn):
            raise
        return Done(session=session, seq=0)


async def _signalled(wiring: Wired, session: SessionId, turn: ids.TurnId) -> bool:
    """A cancel always works: what can't be written is said to the runner itself, which records it when it can."""
    if (await wiring.store.open(session)).session.running != turn:
        return False
    holder = await asyncio.to_thread(probe, wiring.settings.locks, session)
    if holder is None or holder.pid <= 0 or holder.pid == os.getpid():  # ourselves, writing down a loss
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(holder.pid, signal.SIGUSR1)
    return True


@post("/api/sessions/{session_id}/turns/{turn_id}/withdraw", summary="Take back a turn", status=200)
async def withdraw_turn(wiring: Wired, client: Caller, session_id: FromPath[str], turn_id: FromPath[str]) -> Done:
    return await _do(wiring, session_id, c.WithdrawTurn(turn=ids.turn_id(turn_id), client=client))


@post("/api/sessions/{session_id}/turns/{turn_id}/release", summary="Let a held turn run", status=200)
async def release_turn(wiring: Wired, client: Caller, session_id: FromPath[str], turn_id: FromPath[str]) -> Done:
    return await _do(wiring, session_id, c.ReleaseTurns(turn=ids.turn_id(turn_id), client=client))


@post("/api/sessions/{session_id}/queue", summary="Put queued turns into another order", status=200)
async def reorder_queue(wiring: Wired, client: Caller, session_id: FromPath[str], data: JSONBody[QueueOrder]) -> Done:
    turns = tuple(ids.turn_id(turn) for turn in data.turns)
    return await _do(wiring, session_id, c.ReorderQueue(turns=turns, client=client))


@post("/api/sessions/{session_id}/release", summary="Let every held turn run", status=200)
async def release_turns(wiring: Wired, client: Caller, session_id: FromPath[str]) -> Done:
    return await _do(wiring, session_id, c.ReleaseTurns(client=client))


@post(
    "/api/sessions/{session_id}/turns/{turn_id}/continue",
    summary="Take up an interrupted turn with a new one",
    status=200,
)
async def continue_turn(
    wiring: Wired, client: Caller, session_id: FromPath[str], turn_id: FromPath[str], data: JSONBody[Continuation]
) -> Submitted:
    command = c.SubmitTurn(turn=ids.turn_id(data.id), text=data.text, continues=ids.turn_id(turn_id), client=client)
    return await _submit(wiring, ids.session_id(session_id), command, data.id)


async def _do(wiring: Wired, session_id: FromPath[str], command: c.Command) -> Done:
    session = ids.session_id(session_id)
    return Done(session=session, seq=(await act(wiring, session, command)).seq)


ROUTES = (submit_turn, cancel_turn, withdraw_turn, reorder_queue, release_turn, release_turns, continue_turn)
