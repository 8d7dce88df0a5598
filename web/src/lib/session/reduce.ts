// What is true after some records: the twin of the server's reducer (`core/session.py`), held to it by the histories in
// tests/histories. No clock, no I/O, never throws: what does not fit has no effect. It changes the session in place.

import type * as wire from '../api/shapes.gen'
import { answer, deliver, expire, question, request } from './asks'
import * as course from './course'
import { notify, replacePlan, speak, spend, think, useTool } from './output'
import type { LogRecord } from './records'
import { askOf, grows, living, noUsage, owns, runs, touch, type Session, type Turn } from './state'
import { callOf, endOf } from './turns'

type Output = wire.TextAppended | wire.ThoughtAppended | wire.ToolChanged | wire.PlanReplaced

export function newSession(): Session {
  return {
    seq: 0,
    created: 0,
    title: '',
    titled_by: '',
    agent: '',
    model: '',
    mode: '',
    workspace: '',
    project: '',
    tags: [],
    pinned: false,
    archived: false,
    deleted: 0,
    predecessor: null,
    seen: 0,
    activity: 0,
    active_at: 0,
    epoch: 0,
    alive: false,
    opening: null,
    process: null,
    described: null,
    conversation: null,
    failure: '',
    failed_starts: 0,
    turns: new Map(),
    queue: [],
    running: null,
    latest: null,
    last_outcome: null,
    numbered: 0,
    asks: new Map(),
    recovering: new Map(),
    usage: noUsage(),
    context_used: 0,
    context_window: 0,
    notice: null,
    touched: new Set(),
  }
}

/** Fold one record. Records come in the order of the log. */
export function apply(state: Session, record: LogRecord): void {
  state.seq = record.seq
  if (record.late !== null) {
    adopt(state, record)
    return
  }
  const event = record.event
  switch (event.kind) {
    case 'text.appended':
    case 'thought.appended':
    case 'tool.changed':
    case 'plan.replaced':
      show(state, grows(state, record, event.turn), record, event)
      return
    case 'usage.reported':
      use(state, record, event)
      return
    case 'notice.raised':
      raise(state, record, event)
      return
    case 'turn.submitted':
      course.submit(state, record, event)
      return
    case 'turn.withdrawn':
      course.withdraw(state, event.turn)
      return
    case 'queue.reordered':
      course.reorder(state, event.turns)
      return
    case 'turn.released':
      course.release(state, event.turn)
      return
    case 'turn.cancel_requested':
      course.cancel(state, record, event.turn)
      return
    case 'turn.steered':
      course.steer(state, record, event)
      return
    case 'steer.delivered': {
      const turn = runs(state, record, event.turn)
      if (turn !== undefined) course.deliverSteer(state, turn, event.steer, record.time)
      return
    }
    case 'turn.started':
      if (living(state, record)) course.start(state, record, event.turn)
      return
    case 'turn.ended':
      course.endByFact(state, record, event)
      return
    case 'approval.requested':
    case 'question.asked':
      ask(state, record, event)
      return
    case 'approval.answered':
    case 'question.answered':
      answer(state, record, event)
      return
    case 'approval.delivered':
    case 'question.delivered':
      if (living(state, record)) deliver(state, event.ask)
      return
    case 'approval.expired':
    case 'question.expired':
      if (owns(state, record)) expire(state, event.ask, event.reason)
      return
    case 'runner.started':
      course.beginEpoch(state, record)
      return
    case 'runner.stopped':
      if (living(state, record)) course.lose(state, record)
      return
    case 'runner.lost':
      if (!owns(state, record)) return
      course.lose(state, record, event.reason)
      state.epoch = record.epoch
      return
    case 'agent.opening':
      if (!living(state, record)) return
      state.opening = { agent: event.agent, since: record.time }
      state.process = null
      return
    case 'agent.described': {
      const { agent, model, mode, models, modes, commands } = event
      if (living(state, record)) state.described = { agent, model, mode, models, modes, commands }
      return
    }
    case 'agent.opened':
      openAgent(state, record, event)
      return
    case 'agent.failed':
      if (!owns(state, record)) return
      state.failure = event.error
      state.process = null
      state.opening = null
      state.failed_starts += 1
      return
    case 'recovery.pending':
    case 'recovery.finished':
      recover(state, record, event)
      return
    case 'history.truncated':
      course.truncate(state, record, event.turn)
      return
    case 'session.forked':
      course.fork(state, record, event.turn)
      return
    case 'session.created':
      create(state, record, event)
      return
    case 'session.renamed':
      state.title = event.title
      state.titled_by = 'person'
      return
    case 'title.suggested':
      if (!living(state, record) || state.titled_by === 'person') return
      state.title = event.title
      state.titled_by = 'agent'
      return
    case 'session.changed':
      change(state, event)
      return
    case 'session.deleted':
      state.deleted = state.deleted || record.time
      return
    case 'session.restored':
      state.deleted = 0
      return
    case 'agent.ended':
      if (living(state, record) && state.process?.instance === event.instance) state.process = null
      return
    case 'person.notified': {
      const ask = event.ask === null ? undefined : askOf(state, event.ask)
      if (ask !== undefined) ask.notified_at ||= record.time
      return
    }
    case 'memory.requested':
    case 'memory.started':
    case 'memory.committed':
    case 'memory.failed':
    case 'rule.remembered':
    case 'rule.revoked':
    case 'rule.used':
    case 'defaults.chosen':
    case 'session.imported':
    case 'unknown':
      return
    default:
      event satisfies never
  }
}

/** Whether the record changes a tool call that has been settled away: the settled item must take it instead. */
export function misses(state: Session, record: LogRecord): Turn | undefined {
  const event = record.event
  if (event.kind !== 'tool.changed' || event.first || record.late !== null) return undefined
  const turn = grows(state, record, event.turn)
  return turn !== undefined && callOf(turn, event.call) === undefined ? turn : undefined
}

/** Whether the record speaks of an ended turn that has been settled away: only a new snapshot can show what it does. */
export function needsMore(state: Session, record: LogRecord): boolean {
  const event = record.event
  const reaches = ['recovery.pending', 'recovery.finished', 'history.truncated', 'session.forked'].includes(event.kind)
  const id = record.late?.turn ?? (reaches && 'turn' in event ? event.turn : null)
  if (id === null) return false
  const turn = state.turns.get(id)
  return turn === undefined || (turn.outcome !== null && !turn.items.has(0))
}

function show(state: Session, turn: Turn | undefined, record: LogRecord, event: Output): void {
  if (turn === undefined) return
  switch (event.kind) {
    case 'text.appended':
      speak(state, turn, record, event)
      return
    case 'thought.appended':
      think(state, turn, record, event)
      return
    case 'tool.changed':
      useTool(state, turn, record, event)
      return
    case 'plan.replaced':
      replacePlan(state, turn, record, event)
      return
    default:
      event satisfies never
  }
}

/** A fact from a dead owner's spool: it may add to the interrupted turn it names, and to nothing else. */
function adopt(state: Session, record: LogRecord): void {
  const turn = record.late === null ? undefined : state.turns.get(record.late.turn)
  if (turn?.outcome !== 'interrupted' || turn.epoch !== record.late?.epoch) return
  const event = record.event
  switch (event.kind) {
    case 'text.appended':
    case 'thought.appended':
    case 'tool.changed':
    case 'plan.replaced':
      if (event.turn === turn.id) show(state, turn, record, event)
      return
    case 'notice.raised':
      if (event.turn === turn.id) notify(state, turn, record, event)
  }
}

function ask(state: Session, record: LogRecord, event: wire.ApprovalRequested | wire.QuestionAsked): void {
  const turn = runs(state, record, event.turn)
  if (turn === undefined || state.asks.has(event.ask)) return
  if (event.kind === 'approval.requested') request(state, turn, record, event)
  else question(state, turn, record, event)
}

function use(state: Session, record: LogRecord, event: wire.UsageReported): void {
  const turn = grows(state, record, event.turn)
  if (turn === undefined) return
  const end = endOf(turn)
  spend(state.usage, event)
  spend(end?.usage ?? turn.usage, event)
  if (end !== undefined) state.touched.add(end)
  state.context_used = event.context_used || state.context_used
  state.context_window = event.context_window || state.context_window
}

function raise(state: Session, record: LogRecord, event: wire.NoticeRaised): void {
  if (event.turn === null) {
    if (owns(state, record)) state.notice = event
    return
  }
  const turn = grows(state, record, event.turn)
  if (turn !== undefined) notify(state, turn, record, event)
}

function openAgent(state: Session, record: LogRecord, event: wire.AgentOpened): void {
  if (!living(state, record) || event.aside) return
  const { agent, instance, pid, born, group, reference, steers, takes_reasons, remembers } = event
  state.process = { agent, instance, pid, born, group, reference, steers, takes_reasons, remembers }
  state.conversation = reference ? { agent, reference } : null
  state.failure = ''
  state.opening = null
}

function recover(state: Session, record: LogRecord, event: wire.RecoveryPending | wire.RecoveryFinished): void {
  const turn = state.turns.get(event.turn)
  const end = turn?.outcome === 'interrupted' ? endOf(turn) : undefined
  if (turn === undefined || end === undefined || !owns(state, record)) return
  if (end.recovery !== '' && end.recovery !== 'pending') return
  state.touched.add(end)
  if (event.kind === 'recovery.finished') {
    end.recovery = event.result
    end.attempts = end.pending_since = 0
    state.recovering.delete(event.turn)
    return
  }
  end.pending_since = end.pending_since || record.time
  end.recovery = 'pending'
  end.attempts = event.attempts
  const { number } = turn
  const { epoch, pending_since: since, attempts } = end
  state.recovering.set(event.turn, { number, epoch, since, attempts })
}

function create(state: Session, record: LogRecord, event: wire.SessionCreated): void {
  if (state.created) return
  state.created = record.time
  state.title = event.title
  state.titled_by = event.title ? 'person' : ''
  const { agent, model, mode, workspace, project, tags, predecessor } = event
  Object.assign(state, { agent, model, mode, workspace, project, tags, predecessor })
  state.conversation = event.reference ? { agent, reference: event.reference } : null
  touch(state, record)
}

function change(state: Session, event: wire.SessionChanged): void {
  state.agent = event.agent ?? state.agent
  state.model = event.model ?? state.model
  state.mode = event.mode ?? state.mode
  state.workspace = event.workspace ?? state.workspace
  state.project = event.project ?? state.project
  const { add_tags: added, remove_tags: removed } = event
  if (added.length > 0 || removed.length > 0) {
    state.tags = [...new Set([...state.tags.filter((tag) => !removed.includes(tag)), ...added])]
  } else {
    state.tags = event.tags ?? state.tags
  }
  state.pinned = event.pinned ?? state.pinned
  state.archived = event.archived ?? state.archived
  if (event.seen !== undefined) state.seen = Math.max(state.seen, Math.min(event.seen, state.seq))
}
