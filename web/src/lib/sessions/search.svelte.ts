// Searching: titles at once, words in what was said beside them. Only the answer to the last question counts.

import { listSessions, search } from '../api/sessions'
import type { Hit, SessionRow } from '../api/shapes.gen'

const PAUSE_MS = 150

export class Search {
  #text = $state('')
  #rows = $state.raw<readonly SessionRow[]>([])
  #hits = $state.raw<readonly Hit[]>([])
  #phase = $state<'idle' | 'looking' | 'found' | 'failed'>('idle')
  #asked: AbortController | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  get text(): string {
    return this.#text
  }

  set text(text: string) {
    this.#text = text
    clearTimeout(this.#timer)
    this.#asked?.abort()
    if (text.trim() === '') this.#phase = 'idle'
    else this.#timer = setTimeout(() => void this.#look(text.trim()), PAUSE_MS)
  }

  get rows(): readonly SessionRow[] {
    return this.#rows
  }

  get hits(): readonly Hit[] {
    return this.#hits
  }

  get phase(): 'idle' | 'looking' | 'found' | 'failed' {
    return this.#phase
  }

  async #look(text: string): Promise<void> {
    const asked = (this.#asked = new AbortController())
    this.#phase = 'looking'
    try {
      const [list, found] = await Promise.all([listSessions({ q: text, limit: 20 }), search(text, asked.signal)])
      if (asked.signal.aborted) return
      this.#rows = list.sessions
      this.#hits = found.hits
      this.#phase = 'found'
    } catch {
      if (!asked.signal.aborted) this.#phase = 'failed'
    }
  }
}

/** An excerpt in pieces, those that were looked for marked. */
export function marked({ excerpt, marks }: Pick<Hit, 'excerpt' | 'marks'>): { text: string; hit: boolean }[] {
  const pieces: { text: string; hit: boolean }[] = []
  const characters = [...excerpt] // the server counts characters, not halves of them
  let at = 0
  for (const [start, end] of marks) {
    if (start > at) pieces.push({ text: characters.slice(at, start).join(''), hit: false })
    pieces.push({ text: characters.slice(start, end).join(''), hit: true })
    at = end
  }
  if (at < characters.length) pieces.push({ text: characters.slice(at).join(''), hit: false })
  return pieces
}
