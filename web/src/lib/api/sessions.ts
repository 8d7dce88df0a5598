// Sessions, as the server has them now, and what can be done with one as a whole.

import { request } from './client'
import type { Done, Hits, SessionChange, SessionList, SettledPage, Snapshot, NewSession, Created } from './shapes.gen'

export interface Listed {
  q?: string
  archived?: boolean
  /** Empty for any. */
  project?: string
  /** All of them. */
  tags?: readonly string[]
  /** Only what stands before all others: what runs, what waits, what is pinned. */
  onTop?: boolean
  cursor?: string | null
  limit?: number
}

export function listSessions(listed: Listed = {}): Promise<SessionList> {
  const { q = '', archived = false, project = '', tags = [], onTop = false, cursor = null, limit = 50 } = listed
  const query = new URLSearchParams({ limit: String(limit) })
  if (q !== '') query.set('q', q)
  if (archived) query.set('archived', 'true')
  if (project !== '') query.set('project', project)
  for (const tag of tags) query.append('tag', tag)
  if (onTop) query.set('on_top', 'true')
  if (cursor !== null) query.set('cursor', cursor)
  return request('SessionList', `/api/sessions?${query}`)
}

export function openSession(id: string, signal?: AbortSignal): Promise<Snapshot> {
  return request('Snapshot', `/api/sessions/${encodeURIComponent(id)}`, { ...(signal && { signal }) })
}

export function readPage(id: string, number: number): Promise<SettledPage> {
  return request('SettledPage', `/api/sessions/${encodeURIComponent(id)}/pages/${number}`)
}

/** The page that holds this item. */
export function readPageWith(id: string, turn: string, k: number, signal?: AbortSignal): Promise<SettledPage> {
  const path = `/api/sessions/${encodeURIComponent(id)}/turns/${encodeURIComponent(turn)}/page?k=${k}`
  return request('SettledPage', path, { ...(signal && { signal }) })
}

export function createSession(body: NewSession, signal?: AbortSignal): Promise<Created> {
  return request('Created', '/api/sessions', { method: 'POST', body, ...(signal && { signal }) })
}

export function changeSession(id: string, body: SessionChange): Promise<Done> {
  return request('Done', `/api/sessions/${encodeURIComponent(id)}`, { method: 'PATCH', body })
}

export function deleteSession(id: string): Promise<Done> {
  return request('Done', `/api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

export function restoreSession(id: string): Promise<Done> {
  return request('Done', `/api/sessions/${encodeURIComponent(id)}/restore`, { method: 'POST' })
}

/** A new session, `id`, with everything up to and including this turn. */
export function forkSession(session: string, turn: string, id: string): Promise<Created> {
  return request('Created', `/api/sessions/${encodeURIComponent(session)}/fork`, { method: 'POST', body: { turn, id } })
}

export function search(q: string, signal: AbortSignal): Promise<Hits> {
  return request('Hits', `/api/search?${new URLSearchParams({ q, limit: '30' })}`, { signal })
}
