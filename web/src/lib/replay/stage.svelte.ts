// What a replay has on screen: the items of its turn at a moment. Only what is different is drawn again.

import { LiveEntry } from '../session/conversation.svelte'
import { keyOf, type Entry } from '../session/entries'
import { openAsks, type Approval, type Item, type Question, type Session } from '../session/state'

/** Of a long text the end is shown: nobody reads the rest while it moves. */
export const LONGEST_TEXT = 12_000

export class Stage {
  #entries = $state.raw<readonly Entry[]>([])
  #waiting = $state.raw<readonly (Approval | Question)[]>([])
  #running = $state(false)
  readonly #turn: string
  readonly #known = new Map<string, Entry>()

  constructor(turn: string) {
    this.#turn = turn
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  get waiting(): readonly (Approval | Question)[] {
    return this.#waiting
  }

  get running(): boolean {
    return this.#running
  }

  /** `moved`: it went on from what is shown, and `touched` names what is different. */
  show(session: Session, moved: boolean): void {
    const turn = session.turns.get(this.#turn)
    const items = turn?.items ?? new Map<number, Item>()
    const different = moved ? [...session.touched].filter((item) => items.get(item.k) === item) : items.values()
    session.touched.clear()
    let grown = this.#known.size > items.size
    for (const item of different) grown = this.#put(item) || grown
    if (grown) this.#order(items)
    this.#waiting = openAsks(session).map((ask) => ({ ...ask }))
    this.#running = turn?.outcome === null
  }

  /** True if it was not there. */
  #put(item: Item): boolean {
    const key = keyOf(item)
    const found = this.#known.get(key)
    const seen = ending(item)
    if (found === undefined) this.#known.set(key, new LiveEntry(key, seen))
    else if (!same(found.item, seen)) found.item = seen
    return found === undefined
  }

  #order(items: ReadonlyMap<number, Item>): void {
    const there = new Set([...items.values()].map(keyOf))
    for (const key of this.#known.keys()) if (!there.has(key)) this.#known.delete(key)
    this.#entries = [...this.#known.values()].sort((a, b) => a.item.k - b.item.k)
  }
}

/** A copy of the item with no more of its text than is shown. It is cut at the same place for a while. */
export function ending(item: Item): Item {
  if ((item.type !== 'text' && item.type !== 'thought') || item.text.length <= LONGEST_TEXT) return { ...item }
  const step = LONGEST_TEXT / 2
  const least = Math.floor((item.text.length - step) / step) * step
  const line = item.text.indexOf('\n', least)
  return { ...item, text: `…\n\n${item.text.slice(line < 0 || line > least + step ? least : line + 1)}` }
}

function same(first: Item, second: Item): boolean {
  const [one, two] = [Object.entries(first), second as unknown as Record<string, unknown>]
  return first.type === second.type && one.every(([name, value]) => value === two[name])
}
