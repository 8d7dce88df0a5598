// Where something was said in one session.

import { parsed, send } from './client'
import { Reader } from './read'
import type { FoundInSession } from './shapes.gen'
import { LATER_SHAPES } from './shapes.later.gen'

const reader = new Reader<{ FoundInSession: FoundInSession }>(LATER_SHAPES)

/** One stretch of it, newest first; without a cursor the newest. */
export async function findIn(
  session: string,
  q: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<FoundInSession> {
  const query = new URLSearchParams(cursor === null ? { q } : { q, cursor })
  const response = await send(`/api/sessions/${encodeURIComponent(session)}/find?${query}`, { signal })
  return reader.read('FoundInSession', await parsed(response))
}
