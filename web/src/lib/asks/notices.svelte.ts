// Notifications of the browser: one for each ask, none for what somebody looks at, gone when it is answered anywhere. They
// only lead to the card; nothing can be allowed from one.

import { Refused, Unreached } from '../api/client'
import type { Approval, Question, SessionRow } from '../api/shapes.gen'
import { listAsks } from '../api/turns'
import type { Watched } from '../live/live.svelte'
import { leave, type Standing } from '../push/leave.svelte'
import { showByWorker } from '../push/worker'
import { keep, kept } from '../ui/kept'
import { words } from '../words'

const LONGEST = 200
/** Where this browser keeps what it was told of, whichever tab told it; and of how many asks. */
const TOLD = 'told'
const REMEMBERED = 500

export class Notices {
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
    return leave.standing
  }

  /** Only from a press of a button: a browser asks its person once. */
  async allow(): Promise<void> {
    await leave.ask()
  }

  /** What waits now, what is looked at in this browser, and what this tab shows. */
  update(rows: readonly SessionRow[], watched: Watched, open: string | null): void {
    this.#watched = watched.sessions
    if (leave.standing !== 'granted') return
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
    const pushed = kept<{ details: boolean } | null>('push', null)
    const about = ask.type === 'approval' ? ask.command || ask.title : ask.text
    // Who wants no command on this screen wants none from a tab either.
    const body = pushed?.details === false ? words.push.told[ask.type] : about.slice(0, LONGEST)
    // The tag is the browser's: what another tab shows under it is the same one.
    const options = { body, tag: `holdfast-${ask.ask}` }
    const title = words.asks.notices.title(row.title || words.asks.notices.session)
    const byWorker = () => showByWorker(title, { ...options, data: { session: row.id, name: ask.ask } })
    if (pushed !== null) return byWorker()
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
