// What was written and not sent, one draft for each session, kept in this browser. Whoever shows a session holds the same
// one, so that what is heard late changes the draft that it belongs to, whatever is open by then.

import { keep, kept } from '../ui/kept'

export class Drafts {
  readonly #drafts = new Map<string | null, Draft>()
  readonly #rewrites = new Map<string, string>()

  /** The draft as it is kept: another tab may have changed it. Null is the session that is not begun yet. */
  open(session: string | null): Draft {
    const draft = this.#drafts.get(session) ?? new Draft(session ?? 'new')
    this.#drafts.set(session, draft)
    draft.read()
    return draft
  }

  /** What is to be said in the place of this turn, for as long as the page lives. */
  rewrite(session: string, turn: string): string | undefined {
    return this.#rewrites.get(`${session} ${turn}`)
  }

  keepRewrite(session: string, turn: string, text: string | null): void {
    if (text === null) this.#rewrites.delete(`${session} ${turn}`)
    else this.#rewrites.set(`${session} ${turn}`, text)
  }
}

export class Draft {
  #text = $state('')
  #ask = $state<string | null>(null)
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  get text(): string {
    return this.#text
  }

  set text(text: string) {
    this.#text = text
    keep(`draft.${this.#name}`, text)
  }

  /** The ask that these words are to answer; null if they are a message. */
  get ask(): string | null {
    return this.#ask
  }

  set ask(ask: string | null) {
    this.#ask = ask
    keep(`answers.${this.#name}`, ask)
  }

  read(): void {
    this.#text = kept(`draft.${this.#name}`, '')
    this.#ask = kept<string | null>(`answers.${this.#name}`, null)
  }
}
