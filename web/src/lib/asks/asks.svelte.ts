// Answers and stops on their way. Each goes out under one name until it is heard, whatever the network does; an Allow
// gives up after a minute, because what it would permit may no longer be wanted by then. None survives a reload.

import { SvelteMap } from 'svelte/reactivity'
import { Refused, Unreached } from '../api/client'
import type { AskAnswer } from '../api/shapes.gen'
import { answerAsk, cancelTurn } from '../api/turns'
import { words } from '../words'

export interface Sending {
  /** `sending`: on its way. `sent`: heard; its record follows. `unsent`: given up. `refused`: something came first. */
  state: 'sending' | 'sent' | 'unsent' | 'refused'
  answer: AskAnswer | null
  error: string
}

const PAUSE_MS = 1_000
const ALLOW_MS = 60_000

export class Asks {
  readonly #sendings = new SvelteMap<string, Sending>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  sending(id: string): Sending | undefined {
    return this.#sendings.get(id)
  }

  /** Answer the ask of this id. A second answer while the first is on its way is none. */
  answer(session: string, ask: string, answer: AskAnswer): void {
    const allows = answer.choice !== undefined && answer.choice !== null && answer.choice !== 'deny'
    const limit = allows ? ALLOW_MS : Infinity
    void this.#deliver(ask, answer, limit, (signal) => answerAsk(session, ask, answer, signal))
  }

  stop(session: string, turn: string): void {
    void this.#deliver(turn, null, Infinity, (signal) => cancelTurn(session, turn, signal))
  }

  async #deliver(
    id: string,
    answer: AskAnswer | null,
    limit: number,
    act: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const state = this.#sendings.get(id)?.state
    if (state === 'sending' || state === 'sent') return
    const begun = this.#now()
    const tell = (told: Sending['state'], error = '') => this.#sendings.set(id, { state: told, answer, error })
    tell('sending')
    while (this.#now() - begun < limit) {
      try {
        await act(AbortSignal.timeout(Math.min(10_000, limit)))
        tell('sent')
        return
      } catch (error) {
        if (error instanceof Refused && (error.status < 500 || limit < Infinity)) return void tell('refused', error.message)
        if (!(error instanceof Refused) && !(error instanceof Unreached)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    tell('unsent', words.asks.unsent)
  }
}
