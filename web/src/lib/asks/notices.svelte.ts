// Notifications of the browser: one for each ask, none for what somebody looks at, gone when it is answered anywhere. They
// only lead to the card; nothing can be allowed from one.

import { Refused, Unreached } from '../api/client'
import type { Approval, Question, SessionRow } from '../api/shapes.gen'
import { listAsks } from '../api/turns'
import type { Watched } from '../live/live.svelte'
import { showByWorker } from '../push/worker'
import { keep, kept } from '../ui/kept'
import { words } from '../words'

export type Standing = 'missing' | 'default' | 'granted' | 'denied'

const LONGEST = 200
/** Where this browser keeps what it was told of, whichever tab told it; and of how many asks. */
const TOLD = 'told'
const REMEMBERED = 500

export class Notices {
  #standing = $state<Standing>(typeof Notification === 'undefined' || !isSecureContext ? 'missing' : Notification.permission)
  /** What was told or seen, by the ask; each is told once. */
  readonly #told = new Map<string, { session: string; notice: { close(): void } | null }>()
  /** The row of each session as of which its asks were looked at. */
  readonly #looked = new Map<string, number>()
  /** What is looked at by now: it may change while a question is under way. */
  #watched: readonly string[] = []
  readonly #open: (session: string, ask: string) => void

  constructor(open: (session: string, ask: string) => void) {
    this.#open = open
  }

  get standing(): Standing {
    return this.#standing
  }

  /** Only from a press of a button: a browser asks its person once. */
  async allow(): Promise<void> {
    this.#standing = await Notification.requestPermission()
  }

  /** What waits now, what is looked at in this browser, and what this tab shows. */
  update(rows: readonly SessionRow[], watched: Watched, open: string | null): void {
    this.#watched = watched.sessions
    if (this.#standing !== 'granted') return
    const waiting = new Set(rows.filter((row) => row.state === 'waiting').map(({ id }) => id))
    for (const id of watched.sessions) this.#hush(id)
    for (const { session } of [...this.#told.values()]) if (!waiting.has(session)) this.#settle(session, [])
    for (const row of rows) {
      const mine = !watched.others.includes(row.id) && (watched.first || row.id === open)
      if (waiting.has(row.id) && mine && this.#looked.get(row.id) !== row.change) void this.#look(row)
    }
  }

  async #look(row: SessionRow): Promise<void> {
    this.#looked.set(row.id, row.change)
    try {
      const { asks } = await listAsks(row.id)
      if (this.#looked.get(row.id) !== row.change) return // a later look knows better
      this.#settle(row.id, asks)
      for (const ask of asks) this.#tell(row, ask)
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof Unreached)) throw error
      this.#looked.delete(row.id)
    }
  }

  #tell(row: SessionRow, ask: Approval | Question): void {
    if (this.#told.has(ask.ask)) return
    const before = kept<string[]>(TOLD, [])
    const hush = before.includes(ask.ask) || this.#watched.includes(row.id)
    this.#told.set(ask.ask, { session: row.id, notice: hush ? null : this.#show(row, ask) })
    if (!before.includes(ask.ask)) keep(TOLD, [...before, ask.ask].slice(-REMEMBERED))
  }

  #show(row: SessionRow, ask: Approval | Question): { close(): void } {
    const about = ask.type === 'approval' ? ask.command || ask.title : ask.text
    // The tag is the browser's: what another tab shows under it is the same one.
    const options = { body: about.slice(0, LONGEST), tag: `holdfast-${ask.ask}` }
    const title = words.asks.notices.title(row.title || words.asks.notices.session)
    const byWorker = () => showByWorker(title, { ...options, data: { session: row.id, name: ask.ask } })
    if (kept('push', null) !== null) return byWorker()
    let notice: Notification
    try {
      notice = new Notification(title, options)
    } catch {
      return byWorker() // on Android only a worker may show one
    }
    notice.onclick = () => {
      window.focus()
      this.#open(row.id, ask.ask)
      notice.close()
    }
    return notice
  }

  /** What no longer waits is taken back. */
  #settle(session: string, open: readonly { ask: string }[]): void {
    for (const [ask, told] of [...this.#told]) {
      if (told.session !== session || open.some((each) => each.ask === ask)) continue
      told.notice?.close()
      this.#told.delete(ask)
    }
  }

  /** Somebody looks at this session now. */
  #hush(session: string): void {
    for (const told of this.#told.values()) {
      if (told.session !== session) continue
      told.notice?.close()
      told.notice = null
    }
  }
}
