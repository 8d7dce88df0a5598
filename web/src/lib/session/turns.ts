// A turn as the reducer sees it: one user message and what followed.

import { END, noUsage, type End, type Item, type Session, type ToolCall, type Turn, type UserMessage } from './state'

export function newTurn(id: string, seq: number, message: UserMessage, held = false): Turn {
  return {
    id,
    seq,
    message,
    held,
    number: 0,
    state: 'queued',
    cancel_requested: false,
    outcome: null,
    epoch: 0,
    started: 0,
    count: 0,
    items: new Map(),
    tails: new Map(),
    calls: new Map(),
    plan: null,
    steers: new Map(),
    doing: '',
    permitted: new Map(),
    usage: noUsage(),
  }
}

/** Put a new item at the end of what its parent shows. */
export function add(state: Session, turn: Turn, item: Item): void {
  turn.items.set(item.k, item)
  turn.tails.set(item.parent ?? '', item.k)
  if (item.type === 'tool') turn.calls.set(item.call, item.k)
  state.touched.add(item)
}

export function nextK(turn: Turn): number {
  turn.count += 1
  return turn.count
}

export function tail(turn: Turn, parent: string | null): Item | undefined {
  const k = turn.tails.get(parent ?? '')
  return k === undefined ? undefined : turn.items.get(k)
}

export function callOf(turn: Turn, call: string): ToolCall | undefined {
  const k = turn.calls.get(call)
  const item = k === undefined ? undefined : turn.items.get(k)
  return item?.type === 'tool' ? item : undefined
}

export function finished(item: ToolCall): boolean {
  return item.status !== 'pending' && item.status !== 'running'
}

/** Steps in doubt that a turn remembers: that there is one is all that anybody is told. */
const PERMITTED = 50

/** The run was allowed a step. */
export function permit(turn: Turn, ask: string, call: string | null): void {
  turn.permitted.set(ask, call)
  const [oldest] = turn.permitted.keys()
  if (turn.permitted.size > PERMITTED && oldest !== undefined) turn.permitted.delete(oldest)
}

/** The run did something else: whatever it was allowed and reports no call of is behind it. */
export function wentOn(turn: Turn): void {
  for (const [ask, call] of turn.permitted) if (!isUnfinished(turn, call)) turn.permitted.delete(ask)
}

function isUnfinished(turn: Turn, call: string | null): boolean {
  const item = call === null ? undefined : callOf(turn, call)
  return item !== undefined && !finished(item)
}

/** The run reports the end of a call, and so of the step that it was allowed for it. */
export function callFinished(turn: Turn, call: string): void {
  for (const [ask, allowed] of turn.permitted) if (allowed === call) turn.permitted.delete(ask)
}

/** Whether a step may or may not have run, as far as anybody can know who sees the run no more. */
export function inDoubt(turn: Turn): boolean {
  return turn.permitted.size > 0 || [...turn.items.values()].some((item) => item.type === 'tool' && !finished(item))
}

export function endOf(turn: Turn): End | undefined {
  const item = turn.items.get(END)
  return item?.type === 'end' ? item : undefined
}
