// The list of sessions: loaded page by page, kept true by the rows that the live connection brings.

import { SvelteMap } from 'svelte/reactivity'
import { changeSession, deleteSession, listSessions, restoreSession } from '../api/sessions'
import type { SessionChange, SessionList, SessionRow } from '../api/shapes.gen'
import { values } from '../api/values'

export class Sessions {
  readonly #rows = new SvelteMap<string, SessionRow>()
  #loaded = $state(false)
  #cursor = $state<string | null>(null)
  #change = 0
  #lineage = ''
  #fetching = false

  /** All rows that are known here, in no order. */
  get rows(): readonly SessionRow[] {
    return [...this.#rows.values()]
  }

  get loaded(): boolean {
    return this.#loaded
  }

  get hasMore(): boolean {
    return this.#cursor !== null
  }

  get change(): number {
    return this.#change
  }

  get lineage(): string {
    return this.#lineage
  }

  row(id: string): SessionRow | undefined {
    return this.#rows.get(id)
  }

  /** Load the list anew. */
  async load(): Promise<void> {
    // What stands on top is shown however long ago it was active: it may lie far down the list of dates.
    const [list, top] = await Promise.all([listSessions(), listSessions({ onTop: true, limit: 200 })])
    this.#rows.clear()
    this.#take(list)
    this.#take(top)
    this.#cursor = list.cursor
    this.#change = list.change
    this.#lineage = list.lineage
    this.#loaded = true
  }

  async loadMore(): Promise<void> {
    if (this.#cursor === null || this.#fetching) return
    this.#fetching = true
    try {
      const list = await listSessions({ cursor: this.#cursor, limit: 200 })
      this.#take(list)
      this.#cursor = list.cursor
    } finally {
      this.#fetching = false
    }
  }

  hearRow(value: unknown): void {
    const row = values.read('SessionRow', value)
    this.#change = Math.max(this.#change, row.change)
    this.#put(row)
  }

  hearLeft(id: string, change: number): void {
    this.#change = Math.max(this.#change, change)
    this.#rows.delete(id)
  }

  /** The first page as it is now, where rows can't come by themselves. */
  hearList(value: unknown): void {
    const list = values.read('SessionList', value)
    this.#take(list)
    const ids = new Set(list.sessions.map(({ id }) => id))
    const oldest = Math.min(...list.sessions.map((row) => row.active_at))
    for (const row of this.rows) {
      if (!ids.has(row.id) && (list.cursor === null || row.active_at > oldest)) this.#rows.delete(row.id)
    }
  }

  async alter(id: string, change: SessionChange): Promise<void> {
    await changeSession(id, change)
    const row = this.#rows.get(id)
    if (row !== undefined) this.#rows.set(id, { ...row, ...change } as SessionRow) // until its row comes
  }

  async remove(id: string): Promise<void> {
    await deleteSession(id)
    this.#rows.delete(id)
  }

  async restore(id: string): Promise<void> {
    await restoreSession(id)
  }

  #take(list: SessionList): void {
    for (const row of list.sessions) this.#put(row)
  }

  #put(row: SessionRow): void {
    const known = this.#rows.get(row.id)
    if (known !== undefined && known.change > row.change) return
    if (row.deleted) this.#rows.delete(row.id)
    else this.#rows.set(row.id, row)
  }
}
