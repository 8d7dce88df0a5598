// Several sessions in one hand: which of the list are chosen, and what is done with them together.

import { tick } from 'svelte'
import type { SessionChange, SessionRow } from '../api/shapes.gen'
import { exportChosen } from '../api/chosen'
import type { Format } from '../api/transfer'
import { Attempt } from '../ui/attempt.svelte'
import type { Workspace } from '../workspace.svelte'
import { each, type Failed } from './batch'
import Pick from './Pick.svelte'

export class Picking {
  readonly Pick = Pick
  readonly attempt = new Attempt()
  /** The list as it is read. */
  listed = $state.raw<readonly SessionRow[]>([])
  readonly #workspace: Workspace
  #ids = $state.raw<ReadonlySet<string>>(new Set())
  #failed = $state.raw<readonly Failed[]>([])
  #anchor: string | null = null

  constructor(workspace: Workspace, first: string | null) {
    this.#workspace = workspace
    if (first !== null) this.toggle(first)
    void tick().then(() => focus(first))
  }

  /** What is chosen and still in the list, as the list has it. */
  get rows(): readonly SessionRow[] {
    return this.listed.filter(({ id }) => this.#ids.has(id))
  }

  get failed(): readonly Failed[] {
    return this.#failed
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  toggle(id: string): void {
    this.#anchor = id
    this.#ids = this.#ids.has(id) ? this.#without([id]) : new Set([...this.#ids, id])
  }

  /** Choose everything from the one that was touched last to this one. */
  reach(id: string): void {
    const order = this.listed.map((row) => row.id)
    const [from, to] = [order.indexOf(this.#anchor ?? id), order.indexOf(id)]
    if (from < 0 || to < 0) return this.toggle(id)
    this.#ids = new Set([...this.#ids, ...order.slice(Math.min(from, to), Math.max(from, to) + 1)])
  }

  /** All that the list shows, or none if that is what is chosen. */
  all(): void {
    const none = this.listed.every(({ id }) => this.#ids.has(id))
    this.#ids = new Set(none ? [] : this.listed.map(({ id }) => id))
  }

  /** With these it is done; when it is with all, the hand opens. */
  settle(rows: readonly SessionRow[]): void {
    this.#ids = this.#without(rows.map(({ id }) => id))
    if (this.rows.length === 0) this.end()
  }

  end(): void {
    this.#workspace.picking = null
    void tick().then(() => document.querySelector<HTMLElement>('[data-select]')?.focus())
  }

  alter(change: SessionChange): Promise<void> {
    return this.#act((rows) => each(rows, (row) => this.#workspace.sessions.alter(row.id, change)))
  }

  remove(): Promise<void> {
    return this.#act(async (rows) => {
      const failed = await each(rows, (row) => this.#workspace.sessions.remove(row.id))
      const kept = new Set(failed.map(({ row }) => row.id))
      this.#workspace.removed(rows.filter(({ id }) => !kept.has(id)))
      return failed
    })
  }

  async export(format: Format): Promise<void> {
    const rows = this.rows
    if (await this.attempt.at(() => exportChosen(rows.map(({ id }) => id), format))) this.settle(rows)
  }

  #without(ids: readonly string[]): ReadonlySet<string> {
    return new Set([...this.#ids].filter((id) => !ids.includes(id)))
  }

  async #act(act: (rows: readonly SessionRow[]) => Promise<Failed[]>): Promise<void> {
    const rows = this.rows
    await this.attempt.at(async () => {
      this.#failed = await act(rows)
    })
    const kept = new Set(this.#failed.map(({ row }) => row.id))
    this.settle(rows.filter(({ id }) => !kept.has(id)))
  }

}

function focus(id: string | null): void {
  const picks = [...document.querySelectorAll<HTMLElement>('[data-pick]')]
  ;(picks.find((pick) => pick.dataset.pick === id) ?? picks[0])?.focus()
}
