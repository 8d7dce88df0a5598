// A turn for its replay: its outline in one answer, and its records in pieces.

import { readRecord, type LogRecord } from '../session/records'
import { parsed, send } from './client'
import { isObject, Reader, Unreadable } from './read'
import type { TurnOutline } from './shapes.gen'
import { LATER_SHAPES } from './shapes.later.gen'

export type Outline = Omit<TurnOutline, 'said' | 'decisive'> & { said: LogRecord; decisive: LogRecord[] }

/** Records that come with one answer. */
const MOST = 5_000
// A record may be of a kind that a newer program wrote, so records are read as such.
const reader = new Reader<{ TurnOutline: Omit<TurnOutline, 'said' | 'decisive'> & { said: unknown; decisive: unknown[] } }>({
  TurnOutline: { ...LATER_SHAPES.TurnOutline, said: '*', decisive: { a: '*' } },
})

export async function readOutline(session: string, turn: string): Promise<Outline> {
  const path = `/api/sessions/${encodeURIComponent(session)}/turns/${encodeURIComponent(turn)}/outline`
  const outline = reader.read('TurnOutline', await parsed(await send(path, {})))
  return { ...outline, said: readRecord(outline.said), decisive: outline.decisive.map(readRecord) }
}

/** Records after a place in the log, at most so many, or as many as come with one answer. */
export async function readRecords(session: string, after: number, wanted: number): Promise<LogRecord[]> {
  const query = new URLSearchParams({ after: String(after), limit: String(Math.min(wanted, MOST)) })
  const found = await parsed(await send(`/api/sessions/${encodeURIComponent(session)}/records?${query}`, {}))
  if (!isObject(found) || !Array.isArray(found.records)) throw new Unreadable('These are no records.')
  return found.records.map(readRecord)
}
