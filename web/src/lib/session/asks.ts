// Approvals and questions: requested, answered, delivered, expired.
//
//     open -> answered -> delivered          the agent was told
//     open -> expired                        the run ended first; nothing happened
//     answered -> undelivered                the run ended before it could be told
//
// No arrow leads back, so the first answer wins and a late one changes nothing.

import type * as wire from '../api/shapes.gen'
import { common, hush } from './output'
import type { LogRecord } from './records'
import { askOf, touch, type Approval, type Question, type Session, type Turn } from './state'
import { add, permit } from './turns'

const UNANSWERED = {
  recovered: false,
  state: 'open',
  answer_seq: 0,
  answered_at: 0,
  answered_from: '',
  notified_at: 0,
  expired_because: '',
} as const

export function request(state: Session, turn: Turn, record: LogRecord, event: wire.ApprovalRequested): void {
  open(state, turn, record, {
    type: 'approval',
    ...common(turn, record, event.parent),
    ...UNANSWERED,
    ask: event.ask,
    command: event.command,
    call: event.call,
    title: event.title,
    tool: event.tool,
    action: event.action,
    arguments: event.arguments,
    directory: event.directory,
    description: event.description,
    pattern_keys: event.pattern_keys,
    choices: event.choices,
    diffs: event.diffs,
    digest: event.digest,
    agent: event.agent,
    workspace: event.workspace,
    choice: null,
    by: null,
    rule: '',
    reason: '',
    everywhere: false,
  })
}

export function question(state: Session, turn: Turn, record: LogRecord, event: wire.QuestionAsked): void {
  open(state, turn, record, {
    type: 'question',
    ...common(turn, record, event.parent),
    ...UNANSWERED,
    ask: event.ask,
    text: event.text,
    choices: event.choices,
    free_text: event.free_text,
    secret: event.secret,
    timeout_seconds: event.timeout_seconds,
    expires_at: event.expires_at,
    answer: '',
    token: '',
  })
}

function open(state: Session, turn: Turn, record: LogRecord, item: Approval | Question): void {
  hush(state, turn, item.parent, record.time)
  add(state, turn, item)
  state.asks.set(item.ask, { turn: turn.id, k: item.k })
  touch(state, record)
}

export function answer(
  state: Session,
  record: LogRecord,
  event: wire.ApprovalAnswered | wire.QuestionAnswered,
): void {
  const item = askOf(state, event.ask)
  // Whoever was asked to stop is told nothing more.
  if (item?.state !== 'open' || state.turns.get(item.turn)?.cancel_requested !== false) return
  if (item.type === 'approval' && event.kind === 'approval.answered') {
    item.choice = event.choice
    item.by = event.by
    item.rule = event.rule
    item.reason = event.reason
    item.everywhere = event.everywhere
  } else if (item.type === 'question' && event.kind === 'question.answered') {
    item.answer = event.text
    item.token = event.token
  } else {
    return
  }
  item.state = 'answered'
  item.answer_seq = record.seq
  item.answered_at = record.time
  item.answered_from = event.client
  state.touched.add(item)
}

export function deliver(state: Session, id: string): void {
  const item = askOf(state, id)
  if (item?.state !== 'answered') return
  item.state = 'delivered'
  state.touched.add(item)
  state.asks.delete(id)
  const turn = state.turns.get(item.turn)
  if (turn !== undefined && item.type === 'approval' && item.choice !== 'deny') permit(turn, id, item.call)
}

export function expire(state: Session, id: string, reason: string): void {
  const item = askOf(state, id)
  if (item === undefined) return
  item.state = item.state === 'open' ? 'expired' : 'undelivered'
  item.expired_because = reason
  state.touched.add(item)
  state.asks.delete(id)
}

/** Nobody waits any more: the run is over. */
export function expireAll(state: Session, turn: string, reason: string): void {
  for (const [id, place] of [...state.asks]) if (place.turn === turn) expire(state, id, reason)
}
