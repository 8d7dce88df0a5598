// The fields of a session, and who may change them: `living` (is this the present runner?), `owns` (is it that one, or a
// later owner writing about it?) and `grows` (may the runner still add to this turn?).
//
// The values are those of the server's `core`, with one thing of the page's own: `touched` collects the items that were
// changed since somebody looked, so that only those are drawn again.

import type * as wire from '../api/shapes.gen'
import type { LogRecord } from './records'

/** The `k` of a turn's end: greater than that of anything that the turn can show. */
export const END = 1_000_000_000

export type UserMessage = wire.UserMessage
export type Text = wire.Text
export type Thought = wire.Thought
export type ToolCall = wire.ToolCall
export type Plan = wire.Plan
export type Notice = wire.Notice
export type Steer = wire.Steer
export type Approval = wire.Approval
export type Question = wire.Question
export type End = wire.End
export type Usage = wire.Usage
export type Item = wire.PageItem['item']
export type Outcome = End['outcome']

export type Turn = Omit<wire.Turn, 'items'> & { items: Map<number, Item> }
/** What only runs and the server act on: rules, memory, who was notified. Nothing that is shown depends on it. */
type Unshown = 'rules' | 'ledger' | 'last_run' | 'notified'
export type Session = Omit<wire.Session, 'turns' | Unshown> & { turns: Map<string, Turn>; touched: Set<Item> }

/** A session as the server sent it. */
export function load(sent: wire.Session): Session {
  const { rules: _rules, ledger: _ledger, last_run: _run, notified: _notified, ...shown } = sent
  const turns = [...sent.turns].map(([id, turn]) => [id, loadTurn(turn)] as const)
  return { ...shown, turns: new Map(turns), touched: new Set() }
}

function loadTurn(sent: wire.Turn): Turn {
  const items = [...sent.items].map(([k, item]) => [Number(k), item] as const)
  return { ...sent, items: new Map(items.sort(([a], [b]) => a - b)) }
}

export function noUsage(): Usage {
  return { input: 0, output: 0, cached: 0, reasoning: 0, cost: 0 }
}

/** Whether the present runner wrote it. */
export function living(state: Session, record: LogRecord): boolean {
  return state.alive && record.epoch === state.epoch
}

/** Whether the present owner wrote it, or one that has claimed the session after it. */
export function owns(state: Session, record: LogRecord): boolean {
  return record.epoch > 0 && record.epoch >= state.epoch
}

/** The turn, if the living runner may still add to it: the running one, or the last, if it ended by itself. */
export function grows(state: Session, record: LogRecord, id: string): Turn | undefined {
  const turn = state.turns.get(id)
  if (turn === undefined || id !== state.latest || !living(state, record)) return undefined
  const open = turn.outcome === null || turn.outcome === 'completed' || turn.outcome === 'failed'
  return turn.epoch === state.epoch && open ? turn : undefined
}

/** The turn, if it is the one that runs and its own runner speaks. */
export function runs(state: Session, record: LogRecord, id: string): Turn | undefined {
  return id === state.running && living(state, record) ? state.turns.get(id) : undefined
}

/** The ask, while it waits for an answer or its delivery. */
export function askOf(state: Session, id: string): Approval | Question | undefined {
  const place = state.asks.get(id)
  const item = place && state.turns.get(place.turn)?.items.get(place.k)
  return item?.type === 'approval' || item?.type === 'question' ? item : undefined
}

/** What waits for a person, oldest first. */
export function openAsks(state: Session): (Approval | Question)[] {
  return [...state.asks.keys()]
    .map((id) => askOf(state, id))
    .filter((ask) => ask !== undefined)
    .filter((ask) => ask.state === 'open')
    .sort((a, b) => a.k - b.k)
}

/** Something happened that a person may want to see. */
export function touch(state: Session, record: LogRecord): void {
  state.activity = record.seq
  state.active_at = record.time
}
