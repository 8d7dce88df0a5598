// What is on screen of a session: its turns, each with its items in reading order.
//
// Settled items come in pages, in whatever order, and never change; those of the session's state do. A long text may lie in several parts,
// some settled and the last one still growing: on screen it is one. Each entry is replaced, not changed, when its item
// has, so that what shows it is drawn again and nothing else is.

import type { PageItem } from '../api/shapes.gen'
import { END, type Item, type Session, type Text, type Thought, type ToolCall } from './state'

/** What can be shown of an item and be told when it changes; the page brings one with a rune inside. */
export interface Entry {
  readonly key: string
  readonly type: Item['type']
  readonly parent: string | null
  /** The call that this is, if it is one. */
  readonly call: string | null
  item: Item
}

export interface Shown {
  readonly id: string
  readonly number: number
  entries: readonly Entry[]
}

export type NewEntry = (key: string, item: Item) => Entry
export type NewShown = (id: string, number: number) => Shown

export class Transcript {
  turns: Shown[] = []
  readonly #entries = new Map<string, Entry>()
  /** The settled parts of each long text, by their number. */
  readonly #parts = new Map<string, Map<number, string>>()
  readonly #fronts = new Map<string, { part: number; text: string }>()
  readonly #newEntry: NewEntry
  readonly #newShown: NewShown

  constructor(newEntry: NewEntry, newShown: NewShown) {
    this.#newEntry = newEntry
    this.#newShown = newShown
  }

  /** Put a page where it belongs. */
  include(items: readonly PageItem[]): void {
    for (const { number, item } of items) {
      const found = this.#entries.get(keyOf(item))
      if (found === undefined) this.#insert(number, item)
      else if (isProse(item) && isProse(found.item)) this.#join(found, found.item, item)
      if (isProse(item)) this.#keep(item)
    }
    this.turns = [...this.turns]
  }

  /** Show what has changed in the session's state, and only that. */
  update(state: Session): void {
    let grown = false
    for (const item of state.touched) {
      const turn = state.turns.get(item.turn)
      if (turn === undefined || turn.number === 0) continue
      const found = this.#entries.get(keyOf(item))
      if (found === undefined) grown = this.#insert(turn.number, item) || grown
      else found.item = this.#copy(item)
    }
    state.touched.clear()
    if (grown) this.turns = [...this.turns]
  }

  /** All that the state holds, on top of the settled items that are there. */
  grow(state: Session): void {
    for (const turn of state.turns.values()) {
      for (const item of turn.items.values()) state.touched.add(item)
    }
    this.update(state)
  }

  /** A tool call that was settled, as it may be changed. */
  call(turn: string, call: string): ToolCall | undefined {
    const entries = this.turns.findLast((shown) => shown.id === turn)?.entries ?? []
    const found = entries.find(({ item }) => item.type === 'tool' && item.call === call)?.item
    return found?.type === 'tool' ? found : undefined
  }

  #copy(item: Item): Item {
    return isProse(item) ? { ...item, text: this.#front(item) + item.text } : { ...item }
  }

  /** Another part of a text that is there takes its place in it. */
  #join(entry: Entry, there: Text | Thought, part: Text | Thought): void {
    if (part.part === there.part || this.#parts.get(entry.key)?.has(part.part)) return
    const [last, own] = part.part > there.part ? [part, part.text] : [there, there.text.slice(this.#front(there).length)]
    this.#keep(part)
    const time = Math.min(there.time, part.time)
    entry.item = { ...last, text: this.#front(last) + own, time }
  }

  /** What is there of a text before this part of it. It is asked for with every word that comes, and so is kept. */
  #front(item: Text | Thought): string {
    const key = keyOf(item)
    const parts = this.#parts.get(key)
    if (parts === undefined) return ''
    const kept = this.#fronts.get(key)
    if (kept?.part === item.part) return kept.text
    const before = [...parts].filter(([part]) => part < item.part).sort(([a], [b]) => a - b)
    const text = before.map(([, text]) => text).join('')
    this.#fronts.set(key, { part: item.part, text })
    return text
  }

  #keep(part: Text | Thought): void {
    const parts = this.#parts.get(keyOf(part)) ?? new Map<number, string>()
    this.#parts.set(keyOf(part), parts.set(part.part, part.text))
    this.#fronts.delete(keyOf(part))
  }

  /** True if the turn is new. */
  #insert(number: number, item: Item): boolean {
    const entry = this.#newEntry(keyOf(item), this.#copy(item))
    this.#entries.set(entry.key, entry)
    const place = this.turns.findLastIndex((shown) => shown.number <= number)
    const found = this.turns[place]
    if (found?.number === number) {
      found.entries = inserted(found.entries, entry)
      return false
    }
    const shown = this.#newShown(item.turn, number)
    shown.entries = [entry]
    this.turns.splice(place + 1, 0, shown)
    return true
  }
}

function isProse(item: Item): item is Text | Thought {
  return item.type === 'text' || item.type === 'thought'
}

export function keyOf(item: Item): string {
  return `${item.turn}:${item.k === END ? 'end' : item.k}`
}

function inserted(entries: readonly Entry[], entry: Entry): Entry[] {
  const after = entries.findLastIndex(({ item }) => item.k < entry.item.k)
  return entries.toSpliced(after + 1, 0, entry)
}
