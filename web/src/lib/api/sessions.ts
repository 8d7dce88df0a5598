// The list of sessions, as the server has it now.

export type Row = { id: string; title: string; state: 'idle' | 'queued' | 'running' | 'waiting' }

/** Null if the credential is not taken. Throws when there is no answer. */
export async function listSessions(token: string): Promise<Row[] | null> {
  const response = await fetch('/api/sessions', {
    cache: 'no-store',
    headers: { authorization: `Bearer ${token}` },
  })
  if (response.status === 401) return null
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  const answer: { sessions: Row[] } = await response.json()
  return answer.sessions
}
