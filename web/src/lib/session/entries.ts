// What is on screen of a session: its turns, each with its items in reading order.
//
// Settled items come in pages and never change; those of the session's state do. A long text may lie in several parts,
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
  readonly #fronts = new Map<string, string>()
  readonly #newEntry: NewEntry
  readonly #newShown: NewShown

  constructor(newEntry: NewEntry, newShown: NewShown) {
    this.#newEntry = newEntry
    this.#newShown = newShown
  }

  /** Put an earlier page before what is there. */
  prepend(items: readonly PageItem[]): void {
    for (const { number, item } of [...items].reverse()) {
      const found = this.#entries.get(keyOf(item))
      if (found !== undefined) this.#lead(found, item)
      else this.#insert(number, item)
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
  include(state: Session): void {
    for (const turn of state.turns.values()) {
      for (const item of turn.items.values()) {
        const settled = this.#entries.get(keyOf(item))?.item
        if (settled !== undefined && goesOn(settled, item)) this.#fronts.set(keyOf(item), settled.text)
        state.touched.add(item)
      }
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
    const front = this.#fronts.get(keyOf(item))
    if (item.type === 'text' || item.type === 'thought') return { ...item, text: (front ?? '') + item.text }
    return { ...item }
  }

  /** An earlier part of a text stands before the later one. */
  #lead(entry: Entry, earlier: Item): void {
    if (!('text' in entry.item) || !('text' in earlier)) return
    this.#fronts.set(entry.key, earlier.text + (this.#fronts.get(entry.key) ?? ''))
    entry.item = { ...entry.item, text: earlier.text + entry.item.text, time: earlier.time }
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

/** Whether the second is a later part of the same text. */
function goesOn(first: Item, second: Item): first is Text | Thought {
  if (second.type !== 'text' && second.type !== 'thought') return false
  return first.type === second.type && first.part < second.part
}

export function keyOf(item: Item): string {
  return `${item.turn}:${item.k === END ? 'end' : item.k}`
}

function inserted(entries: readonly Entry[], entry: Entry): Entry[] {
  const after = entries.findLastIndex(({ item }) => item.k < entry.item.k)
  return entries.toSpliced(after + 1, 0, entry)
}
