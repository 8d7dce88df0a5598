// What a run shows: text, thoughts, tool calls, its plan, notices, usage.
//
// Each function changes one turn, which the caller has found to be allowed to grow. An adopted fact (`late`) marks what
// it touches as recovered. Text grows by concatenation, which costs a browser the same after a page as after a line.

import type * as wire from '../api/shapes.gen'
import type { LogRecord } from './records'
import type { Item, Session, Text, Thought, ToolCall, Turn, Usage } from './state'
import { add, callFinished, callOf, finished, nextK, tail, wentOn } from './turns'

export function speak(state: Session, turn: Turn, record: LogRecord, event: wire.TextAppended): void {
  const item = tail(turn, event.parent)
  if (item?.type === 'text' && item.message === event.message) utter(state, turn, record, item, event.text)
  else if (event.text !== '') utter(state, turn, record, begin(state, turn, record, 'text', event), event.text)
}

export function think(state: Session, turn: Turn, record: LogRecord, event: wire.ThoughtAppended): void {
  const item = tail(turn, event.parent)
  if (item?.type === 'thought' && item.message === event.message) utter(state, turn, record, item, event.text)
  else if (event.text !== '') utter(state, turn, record, begin(state, turn, record, 'thought', event), event.text)
}

function begin(
  state: Session,
  turn: Turn,
  record: LogRecord,
  type: 'text' | 'thought',
  event: wire.TextAppended | wire.ThoughtAppended,
): Text | Thought {
  hush(state, turn, event.parent, record.time)
  const prose = {
    ...common(turn, record, event.parent),
    recovered: false,
    text: '',
    part: 0,
    message: event.message,
    pieces: [],
  }
  const item: Text | Thought = type === 'text' ? { type, ...prose } : { type, ...prose, ended: 0 }
  add(state, turn, item)
  turn.doing = type === 'text' ? 'writing' : 'thinking'
  return item
}

function utter(state: Session, turn: Turn, record: LogRecord, item: Text | Thought, text: string): void {
  wentOn(turn)
  item.text += text
  mark(state, record, item)
}

/** End the thought of this speaker, who does something else now. */
export function hush(state: Session, turn: Turn, parent: string | null, time: number): void {
  const item = tail(turn, parent)
  if (item?.type !== 'thought' || item.ended !== 0) return
  item.ended = time
  state.touched.add(item)
}

export function useTool(state: Session, turn: Turn, record: LogRecord, event: wire.ToolChanged): void {
  const item = callOf(turn, event.call)
  if (item !== undefined) {
    changeTool(state, turn, item, record, event)
  } else if (event.first || record.late !== null) {
    hush(state, turn, event.parent, record.time)
    const begun = newCall(turn, record, event)
    add(state, turn, begun)
    changeTool(state, turn, begun, record, event)
  }
}

function newCall(turn: Turn, record: LogRecord, event: wire.ToolChanged): ToolCall {
  return {
    type: 'tool',
    ...common(turn, record, event.parent),
    recovered: false,
    call: event.call,
    name: '',
    title: '',
    action: '',
    arguments: '',
    status: 'pending',
    output: '',
    pieces: [],
    diffs: [],
    error: '',
    ended: 0,
  }
}

/** Take over what the event sets. `item` may come from the turn or from among its settled items. */
export function changeTool(
  state: Session,
  turn: Turn,
  item: ToolCall,
  record: LogRecord,
  event: wire.ToolChanged,
): void {
  merge(item, event, record.time)
  mark(state, record, item)
  if (turn.outcome !== null) interrupt(item, record.time)
  else if (finished(item)) callFinished(turn, item.call)
  else turn.doing = item.title || item.name
}

function merge(item: ToolCall, event: wire.ToolChanged, time: number): void {
  item.name = event.name ?? item.name
  item.title = event.title ?? item.title
  item.action = event.action ?? item.action
  item.arguments = event.arguments ?? item.arguments
  item.output = (event.output ?? item.output) + event.appended
  item.diffs = event.diffs ?? item.diffs
  item.error = event.error ?? item.error
  const backwards = finished(item) && (event.status === 'pending' || event.status === 'running')
  if (event.status === undefined || backwards) return
  item.status = event.status
  item.ended = finished(item) ? time : 0
}

/** The run is over: what it had not finished it never will. */
export function interrupt(item: ToolCall, time: number): void {
  if (finished(item)) return
  item.status = 'interrupted'
  item.ended = time
}

export function replacePlan(state: Session, turn: Turn, record: LogRecord, event: wire.PlanReplaced): void {
  if (turn.plan === null) {
    const plan = common(turn, record, null)
    turn.plan = plan.k
    turn.items.set(plan.k, { type: 'plan', ...plan, recovered: false, entries: [] })
  }
  const item = turn.items.get(turn.plan)
  if (item?.type !== 'plan') return
  item.entries = event.entries
  mark(state, record, item)
}

export function notify(state: Session, turn: Turn, record: LogRecord, event: wire.NoticeRaised): void {
  hush(state, turn, null, record.time)
  add(state, turn, {
    type: 'notice',
    ...common(turn, record, null),
    recovered: record.late !== null,
    text: event.text,
    level: event.level,
    code: event.code,
  })
}

export function spend(usage: Usage, event: wire.UsageReported): void {
  usage.input += event.input
  usage.output += event.output
  usage.cached += event.cached
  usage.reasoning += event.reasoning
  usage.cost += event.cost
}

export function common(turn: Turn, record: LogRecord, parent: string | null) {
  return { turn: turn.id, k: nextK(turn), time: record.time, parent }
}

function mark(state: Session, record: LogRecord, item: Item): void {
  if (record.late !== null) item.recovered = true
  state.touched.add(item)
}
