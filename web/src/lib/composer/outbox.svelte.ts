// Messages on their way. Each has an id from the start, so that however often it is sent it is recorded once; it lies in
// this browser until the server has it, over a reload too.

import { Refused, Unreached } from '../api/client'
import { newId } from '../api/ids'
import { createSession } from '../api/sessions'
import type { Attachment, NewSession, NewTurn } from '../api/shapes.gen'
import { submitTurn } from '../api/turns'
import { keep, kept } from '../ui/kept'

export type Mode = NonNullable<NewTurn['mode']>

export interface Outgoing {
  id: string
  session: string
  text: string
  attachments: Attachment[]
  mode: Mode
  time: number
  /** The turn in whose place it is said. */
  replaces?: string
  /** Set on the first message of a session that is not there yet. */
  begin: NewSession | null
  state: 'sending' | 'waiting' | 'sent' | 'refused'
  error: string
  /** The record that it became. */
  seq: number
}

const KEY = 'outbox'
const PAUSE_MS = 1_000

export class Outbox {
  #messages = $state<Outgoing[]>([])
  #busy = false

  /** What is on its way to this session and not yet among its records. */
  of(session: string, seq: number): Outgoing[] {
    return this.#messages.filter((each) => each.session === session && (each.state !== 'sent' || each.seq > seq))
  }

  /** Whether this session is still to be made by a message on its way. */
  begins(session: string): boolean {
    return this.#messages.some((each) => each.session === session && each.begin !== null && each.state !== 'refused')
  }

  /** Send what an earlier page left behind. */
  resume(): void {
    const left = kept<Outgoing[]>(KEY, [])
    const known = new Set(this.#messages.map(({ id }) => id))
    this.#messages.push(...left.filter(({ id }) => !known.has(id)).map((each) => ({ ...each, state: 'waiting' as const })))
    void this.#work()
  }

  send(
    session: string,
    said: { text: string; attachments?: Attachment[]; mode?: Mode; begin?: NewSession; replaces?: string },
  ): Outgoing {
    const { attachments = [], mode = 'queue', begin = null } = said
    const state = 'sending' as const
    const fresh = { id: newId(), session, state, error: '', seq: 0, time: Date.now() }
    const message: Outgoing = { ...said, attachments, mode, begin, ...fresh }
    this.#messages.push(message)
    this.#store()
    void this.#work()
    return message
  }

  /** Take back what was not taken, to be changed or forgotten. */
  discard(id: string): Outgoing | undefined {
    const found = this.#messages.find((each) => each.id === id)
    this.#messages = this.#messages.filter((each) => each.id !== id)
    this.#store()
    return found
  }

  retry(id: string): void {
    const found = this.#messages.find((each) => each.id === id)
    if (found === undefined) return
    if (found.replaces !== undefined) found.id = newId() // it may be in the log already, and count for nothing
    found.state = 'waiting'
    void this.#work()
  }

  /** One after the other, in the order in which they were written. */
  async #work(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) await this.#deliver(next)
    } finally {
      this.#busy = false
    }
  }

  #next(): Outgoing | undefined {
    return this.#messages.find(({ state }) => state === 'sending' || state === 'waiting')
  }

  async #deliver(message: Outgoing): Promise<void> {
    try {
      if (message.begin !== null) await createSession({ ...message.begin, id: message.session })
      message.begin = null
      const { id, text, attachments, mode, replaces } = message
      const body = { id, text, attachments, mode, ...(replaces !== undefined && { replaces }) }
      message.seq = (await submitTurn(message.session, body)).seq
      message.state = 'sent'
    } catch (error) {
      if (error instanceof Refused) {
        message.state = 'refused'
        message.error = error.message
      } else if (error instanceof Unreached) {
        message.state = 'waiting'
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      } else {
        throw error
      }
    }
    this.#store()
  }

  #store(): void {
    keep(KEY, $state.snapshot(this.#messages).filter(({ state }) => state !== 'sent'))
  }
}
