// Turns and answers: what a person says to a session. Each may be sent again under its id; it is recorded once.

import { request } from './client'
import type { Answered, AskAnswer, Asks, Done, NewTurn, Offers, Submitted } from './shapes.gen'

function turns(session: string): string {
  return `/api/sessions/${encodeURIComponent(session)}/turns`
}

export function submitTurn(session: string, body: NewTurn, signal?: AbortSignal): Promise<Submitted> {
  return request('Submitted', turns(session), { method: 'POST', body, ...(signal && { signal }) })
}

export function cancelTurn(session: string, turn: string, signal?: AbortSignal): Promise<Done> {
  return request('Done', `${turns(session)}/${turn}/cancel`, { method: 'POST', ...(signal && { signal }) })
}

export function withdrawTurn(session: string, turn: string, signal?: AbortSignal): Promise<Done> {
  return request('Done', `${turns(session)}/${turn}/withdraw`, { method: 'POST', ...(signal && { signal }) })
}

/** Put these turns, which wait, into this order. */
export function reorderQueue(session: string, order: readonly string[]): Promise<Done> {
  const path = `/api/sessions/${encodeURIComponent(session)}/queue`
  return request('Done', path, { method: 'POST', body: { turns: order } })
}

export function releaseTurn(session: string, turn: string): Promise<Done> {
  return request('Done', `${turns(session)}/${turn}/release`, { method: 'POST' })
}

export function continueTurn(session: string, turn: string, id: string): Promise<Submitted> {
  return request('Submitted', `${turns(session)}/${turn}/continue`, { method: 'POST', body: { id } })
}

/** What waits for an answer, oldest first. */
export function listAsks(session: string): Promise<Asks> {
  return request('Asks', `/api/sessions/${encodeURIComponent(session)}/asks`)
}

/** What could be allowed beyond this once, each in words. */
export function askOffers(session: string, ask: string): Promise<Offers> {
  return request('Offers', `/api/sessions/${encodeURIComponent(session)}/asks/${encodeURIComponent(ask)}/offers`)
}

export function answerAsk(session: string, ask: string, body: AskAnswer, signal?: AbortSignal): Promise<Answered> {
  const path = `/api/sessions/${encodeURIComponent(session)}/asks/${encodeURIComponent(ask)}`
  return request('Answered', path, { method: 'POST', body, ...(signal && { signal }) })
}
