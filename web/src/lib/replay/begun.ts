// Where a replay begins, and what its outline alone tells: the asks of the turn and what became of them.

import type { Outline } from '../api/replay'
import { apply, newSession } from '../session/reduce'
import type { Approval, Question, Session } from '../session/state'

/** A session in which nothing is known but who runs it and what was said: the twin of `began` in core/outline.py. */
export function begun({ said, epoch }: Pick<Outline, 'said' | 'epoch'>): Session {
  const session = newSession()
  session.alive = epoch > 0
  session.epoch = epoch
  apply(session, said)
  return session
}

export interface Asked {
  /** Which of the turn's records asked; they count from 1. */
  at: number
  ask: Approval | Question
}

/** Every ask of the turn, in order, as it was in the end. */
export function asksOf(outline: Outline, turn: string): Asked[] {
  const session = begun(outline)
  const places = new Map<string, number>()
  for (const record of outline.decisive) {
    apply(session, record)
    const { event } = record
    if (event.kind !== 'approval.requested' && event.kind !== 'question.asked') continue
    if (!places.has(event.ask)) places.set(event.ask, record.seq - outline.first + 1)
  }
  const items = [...(session.turns.get(turn)?.items.values() ?? [])]
  return items
    .filter((item) => item.type === 'approval' || item.type === 'question')
    .map((ask) => ({ at: places.get(ask.ask) ?? 1, ask }))
}
