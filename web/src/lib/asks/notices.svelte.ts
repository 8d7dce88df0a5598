// Notifications of the browser: one for each session that waits, none while somebody looks at it, gone when it is
// answered anywhere. They only lead to the card; nothing can be allowed from one.

import type { SessionRow } from '../api/shapes.gen'

export type Standing = 'missing' | 'default' | 'granted' | 'denied'

const LONGEST = 200

export class Notices {
  #standing = $state<Standing>(typeof Notification === 'undefined' || !isSecureContext ? 'missing' : Notification.permission)
  readonly #shown = new Map<string, { ask: string; notice: Notification }>()
  readonly #open: (session: string) => void

  constructor(open: (session: string) => void) {
    this.#open = open
  }

  get standing(): Standing {
    return this.#standing
  }

  /** Only from a press of a button: a browser asks its person once. */
  async allow(): Promise<void> {
    this.#standing = await Notification.requestPermission()
  }

  /** What waits now, and which sessions somebody looks at. */
  update(rows: readonly SessionRow[], watched: readonly string[]): void {
    if (this.#standing !== 'granted') return
    const waiting = new Map(rows.filter((row) => row.state === 'waiting').map((row) => [row.id, row]))
    for (const [id, { notice }] of [...this.#shown]) if (!waiting.has(id)) this.#close(id, notice)
    for (const row of waiting.values()) if (!watched.includes(row.id)) this.#show(row)
  }

  #show(row: SessionRow): void {
    if (this.#shown.get(row.id)?.ask === row.ask) return
    // The tag is the browser's: what another tab shows under it is the same one.
    const options = { body: row.ask.slice(0, LONGEST), tag: `holdfast-${row.id}` }
    const notice = new Notification(`${row.title || 'A session'} waits for you`, options)
    notice.onclick = () => {
      window.focus()
      this.#open(row.id)
      notice.close()
    }
    this.#shown.set(row.id, { ask: row.ask, notice })
  }

  #close(id: string, notice: Notification): void {
    notice.close()
    this.#shown.delete(id)
  }
}
