// Answers and stops on their way. Each goes out under one name until it is heard, whatever the network does; an Allow
// gives up after a minute, because what it would permit may no longer be wanted by then. None survives a reload.

import { SvelteMap } from 'svelte/reactivity'
import { Refused, Unreached } from '../api/client'
import type { AskAnswer } from '../api/shapes.gen'
import { answerAsk, cancelTurn } from '../api/turns'
import { stopwatch, type Stopwatch } from '../ui/stopwatch'
import { words } from '../words'

export interface Sending {
  /** `sending`: on its way. `sent`: heard; its record follows. `unsent`: given up. `refused`: something came first. */
  state: 'sending' | 'sent' | 'unsent' | 'refused'
  answer: AskAnswer | null
  error: string
}

const PAUSE_MS = 1_000
const ALLOW_MS = 60_000
const TRY_MS = 10_000
const LOOK_MS = 250

export class Asks {
  readonly #sendings = new SvelteMap<string, Sending>()
  readonly #written = new SvelteMap<string, string>()
  readonly #stopwatch: () => Stopwatch

  constructor(begin: () => Stopwatch = stopwatch) {
    this.#stopwatch = begin
  }

  sending(id: string): Sending | undefined {
    return this.#sendings.get(id)
  }

  /** What is being written in the card of this ask; its card may go and come back. */
  written(ask: string): string {
    return this.#written.get(ask) ?? ''
  }

  write(ask: string, text: string): void {
    if (text === '') this.#written.delete(ask)
    else this.#written.set(ask, text)
  }

  /** Answer the ask of this id. A second answer while the first is on its way is none. True if it was heard. */
  async answer(session: string, ask: string, answer: AskAnswer): Promise<boolean> {
    const denies = answer.choice === 'deny'
    const limit = denies || answer.choice == null ? Infinity : ALLOW_MS
    await this.#deliver(ask, answer, { limit, persists: denies }, (signal) => answerAsk(session, ask, answer, signal))
    const heard = this.sending(ask)?.state === 'sent'
    if (heard) this.#written.delete(ask)
    return heard
  }

  stop(session: string, turn: string): void {
    void this.#deliver(turn, null, { limit: Infinity, persists: true }, (signal) => cancelTurn(session, turn, signal))
  }

  async #deliver(
    id: string,
    answer: AskAnswer | null,
    { limit, persists }: { limit: number; persists: boolean },
    act: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const state = this.#sendings.get(id)?.state
    if (state === 'sending' || state === 'sent') return
    const passed = this.#stopwatch()
    let unheard = true
    const tell = (told: Sending['state'], error = '') => this.#sendings.set(id, { state: told, answer, error })
    tell('sending')
    for (let left = limit; left > 0; left = limit - passed()) {
      unheard &&= navigator.onLine === false // else a request may have arrived, and its answer been lost
      const wait = new Limit(Math.min(TRY_MS, left), this.#stopwatch)
      try {
        await act(wait.signal)
        tell('sent')
        return
      } catch (error) {
        // What ends something goes on until it is done; whoever said something else hears why it was not taken.
        if (error instanceof Refused && (error.status < 500 || !persists)) return void tell('refused', error.message)
        if (!(error instanceof Refused) && !(error instanceof Unreached)) throw error
      } finally {
        wait.end()
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    tell('unsent', unheard ? words.asks.unsent : words.asks.unconfirmed)
  }
}

/** Ends a request after so many milliseconds, also if the machine sleeps meanwhile: what it was for may be over by then. */
class Limit {
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setInterval>

  constructor(ms: number, begin: () => Stopwatch) {
    const passed = begin()
    this.#timer = setInterval(() => passed() >= ms && this.#controller.abort(), LOOK_MS)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    clearInterval(this.#timer)
  }
}
