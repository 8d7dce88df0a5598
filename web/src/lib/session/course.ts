// The course of a turn: queued, held, running, ended; and what the loss of a runner means.
//
// Every way to end a turn goes through `end`, so there is exactly one marker, whatever happened.

import type * as wire from '../api/shapes.gen'
import { expireAll } from './asks'
import { hush, interrupt } from './output'
import type { LogRecord } from './records'
import { END, living, noUsage, owns, touch, type Outcome, type Session, type Steer, type Turn } from './state'
import { add, inDoubt, newTurn, nextK } from './turns'

export const LOST = "The agent's process ended."
export const IN_DOUBT = 'A step that had begun may or may not have run: look before you repeat it.'

export function submit(state: Session, record: LogRecord, event: wire.TurnSubmitted): void {
  if (state.turns.has(event.turn) || keeps(state, event.replaces)) return
  const { text, attachments, client, ephemeral, continues, replaces } = event
  const message = words(event.turn, record.time, { text, attachments, client, ephemeral, continues, replaces })
  enqueue(state, newTurn(event.turn, record.seq, message), event.ahead)
  touch(state, record)
}

/** Whether the truncation of the turn, which is the record before, could not count. */
function keeps(state: Session, id: string | null): boolean {
  return id !== null && (state.running !== null || state.queue.includes(id))
}

type Said = Pick<wire.UserMessage, 'text' | 'client'> & Partial<wire.UserMessage>

function words(turn: string, time: number, said: Said): wire.UserMessage {
  const plain = { attachments: [], ephemeral: false, continues: null, replaces: null, parent: null, recovered: false }
  return { type: 'user', turn, k: 0, time, ...plain, ...said }
}

function enqueue(state: Session, turn: Turn, ahead: boolean): void {
  state.turns.set(turn.id, turn)
  if (ahead) state.queue.unshift(turn.id)
  else state.queue.push(turn.id)
}

export function withdraw(state: Session, id: string): void {
  const place = state.queue.indexOf(id)
  if (place < 0) return
  state.queue.splice(place, 1)
  state.turns.delete(id)
}

/** Only what waits can be moved, and only where it was asked to be: what came or went meanwhile keeps its place. */
export function reorder(state: Session, turns: readonly string[]): void {
  const named = [...new Set(turns)].filter((turn) => state.queue.includes(turn))
  const places = named.map((turn) => state.queue.indexOf(turn)).sort((a, b) => a - b)
  named.forEach((turn, i) => (state.queue[places[i] as number] = turn)) // as many places as names
}

export function release(state: Session, id: string | null): void {
  for (const queued of state.queue) {
    const turn = state.turns.get(queued)
    if (turn !== undefined && (id === null || queued === id)) turn.held = false
  }
}

/** A queued turn ends here and now; a running one ends when its runner says so. */
export function cancel(state: Session, record: LogRecord, id: string): void {
  const turn = state.turns.get(id)
  if (turn === undefined || turn.outcome !== null) return
  if (turn.state === 'queued') end(state, record, turn, 'cancelled')
  else turn.cancel_requested = true
}

export function steer(state: Session, record: LogRecord, event: wire.TurnSteered): void {
  const said: Steer = {
    type: 'steer',
    turn: event.turn,
    k: 0,
    time: record.time,
    parent: null,
    recovered: false,
    steer: event.steer,
    text: event.text,
    client: event.client,
  }
  const turn = state.turns.get(event.turn)
  if (turn?.state === 'running') {
    if (!turn.steers.has(event.steer)) turn.steers.set(event.steer, said)
  } else {
    requeue(state, said, record.seq, false)
    touch(state, record)
  }
}

/** The words take their place in the transcript where the agent heard them. */
export function deliverSteer(state: Session, turn: Turn, id: string, time: number): void {
  const item = turn.steers.get(id)
  if (item === undefined) return
  turn.steers.delete(id)
  hush(state, turn, null, time)
  item.k = nextK(turn)
  add(state, turn, item)
}

/** Words that came too late for their run become the next turn, as sent when they were. */
function requeue(state: Session, said: Steer, seq: number, held: boolean): void {
  if (state.turns.has(said.steer)) return
  const message = words(said.steer, said.time, { text: said.text, client: said.client })
  enqueue(state, newTurn(said.steer, seq, message, held), true)
}

export function start(state: Session, record: LogRecord, id: string): void {
  const turn = state.turns.get(id)
  if (turn?.state !== 'queued' || turn.held || state.running !== null) return
  enter(state, turn)
  turn.state = 'running'
  turn.epoch = record.epoch
  turn.started = record.time
  state.running = state.latest = turn.id
  state.failed_starts = 0
  state.failure = ''
  state.notice = null
}

/** Move a turn from the queue into the transcript. */
function enter(state: Session, turn: Turn): void {
  state.queue.splice(state.queue.indexOf(turn.id), 1)
  state.numbered += 1
  turn.number = state.numbered
  turn.items.set(0, turn.message)
  state.touched.add(turn.message)
}

/** End a turn that has no outcome yet. A cancel that lies before its end wins, unless its process died. */
function end(state: Session, record: LogRecord, turn: Turn, outcome: Outcome, error = '', stderr = ''): void {
  if (turn.state === 'queued') enter(state, turn)
  if (turn.cancel_requested && (outcome === 'completed' || outcome === 'failed')) {
    outcome = 'cancelled'
    error = stderr = ''
  }
  const unwell = outcome === 'failed' || outcome === 'interrupted'
  if (unwell && inDoubt(turn)) error = `${error} ${IN_DOUBT}`.trimStart()
  expireAll(state, turn.id, 'the run ended first')
  turn.permitted = new Map()
  closeItems(state, turn, record.time)
  turn.state = 'ended'
  turn.outcome = outcome
  mark(state, record, turn, outcome, error, stderr)
  if (state.running === turn.id) state.running = null
  state.last_outcome = outcome
  for (const said of [...turn.steers.values()].reverse()) requeue(state, said, turn.seq, outcome !== 'completed')
  turn.steers = new Map()
  if (unwell) for (const queued of state.queue) hold(state.turns.get(queued))
  touch(state, record)
}

function hold(turn: Turn | undefined): void {
  if (turn !== undefined) turn.held = true
}

function mark(
  state: Session,
  record: LogRecord,
  turn: Turn,
  outcome: Outcome,
  error: string,
  stderr: string,
): void {
  const item: wire.End = {
    type: 'end',
    turn: turn.id,
    k: END,
    time: record.time,
    parent: null,
    recovered: false,
    outcome,
    error,
    stderr,
    started: turn.started,
    epoch: turn.epoch,
    usage: { ...turn.usage },
    recovery: '',
    attempts: 0,
    pending_since: 0,
  }
  turn.items.set(END, item)
  state.touched.add(item)
}

function closeItems(state: Session, turn: Turn, time: number): void {
  for (const item of turn.items.values()) {
    if (item.type !== 'tool') continue
    interrupt(item, time)
    state.touched.add(item)
  }
  for (const k of turn.tails.values()) {
    const item = turn.items.get(k)
    if (item !== undefined) hush(state, turn, item.parent, time)
  }
}

export function endByFact(state: Session, record: LogRecord, event: wire.TurnEnded): void {
  const turn = state.turns.get(event.turn)
  if (turn === undefined || turn.outcome !== null || !owns(state, record)) return
  end(state, record, turn, event.outcome, event.error, event.stderr)
}

/** The runner is gone, well or not: nothing runs, nothing waits for an answer. */
export function lose(state: Session, record: LogRecord, reason = ''): void {
  const turn = state.running === null ? undefined : state.turns.get(state.running)
  if (turn !== undefined) end(state, record, turn, 'interrupted', reason || LOST)
  state.alive = false
  state.opening = null
  state.process = null
  state.latest = null
}

/** A runner has claimed the session. Whoever had it before is lost. */
export function beginEpoch(state: Session, record: LogRecord): void {
  if (!owns(state, record) || living(state, record)) return
  lose(state, record)
  state.alive = true
  state.epoch = record.epoch
}

/** The transcript ends with the turn. What ran, waited, was allowed or spent is the other session's. */
export function fork(state: Session, record: LogRecord, id: string): void {
  const turn = state.turns.get(id)
  const running = state.running === null ? undefined : state.turns.get(state.running)
  if (turn === undefined || turn.outcome === null || !turn.number) return
  const last = turn.number
  if (running !== undefined && running.number <= last) return
  for (const other of [...state.turns.values()]) if (!other.number || other.number > last) state.turns.delete(other.id)
  for (const [other, found] of [...state.recovering]) if (found.number > last) state.recovering.delete(other)
  Object.assign(state, {
    numbered: last,
    queue: [],
    asks: new Map(),
    alive: false,
    running: null,
    latest: null,
    opening: null,
    process: null,
    conversation: null,
    last_outcome: turn.outcome,
    failure: '',
    failed_starts: 0,
    notice: null,
    usage: noUsage(),
    context_used: 0,
    created: record.time,
    predecessor: null,
    deleted: 0,
    pinned: false,
    archived: false,
  } satisfies Partial<Session>)
  touch(state, record)
}

export function truncate(state: Session, record: LogRecord, id: string | null): void {
  const number = id === null ? 1 : state.turns.get(id)?.number
  if (state.running !== null || !number) return
  for (const turn of [...state.turns.values()]) if (turn.number >= number) state.turns.delete(turn.id)
  for (const [turn, found] of [...state.recovering]) if (found.number >= number) state.recovering.delete(turn)
  state.last_outcome = null
  state.conversation = null
  touch(state, record)
}
