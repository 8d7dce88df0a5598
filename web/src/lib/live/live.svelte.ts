// The tab's side of the live connection: what it wishes, what it hears, and how the server can be reached.
//
// What is heard is handed on once per animation frame, however much came.

import { values } from '../api/values'
import type { Places, StoreState } from '../api/shapes.gen'
import { link, type Link } from './link'
import type { Heard, Reach, ToTab, Wish } from './messages'

/** A hidden tab has no frames; what it shows may lag a little, and is there when it is looked at. */
const HIDDEN_MS = 200

export type Watched = Pick<Extract<ToTab, { type: 'watched' }>, 'sessions' | 'others' | 'first'>

export interface Listener {
  heard(heard: Heard[]): void
  lineage(lineage: string): void
  refused(token: string | null): void
  /** Wish anew, from where things stand now. */
  again(): void
}

export class Live {
  #reach = $state<Reach>('asking')
  #changedAt = $state(0)
  #store = $state.raw<StoreState>({ writable: true, error: '' })
  #places = $state.raw<Places>({ running: 0, waiting: [] })
  #watched = $state.raw<Watched>({ sessions: [], others: [], first: false })
  #link: Link | null = null
  #heard: Heard[] = []
  #due = false
  readonly #listener: Listener

  constructor(listener: Listener) {
    this.#listener = listener
  }

  get reach(): Reach {
    return this.#reach
  }

  /** When the reach last became what it is, by `performance.now()`. */
  get changedAt(): number {
    return this.#changedAt
  }

  get store(): StoreState {
    return this.#store
  }

  get places(): Places {
    return this.#places
  }

  /** Which sessions are looked at in this browser, and which of them this tab need not tell of. */
  get watched(): Watched {
    return this.#watched
  }

  wish(wish: Wish): void {
    this.#link ??= link(
      (message) => this.#take(message),
      () => this.#listener.again(),
    )
    this.#link.send({ type: 'wish', wish })
  }

  /** Look at once whether the connection is alive, whenever there is a reason to doubt it. */
  watch(): () => void {
    const probe = () => {
      this.#listener.again()
      this.#link?.send({ type: 'probe' })
    }
    const leave = () => this.#link?.send({ type: 'bye' })
    document.addEventListener('visibilitychange', probe)
    document.addEventListener('resume', probe)
    for (const name of ['pageshow', 'online', 'focus']) addEventListener(name, probe)
    addEventListener('pagehide', leave)
    return () => {
      document.removeEventListener('visibilitychange', probe)
      document.removeEventListener('resume', probe)
      for (const name of ['pageshow', 'online', 'focus']) removeEventListener(name, probe)
      removeEventListener('pagehide', leave)
      leave()
    }
  }

  #take(message: ToTab): void {
    switch (message.type) {
      case 'heard':
        this.#heard.push(...message.heard)
        this.#schedule()
        return
      case 'reach':
        if (message.reach !== this.#reach) this.#changedAt = performance.now()
        this.#reach = message.reach
        if (message.reach === 'refused') this.#listener.refused(message.token)
        return
      case 'watched':
        this.#watched = message
        return
      case 'lineage':
        this.#listener.lineage(message.lineage)
        return
      default:
        message satisfies never
    }
  }

  #schedule(): void {
    if (this.#due) return
    this.#due = true
    const hand = () => {
      if (!this.#due) return
      this.#due = false
      clearTimeout(late)
      cancelAnimationFrame(frame)
      const heard = this.#heard
      this.#heard = []
      for (const each of heard) this.#note(each)
      this.#listener.heard(heard)
    }
    const late = setTimeout(hand, HIDDEN_MS)
    const frame = requestAnimationFrame(hand)
  }

  #note(heard: Heard): void {
    if (heard.type === 'store') this.#store = values.read('StoreState', heard.store)
    if (heard.type === 'places') this.#places = values.read('Places', heard.places)
  }
}
