// What is looked for in the open session, where it was found, and which of these places the reader is at. A message may
// hold it more than once: each of these is a place.
//
// The server finds, stretch by stretch from the newest back, because most of a long session is not in the page. What is
// new meanwhile lies in the newest stretch: that one is asked for again.

import { findIn } from '../api/find'
import type { Found } from '../api/shapes.gen'

const PAUSE_MS = 150

export type Phase = 'idle' | 'looking' | 'found' | 'failed'
export type Seek = (session: string, q: string, cursor: string | null, signal: AbortSignal) => Promise<{ found: Found[]; cursor: string | null }>

export class Find {
  #text = $state('')
  #phase = $state<Phase>('idle')
  #hits = $state.raw<readonly Found[]>([])
  #now = $state.raw<Found | null>(null)
  /** Which of the places in it, from 0. */
  #nth = $state(0)
  readonly #item = $derived(this.#now === null ? -1 : this.#hits.findIndex((hit) => same(hit, this.#now)))
  #asked = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #session: string
  readonly #choose: (hits: readonly Found[]) => Found | undefined
  readonly #seek: Seek

  /** `choose` says where to begin among the first that are found. */
  constructor(session: string, choose: (hits: readonly Found[]) => Found | undefined, seek: Seek = findIn) {
    this.#session = session
    this.#choose = choose
    this.#seek = seek
  }

  get text(): string {
    return this.#text
  }

  set text(text: string) {
    this.#text = text
    this.#stop()
    this.#hits = []
    this.#now = null
    this.#phase = text.trim() === '' ? 'idle' : 'looking'
    if (this.#phase === 'looking') this.#timer = setTimeout(() => void this.#look(), PAUSE_MS)
  }

  get phase(): Phase {
    return this.#phase
  }

  /** In reading order. */
  get hits(): readonly Found[] {
    return this.#hits
  }

  /** The message that the reader is at. */
  get now(): Found | null {
    return this.#now
  }

  /** Which of the places in that message, from 0. */
  get nth(): number {
    return this.#nth
  }

  /** Which of the messages, from 0; -1 if at none. */
  get item(): number {
    return this.#item
  }

  /** Which of all the places the reader is at, from 0; -1 if at none. */
  get at(): number {
    return this.#item < 0 ? -1 : places(this.#hits.slice(0, this.#item)) + this.#nth
  }

  /** How many places there are. */
  get all(): number {
    return places(this.#hits)
  }

  /** Go to the next place, or to one before; from the last to the first, once all are known. */
  step(by: 1 | -1): void {
    const within = this.#nth + by
    if (this.#item >= 0 && within >= 0 && within < (this.#hits[this.#item]?.count ?? 0)) {
      this.#nth = within
      return
    }
    const count = this.#hits.length
    const to = this.#item + by
    if (count === 0 || (this.#phase === 'looking' && (to < 0 || to >= count))) return
    const next = this.#hits[(to + count) % count]
    this.#now = next ?? null
    this.#nth = by === 1 ? 0 : (next?.count ?? 1) - 1
  }

  /** So often it stands where it is shown: an address behind a word is not read, and what is being said grows. */
  counted(hit: Found, count: number): void {
    const known = this.#hits.find((each) => same(each, hit))
    if (known === undefined || known.count === count || count === 0) return
    this.#hits = this.#hits.map((each) => (each === known ? { ...each, count } : each))
    if (same(this.#now, hit)) this.#nth = Math.min(this.#nth, count - 1)
  }

  /** More may have been said: look at the newest stretch again. */
  async renew(): Promise<void> {
    if (this.#phase !== 'found') return
    const { signal } = this.#asked
    try {
      const { found, cursor } = await this.#seek(this.#session, this.#text.trim(), null, signal)
      if (signal.aborted) return
      this.#hits = [...this.#hits.filter((hit) => isBefore(hit, cursor)), ...found.reverse()]
      this.#begin()
    } catch {
      // What is new is found the next time.
    }
  }

  end(): void {
    this.#stop()
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#asked.abort()
    this.#asked = new AbortController()
  }

  async #look(): Promise<void> {
    const { signal } = this.#asked
    let cursor: string | null = null
    try {
      do {
        const stretch = await this.#seek(this.#session, this.#text.trim(), cursor, signal)
        if (signal.aborted) return
        cursor = stretch.cursor
        const [known, ...newer] = this.#hits
        const part = stretch.found.find((hit) => same(hit, known)) // of a long text, whose later part is known
        const older = stretch.found.filter((hit) => hit !== part).reverse()
        const whole = known === undefined ? [] : [{ ...known, count: known.count + (part?.count ?? 0) }]
        this.#hits = [...older, ...whole, ...newer]
        this.#begin()
      } while (cursor !== null)
      this.#phase = 'found'
    } catch {
      if (!signal.aborted) this.#phase = 'failed'
    }
  }

  #begin(): void {
    if (this.#item >= 0) return
    const near = this.#choose(this.#hits)
    this.#now = near ?? this.#hits.at(-1) ?? null
    this.#nth = near === undefined ? (this.#now?.count ?? 1) - 1 : 0
  }
}

export function same(one: Found | null | undefined, other: Found | null | undefined): boolean {
  return one != null && other != null && one.turn === other.turn && one.k === other.k
}

function places(hits: readonly Found[]): number {
  return hits.reduce((sum, { count }) => sum + count, 0)
}

/** Whether the hit lies before the stretch that begins at the cursor; before the first stretch there is nothing. */
function isBefore({ number, k }: Found, cursor: string | null): boolean {
  if (cursor === null) return false
  const [first = 0, item = 0] = cursor.split('.').map(Number)
  return number < first || (number === first && k < item)
}
