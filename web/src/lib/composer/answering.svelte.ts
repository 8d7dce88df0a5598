// A question that waits can be answered where messages are written. Only if it was there before the first letter, and only
// while that is said beside the field: what was begun as a message stays one.

import type { Approval, Question } from '../session/state'

export class Answering {
  #begun = $state<string | null>(null)
  readonly #waiting: () => readonly (Approval | Question)[]

  constructor(waiting: () => readonly (Approval | Question)[]) {
    this.#waiting = waiting
  }

  /** The question that the next words would answer, if the field is empty: the oldest that takes any. */
  get offered(): Question | undefined {
    return this.#waiting().find((ask) => ask.type === 'question' && takesWords(ask)) as Question | undefined
  }

  /** The question that is being answered. */
  get question(): Question | undefined {
    return this.#begun === null ? undefined : (this.#waiting().find(({ ask }) => ask === this.#begun) as Question | undefined)
  }

  /** The first letter is written. */
  begin(): void {
    this.#begun = this.offered?.ask ?? null
  }

  /** It is a message after all, or nothing. */
  leave(): void {
    this.#begun = null
  }
}

/** A secret is not typed where everybody can read it. */
function takesWords(ask: Question): boolean {
  return !ask.secret && (ask.free_text || ask.choices.length === 0)
}
