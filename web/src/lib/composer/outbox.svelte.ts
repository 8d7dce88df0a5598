// Messages on their way. Each has an id from the start, so that however often it is sent it is recorded once; it lies in
// this browser, under a name of its own, until the server has it, over a reload too.
//
// A message is sent by the tab whose it is. What a tab left behind is taken up by another: who gets the message's lock
// knows that nobody else has it.

import { Refused, Unreached } from '../api/client'
import { newId } from '../api/ids'
import { createSession, openSession, readPageWith } from '../api/sessions'
import type { Attachment, NewSession, NewTurn } from '../api/shapes.gen'
import { submitTurn, withdrawTurn } from '../api/turns'
import { keep, kept, keptUnder } from '../ui/kept'

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
  /** The turn, still queued, whose words these are: it is taken back first, and if it has begun they are not said again. */
  withdraws?: string
  /** Set on the first message of a session that is not there yet. */
  begin: NewSession | null
  state: 'sending' | 'waiting' | 'sent' | 'refused'
  error: string
  /** The record that it became. */
  seq: number
}

const KEY = 'outbox.'
const PAUSE_MS = 1_000
/** A request that vanished is not waited for: the next one goes out under the same id. */
const TRY_MS = 20_000

export class Outbox {
  #messages = $state<Outgoing[]>([])
  #busy = false
  readonly #releases = new Map<string, () => void>()
  readonly #made: (session: string) => void

  /** `made` is called when the first message of a session has made it. */
  constructor(made: (session: string) => void = () => undefined) {
    this.#made = made
  }

  /** What is on its way to this session and not yet among its records. */
  of(session: string, seq: number): Outgoing[] {
    return this.#messages.filter((each) => each.session === session && (each.state !== 'sent' || each.seq > seq))
  }

  /** What was sent is shown until its record is: the open session, if any, has all of them up to this seq. */
  recorded(open: string | null, seq: number): void {
    const over = (each: Outgoing) => each.state === 'sent' && (each.session !== open || each.seq <= seq)
    if (this.#messages.some(over)) this.#messages = this.#messages.filter((each) => !over(each))
  }

  /** Whether this session is still to be made by a message on its way. */
  begins(session: string): boolean {
    return this.#messages.some((each) => each.session === session && each.begin !== null && each.state !== 'refused')
  }

  /** Send what was left behind by a page that is gone. */
  resume(): void {
    this.#divide()
    const known = new Set(this.#messages.map(({ id }) => id))
    for (const id of keptUnder(KEY)) if (!known.has(id)) this.#claim(id, () => this.#takeUp(id))
  }

  /** Whenever a tab may have gone: one that is closed says nothing, but another one comes into view. */
  watch(): () => void {
    const resume = () => locks() !== undefined && this.resume()
    for (const name of OCCASIONS) addEventListener(name, resume)
    document.addEventListener('visibilitychange', resume)
    return () => {
      for (const name of OCCASIONS) removeEventListener(name, resume)
      document.removeEventListener('visibilitychange', resume)
    }
  }

  send(
    session: string,
    said: Pick<Outgoing, 'text' | 'replaces' | 'withdraws'> & { attachments?: Attachment[]; mode?: Mode; begin?: NewSession },
  ): Outgoing {
    const { attachments = [], mode = 'queue', begin = null } = said
    const state = 'sending' as const
    const fresh = { id: newId(), session, state, error: '', seq: 0, time: Date.now() }
    const message: Outgoing = { ...said, attachments, mode, begin, ...fresh }
    this.#messages.push(message)
    store(message)
    this.#claim(message.id)
    void this.#work()
    return message
  }

  /** Take back what was not taken, to be changed or forgotten. */
  discard(id: string): Outgoing | undefined {
    const found = this.#messages.find((each) => each.id === id)
    this.#messages = this.#messages.filter((each) => each.id !== id)
    this.#forget(id)
    return found
  }

  retry(id: string): void {
    const found = this.#messages.find((each) => each.id === id)
    if (found === undefined) return
    if (found.replaces !== undefined) this.#rename(found) // it may be in the log already, and count for nothing
    found.state = 'waiting'
    found.error = ''
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
      if (message.withdraws !== undefined && !(await this.#withdraw(message, message.withdraws))) return
      if (message.begin !== null) await createSession({ ...message.begin, id: message.session }, soon())
      const made = message.begin !== null
      message.begin = null
      if (made) this.#made(message.session)
      const { id, text, attachments, mode, replaces } = message
      const body = { id, text, attachments, mode, ...(replaces !== undefined && { replaces }) }
      message.seq = (await submitTurn(message.session, body, soon())).seq
      message.state = 'sent'
      this.#forget(id)
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
  }

  /** Take back the turn that said this before. False if it has begun: then its words are on their way already. */
  async #withdraw(message: Outgoing, turn: string): Promise<boolean> {
    try {
      await withdrawTurn(message.session, turn, soon())
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      // It is not queued any more: an earlier try may have been heard, or the turn has begun.
      const { session } = await openSession(message.session, soon())
      if (session.turns.has(turn) || (await hasSettled(message.session, turn))) {
        this.discard(message.id)
        return false
      }
    }
    delete message.withdraws
    store(message)
    return true
  }

  #takeUp(id: string): void {
    const left = kept<Outgoing | null>(KEY + id, null)
    if (left === null) return this.#forget(id) // its own tab has sent it meanwhile
    this.#messages.push({ ...left, state: 'waiting' })
    this.#messages.sort((a, b) => a.time - b.time)
    void this.#work()
  }

  /** Be the one who sends this, for as long as this page lives; `taken` is called unless another one is. */
  #claim(id: string, taken: () => void = () => undefined): void {
    const held = locks()
    if (held === undefined) return taken()
    void held.request(`holdfast-outbox-${id}`, { ifAvailable: true }, (lock) => {
      if (lock === null) return
      const released = new Promise<void>((resolve) => this.#releases.set(id, resolve))
      taken()
      return released
    })
  }

  #forget(id: string): void {
    keep(KEY + id, null)
    this.#releases.get(id)?.()
    this.#releases.delete(id)
  }

  #rename(message: Outgoing): void {
    this.#forget(message.id)
    message.id = newId()
    store(message)
    this.#claim(message.id)
  }

  /** Earlier versions kept all messages under one name. */
  #divide(): void {
    for (const each of kept<Outgoing[]>('outbox', [])) store(each)
    keep('outbox', null)
  }
}

/** Whether this turn has begun and is over by now: then it is in the transcript and nowhere else. */
async function hasSettled(session: string, turn: string): Promise<boolean> {
  try {
    await readPageWith(session, turn, 0, soon())
    return true
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return false
    throw error
  }
}

const OCCASIONS = ['storage', 'online', 'pageshow']

function store(message: Outgoing): void {
  keep(KEY + message.id, $state.snapshot(message))
}

/** Missing on plain http: there a message that was left behind waits for the next page that begins. */
function locks(): LockManager | undefined {
  return (navigator as { locks?: LockManager }).locks
}

function soon(): AbortSignal {
  return AbortSignal.timeout(TRY_MS)
}
