// The list of sessions: loaded page by page, kept true by the rows that the live connection brings.

import { SvelteMap } from 'svelte/reactivity'
import { changeSession, deleteSession, listSessions, restoreSession } from '../api/sessions'
import type { SessionChange, SessionList, SessionRow } from '../api/shapes.gen'
import { values } from '../api/values'
import { Filter, type Filed } from '../organise/filter.svelte'

export class Sessions {
  readonly #rows = new SvelteMap<string, SessionRow>()
  readonly filter = new Filter()
  readonly #left = new SvelteMap<string, number>()
  #loaded = $state(false)
  #cursor = $state<string | null>(null)
  #within = $state<string | null>(null)
  #change = 0
  #lineage = ''
  #fetching: Filed | null = null

  /** All rows that are known here, in no order. */
  get rows(): readonly SessionRow[] {
    return [...this.#rows.values()]
  }

  /** Those that the list shows: what fits the filter, as far down as it was loaded. */
  get shown(): readonly SessionRow[] {
    const deepest = Number(this.#deepest?.split('.')[0] ?? 0)
    const stands = (row: SessionRow) => row.active_at >= deepest || row.pinned || row.unseen || row.state !== 'idle'
    return this.rows.filter((row) => this.filter.fits(row) && stands(row))
  }

  get loaded(): boolean {
    return this.#loaded
  }

  get hasMore(): boolean {
    return this.#deepest !== null
  }

  get #deepest(): string | null {
    return this.filter.on ? this.#within : this.#cursor
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

  /** Whether it has gone while this page was open. */
  left(id: string): boolean {
    return this.#left.has(id)
  }

  /** These rows, read at some time, as they are now; those that have gone since are left out. */
  now(rows: readonly SessionRow[]): SessionRow[] {
    return rows.flatMap((row) => {
      if ((this.#left.get(row.id) ?? -1) >= row.change) return []
      const known = this.#rows.get(row.id)
      return [known !== undefined && known.change >= row.change ? known : row]
    })
  }

  /** Load the list anew. */
  async load(): Promise<void> {
    // What stands on top is shown however long ago it was active: it may lie far down the list of dates.
    const { on, filed } = this.filter
    const [list, top, within] = await Promise.all([
      listSessions(),
      listSessions({ onTop: true, limit: 200 }),
      on ? listSessions(filed) : null,
    ])
    this.#rows.clear()
    this.#left.clear()
    this.#take(list)
    this.#take(top)
    this.#cursor = list.cursor
    if (within !== null) this.#narrow(filed, within)
    this.#change = list.change
    this.#lineage = list.lineage
    this.#loaded = true
  }

  /** Load what the filter lets through; what is known of it is shown meanwhile. */
  async loadFiltered(): Promise<void> {
    const { on, filed } = this.filter
    this.#within = null
    if (on) this.#narrow(filed, await listSessions(filed))
  }

  async loadMore(): Promise<void> {
    const { on, filed } = this.filter
    if (this.#deepest === null || this.#fetching === filed) return
    this.#fetching = filed
    try {
      const list = await listSessions({ ...filed, cursor: this.#deepest, limit: 200 })
      if (on) return this.#narrow(filed, list)
      this.#take(list)
      this.#cursor = list.cursor
    } finally {
      if (this.#fetching === filed) this.#fetching = null
    }
  }

  #narrow(filed: Filed, list: SessionList): void {
    this.#take(list)
    if (filed === this.filter.filed) this.#within = list.cursor
  }

  hearRow(value: unknown): void {
    const row = values.read('SessionRow', value)
    this.#change = Math.max(this.#change, row.change)
    this.#put(row)
  }

  hearLeft(id: string, change: number): void {
    this.#change = Math.max(this.#change, change)
    this.#leave(id, change)
  }

  #leave(id: string, change: number): void {
    this.#rows.delete(id)
    this.#left.set(id, change) // a page that was read before may still bring it
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

  async alter(id: string, change: SessionChange, becomes: Partial<SessionRow> = change): Promise<void> {
    await changeSession(id, change)
    const row = this.#rows.get(id)
    if (row !== undefined) this.#rows.set(id, { ...row, ...becomes }) // until its row comes
  }

  async remove(id: string): Promise<void> {
    await deleteSession(id)
    this.#leave(id, Math.max(this.#change, this.#rows.get(id)?.change ?? 0))
  }

  async restore(id: string): Promise<void> {
    await restoreSession(id)
  }

  #take(list: SessionList): void {
    for (const row of list.sessions) this.#put(row)
  }

  #put(row: SessionRow): void {
    const known = this.#rows.get(row.id)
    if ((known?.change ?? this.#left.get(row.id) ?? 0) > row.change) return
    if (row.deleted) return this.#leave(row.id, row.change)
    this.#left.delete(row.id)
    this.#rows.set(row.id, row)
  }
}
