// Where a stream can't come through: ask, wait for an answer, ask again. Ends with its signal.

import type { Cursors } from './cursors'
import type { Audience, Wanted } from './connection'
import type { Heard } from './messages'

/** A browser opens six connections to a server; what people do must find one free. */
const SESSIONS = 3
const WAIT_SECONDS = 10
const PAUSE_MS = 1_000

interface Asked {
  records: unknown[]
  reset: boolean
}

export function poll(
  fetch_: typeof fetch,
  wanted: Wanted,
  cursors: Cursors,
  signal: AbortSignal,
  audience: Audience,
): void {
  let refused = false
  const over = () => signal.aborted || refused

  const ask = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${wanted.token}` }
    const response = await fetch_(path, { headers, cache: 'no-store', signal })
    if (response.status === 401 && !over()) {
      refused = true // whatever else is asked with this credential is refused as well
      audience.reach('refused')
    }
    if (response.status === 404) return null
    if (!response.ok) throw new Error(`The server answered ${response.status}.`)
    return response.json()
  }

  /** Do it again and again; without an answer, after a pause. */
  const repeat = async (act: () => Promise<number>) => {
    while (!over()) {
      let pause = PAUSE_MS
      try {
        pause = await act()
        if (!over()) audience.reach('polling')
      } catch {
        if (!over()) audience.reach('away')
      }
      if (over()) return
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

  const list = async () => {
    const answer = await ask('/api/sessions?limit=50')
    if (!signal.aborted) audience.heard([{ type: 'list', list: answer }])
    return PAUSE_MS
  }

  const session = (id: string) => async () => {
    const query = new URLSearchParams({ after: String(cursors.follows.get(id) ?? 0), wait: String(WAIT_SECONDS) })
    if (wanted.lineage !== '') query.set('lineage', wanted.lineage)
    const answer = (await ask(`/api/sessions/${id}/records?${query}`)) as Asked | null
    if (signal.aborted) return 0
    if (answer === null || answer.reset) {
      audience.heard([{ type: answer === null ? 'gone' : 'reset', session: id }])
      return PAUSE_MS
    }
    const heard = answer.records.map((record) => cursors.record(id, record))
    audience.heard(heard.filter((each): each is Heard => each !== null))
    return 0
  }

  void repeat(list)
  for (const id of [...cursors.follows.keys()].slice(0, SESSIONS)) void repeat(session(id))
}
