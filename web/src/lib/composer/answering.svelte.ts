// A question that waits can be answered where messages are written. Only if it was there before the first letter, and only
// while that is said beside the field: what was begun as a message stays one, and an answer becomes none by itself.

import type { Approval, Question } from '../session/state'
import type { Draft } from './drafts.svelte'

export class Answering {
  readonly #waiting: () => readonly (Approval | Question)[] | null
  readonly #draft: Pick<Draft, 'ask'>
  readonly #message: () => boolean

  /** `waiting` is null until it is known; `message`: there is something with the words that no answer can have. */
  constructor(waiting: () => readonly (Approval | Question)[] | null, draft: Pick<Draft, 'ask'>, message: () => boolean = () => false) {
    this.#waiting = waiting
    this.#draft = draft
    this.#message = message
  }

  /** The question that the next words would answer, if the field is empty: the oldest that takes any. */
  get offered(): Question | undefined {
    if (this.#message()) return undefined
    return this.#waiting()?.find((ask) => ask.type === 'question' && takesWords(ask)) as Question | undefined
  }

  /** The question that is being answered. */
  get question(): Question | undefined {
    if (this.#draft.ask === null || this.#message()) return undefined
    return this.#waiting()?.find(({ ask }) => ask === this.#draft.ask) as Question | undefined
  }

  /** What is written was begun as an answer, and its question waits no more, or is not here yet. */
  get without(): 'over' | 'unknown' | null {
    if (this.#draft.ask === null || this.#message() || this.question !== undefined) return null
    return this.#waiting() === null ? 'unknown' : 'over'
  }

  /** The first letter is written. */
  begin(): void {
    this.#draft.ask = this.offered?.ask ?? null
  }

  /** It is a message after all, or nothing. */
  leave(): void {
    this.#draft.ask = null
  }
}

/** A secret is not typed where everybody can read it. */
function takesWords(ask: Question): boolean {
  return !ask.secret && (ask.free_text || ask.choices.length === 0)
}
