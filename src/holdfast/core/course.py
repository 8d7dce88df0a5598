"""The course of a turn: queued, held, running, ended; and what the loss of a runner means.

Every way to end a turn goes through `end`, so there is exactly one marker, whatever happened.
"""

import msgspec

from holdfast.core.asks import expire_all
from holdfast.core.events import Outcome, TurnEnded, TurnSteered, TurnSubmitted
from holdfast.core.ids import SteerId, TurnId
from holdfast.core.items import END, End, Steer, ToolCall, Usage, UserMessage
from holdfast.core.ledger import Completed, Ledger
from holdfast.core.output import hush
from holdfast.core.records import Record
from holdfast.core.state import Run, State
from holdfast.core.turns import Turn

LOST = "The agent's process ended."
IN_DOUBT = "A step that had begun may or may not have run: look before you repeat it."


def submit(state: State, record: Record, event: TurnSubmitted) -> None:
    if event.turn in state.turns or _keeps(state, event.replaces):
        return
    message = UserMessage(
        turn=event.turn,
        k=0,
        time=record.time,
        text=event.text,
        attachments=event.attachments,
        client=event.client,
        ephemeral=event.ephemeral,
        continues=event.continues,
        replaces=event.replaces,
    )
    enqueue(state, Turn(id=event.turn, seq=record.seq, message=message), ahead=event.ahead)
    state.touch(record)


def _keeps(state: State, turn_id: TurnId | None) -> bool:
    """Whether the truncation of the turn, which is the record before, could not count."""
    return turn_id is not None and (state.running is not None or turn_id in state.queue)


def enqueue(state: State, turn: Turn, *, ahead: bool) -> None:
    state.turns[turn.id] = turn
    state.queue.insert(0 if ahead else len(state.queue), turn.id)


def withdraw(state: State, turn_id: TurnId) -> None:
    if turn_id in state.queue:
        state.queue.remove(turn_id)
        del state.turns[turn_id]


def reorder(state: State, turns: tuple[TurnId, ...]) -> None:
    """Only what waits can be moved, and only where it was asked to be: what came or went meanwhile keeps its place."""
    named = [turn for turn in dict.fromkeys(turns) if turn in state.queue]
    places = sorted(state.queue.index(turn) for turn in named)
    for place, turn in zip(places, named, strict=True):
        state.queue[place] = turn


def release(state: State, turn_id: TurnId | None) -> None:
    for queued in state.queue:
        if turn_id is None or queued == turn_id:
            state.turns[queued].held = False


def cancel(state: State, record: Record, turn_id: TurnId) -> None:
    """A queued turn ends here and now; a running one ends when its runner says so."""
    turn = state.turns.get(turn_id)
    if turn is None or turn.outcome is not None:
        return
    if turn.state == "queued":
        end(state, record, turn, "cancelled")
    else:
        turn.cancel_requested = True


def steer(state: State, record: Record, event: TurnSteered) -> None:
    words = Steer(turn=event.turn, k=0, time=record.time, steer=event.steer, text=event.text, client=event.client)
    turn = state.turns.get(event.turn)
    if turn is not None and turn.state == "running":
        turn.steers.setdefault(event.steer, words)
    else:
        _requeue(state, words, record.seq, held=False)
        state.touch(record)


def deliver_steer(turn: Turn, steer_id: SteerId, time: int) -> None:
    """The words take their place in the transcript where the agent heard them."""
    item = turn.steers.pop(steer_id, None)
    if item is not None:
        hush(turn, None, time)
        item.k = turn.next_k()
        turn.add(item)


def _requeue(state: State, words: Steer, seq: int, *, held: bool) -> None:
    """Words that came too late for their run become the next turn, as sent when they were: not before `seq`."""
    turn_id = TurnId(words.steer)
    if turn_id in state.turns:
        return
    message = UserMessage(turn=turn_id, k=0, time=words.time, text=words.text, client=words.client)
    enqueue(state, Turn(id=turn_id, seq=seq, message=message, held=held), ahead=True)


def start(state: State, record: Record, turn_id: TurnId) -> None:
    turn = state.turns.get(turn_id)
    if turn is None or turn.state != "queued" or turn.held or state.running is not None:
        return
    _enter(state, turn)
    turn.state, turn.epoch, turn.started = "running", record.epoch, record.time
    state.running = state.latest = turn.id
    state.failed_starts, state.failure, state.notice = 0, "", None


def _enter(state: State, turn: Turn) -> None:
    """Move a turn from the queue into the transcript."""
    state.queue.remove(turn.id)
    state.numbered += 1
    turn.number = state.numbered
    turn.items[0] = turn.message


def end(
    state: State,
    record: Record,
    turn: Turn,
    outcome: Outcome,
    error: str = "",
    stderr: str = "",
) -> None:
    """End a turn that has no outcome yet. A cancel that lies before its end wins, unless its process died."""
    if turn.state == "queued":
        _enter(state, turn)
    if turn.cancel_requested and outcome in ("completed", "failed"):
        outcome, error, stderr = "cancelled", "", ""
    if turn.in_doubt and outcome in ("failed", "interrupted"):
        error = f"{error} {IN_DOUBT}".lstrip()
    expire_all(state, turn.id, "the run ended first")
    turn.permitted = {}
    _close_items(turn, record.time)
    turn.state, turn.outcome = "ended", outcome
    turn.items[END] = End(
        turn=turn.id,
        k=END,
        time=record.time,
        outcome=outcome,
        error=error,
        stderr=stderr,
        started=turn.started,
        epoch=turn.epoch,
        usage=msgspec.structs.replace(turn.usage),
    )
    if state.running == turn.id:
        state.running = None
    state.last_outcome = outcome
    if turn.started:
        state.last_run = Run(turn.id, outcome, turn.started, record.time)
    _requeue_steers(state, turn, held=outcome != "completed")
    if outcome in ("failed", "interrupted"):
        for queued in state.queue:
            state.turns[queued].held = True
    if outcome == "completed":
        _mark(state, record, turn)
    state.touch(record)


def _mark(state: State, record: Record, turn: Turn) -> None:
    """The end of a turn is its mark in the ledger. An agent that commits no memory has nothing to commit."""
    process = state.process
    if turn.message.ephemeral or (process is not None and not process.remembers):
        return
    owner = ("", "", "") if process is None else (process.instance, process.agent, process.reference)
    done = Completed(since=turn.seq, seq=record.seq, owner=owner[0], agent=owner[1], reference=owner[2])
    state.ledger = Ledger() if state.ledger is None else state.ledger
    state.ledger.complete(done)


def _close_items(turn: Turn, time: int) -> None:
    for item in turn.items.values():
        if isinstance(item, ToolCall):
            item.interrupt(time)
    for k in turn.tails.values():
        item = turn.items.get(k)
        if item is not None:
            hush(turn, item.parent, time)


def _requeue_steers(state: State, turn: Turn, *, held: bool) -> None:
    for words in reversed(turn.steers.values()):
        _requeue(state, words, turn.seq, held=held)
    turn.steers = {}


def end_by_fact(state: State, record: Record, event: TurnEnded) -> None:
    turn = state.turns.get(event.turn)
    if turn is not None and turn.outcome is None and state.owns(record):
        end(state, record, turn, event.outcome, event.error, event.stderr)


def lose(state: State, record: Record, reason: str = "") -> None:
    """The runner is gone, well or not: nothing runs, nothing waits for an answer."""
    turn = None if state.running is None else state.turns.get(state.running)
    if turn is not None:
        end(state, record, turn, "interrupted", reason or LOST)
    state.alive, state.opening, state.process, state.latest = False, None, None, None
    if state.ledger is not None:
        state.ledger.lose(record.time)


def begin_epoch(state: State, record: Record) -> None:
    """A runner has claimed the session. Whoever had it before is lost."""
    if not state.owns(record) or state.living(record):
        return
    lose(state, record)
    state.alive, state.epoch = True, record.epoch
    if state.ledger is not None:
        state.ledger.start()


def truncation(state: State, turn_id: TurnId | None) -> int | None:
    """The number of the first turn that leaves the transcript, or None if nothing may leave it now."""
    if state.running is not None:
        return None
    if turn_id is None:
        return 1
    turn = state.turns.get(turn_id)
    return turn.number if turn is not None and turn.number else None


def parting(state: State, turn_id: TurnId) -> int | None:
    """The number of the turn after which a fork may go its own way; None if it is not there, or not over yet.

    A turn that waited may be stopped while one before it runs: then it is not its end that is to be waited for.
    """
    turn = state.turns.get(turn_id)
    running = None if state.running is None else state.turns.get(state.running)
    if turn is None or turn.outcome is None or not turn.number:
        return None
    return turn.number if running is None or running.number > turn.number else None


def fork(state: State, record: Record, turn_id: TurnId) -> None:
    """The transcript ends with the turn. What ran, waited, was allowed, spent or is to be remembered is the other's."""
    last = parting(state, turn_id)
    if last is None:
        return
    state.last_outcome = state.turns[turn_id].outcome
    state.turns = {turn.id: turn for turn in state.turns.values() if 0 < turn.number <= last}
    state.recovering = {turn: found for turn, found in state.recovering.items() if found.number <= last}
    state.numbered, state.queue, state.asks = last, [], {}
    state.alive, state.running, state.latest, state.last_run = False, None, None, None
    state.opening, state.process, state.conversation, state.ledger = None, None, None, None
    state.failure, state.failed_starts, state.notice, state.notified = "", 0, None, None
    state.rules, state.usage, state.context_used = (), Usage(), 0
    state.created, state.predecessor, state.deleted = record.time, None, 0
    state.pinned, state.archived = False, False
    state.touch(record)


def truncate(state: State, record: Record, turn_id: TurnId | None) -> None:
    first = truncation(state, turn_id)
    if first is None:
        return
    for turn in [turn for turn in state.turns.values() if turn.number >= first]:
        del state.turns[turn.id]
    state.last_outcome, state.conversation = None, None
    state.recovering = {turn: found for turn, found in state.recovering.items() if found.number < first}
    state.touch(record)
    if turn_id is None and state.ledger is not None:
        state.ledger.want(state.ledger.generation)
