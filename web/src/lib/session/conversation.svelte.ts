// The open session: loaded once, kept true by records, drawn once per frame.

import { Refused } from '../api/client'
import { openSession, readPage, readPageWith } from '../api/sessions'
import type { SettledPage, Snapshot } from '../api/shapes.gen'
import { Unreadable } from '../api/read'
import { Transcript, type Entry, type Shown } from './entries'
import { changeTool } from './output'
import { readRecord, type LogRecord } from './records'
import { apply, misses, needsMore } from './reduce'
import { load, openAsks, type Approval, type Item, type Question, type Session, type Turn } from './state'

/** What vanished on its way is asked for again. */
const OPENING_MS = 30_000

export type Phase = 'loading' | 'shown' | 'gone' | 'failed'

/** What is true of the session as a whole, as of the last frame. */
export type Head = Readonly<Omit<Session, 'turns' | 'touched' | 'queue'>> & {
  readonly queue: readonly Turn[]
  readonly current: Turn | null
  readonly waiting: readonly (Approval | Question)[]
}

/** The first and the last page of those that are missing. */
export interface Gap {
  readonly from: number
  readonly to: number
}

export class LiveEntry implements Entry {
  readonly key: string
  readonly type: Item['type']
  readonly parent: string | null
  readonly call: string | null
  item = $state.raw() as Item // set at once

  constructor(key: string, item: Item) {
    this.key = key
    this.type = item.type
    this.parent = item.parent
    this.call = item.type === 'tool' ? item.call : null
    this.item = item
  }
}

class LiveTurn implements Shown {
  readonly id: string
  readonly number: number
  entries: readonly Entry[] = $state.raw([])

  constructor(id: string, number: number) {
    this.id = id
    this.number = number
  }
}

export class Conversation {
  readonly id: string
  #phase = $state<Phase>('loading')
  #error = $state('')
  #head = $state.raw<Head | null>(null)
  #turns = $state.raw<readonly Shown[]>([])
  #pages = $state.raw<ReadonlyMap<number, string>>(new Map())
  readonly #gaps = $derived(gapsIn(this.#pages))
  readonly #coming = new Map<number, Promise<void>>()
  #state: Session | null = null
  #transcript = newTranscript()
  #lineage = ''
  #fetching = false
  #strayed = 0
  readonly #loaded: () => void
  readonly #renamed: (id: string) => void

  /**
   * `loaded` is called whenever a new snapshot is there: its cursor is the one to follow from. `renamed` is called
   * instead if `id` is what another program called the session, with what it is called here.
   */
  constructor(id: string, loaded: () => void, renamed: (id: string) => void = () => undefined) {
    this.id = id
    this.#loaded = loaded
    this.#renamed = renamed
  }

  get phase(): Phase {
    return this.#phase
  }

  get error(): string {
    return this.#error
  }

  get head(): Head | null {
    return this.#head
  }

  get turns(): readonly Shown[] {
    return this.#turns
  }

  get seq(): number {
    return this.#state?.seq ?? 0
  }

  get lineage(): string {
    return this.#lineage
  }

  /** Whether there is more before what is shown. */
  get hasEarlier(): boolean {
    return this.#first > 1
  }

  /** Where pages between those that are here are missing: before which turn, and which. */
  get gaps(): ReadonlyMap<string, Gap> {
    return this.#gaps
  }

  get #first(): number {
    return this.#pages.size === 0 ? 1 : Math.min(...this.#pages.keys())
  }

  /** Load the snapshot. What was shown stays until it is there. */
  async load(): Promise<void> {
    if (this.#fetching) return
    this.#fetching = true
    if (this.#phase !== 'shown') this.#phase = 'loading'
    try {
      const snapshot = await openSession(this.id, AbortSignal.timeout(OPENING_MS))
      if (snapshot.id === this.id) this.#take(snapshot)
      else this.#renamed(snapshot.id)
    } catch (error) {
      if (error instanceof Refused && error.status === 404) this.#phase = 'gone'
      else if (error instanceof Refused && error.passes) throw error
      else if (error instanceof Refused || error instanceof Unreadable) this.#fail(error.message)
      else throw error
    } finally {
      this.#fetching = false
    }
  }

  async loadEarlier(): Promise<void> {
    if (this.hasEarlier) await this.loadPage(this.#first - 1)
  }

  /** Have this page among what is shown, wherever it lies. */
  async loadPage(number: number): Promise<void> {
    if (this.#pages.has(number)) return
    const coming = this.#coming.get(number) ?? this.#fetchPage(number).finally(() => this.#coming.delete(number))
    this.#coming.set(number, coming)
    await coming
  }

  /** Have this item among what is shown, without all that lies between. */
  loadItem(turn: string, k: number): Promise<void> {
    return this.#include(readPageWith(this.id, turn, k))
  }

  #fetchPage(number: number): Promise<void> {
    return this.#include(readPage(this.id, number))
  }

  async #include(asked: Promise<SettledPage>): Promise<void> {
    const transcript = this.#transcript
    const page = await asked
    if (this.#transcript !== transcript) return // another snapshot has come: who wants it asks again
    transcript.include(page.items)
    this.#pages = new Map(this.#pages).set(page.number, page.items[0]?.item.turn ?? '')
    this.#turns = transcript.turns
  }

  /** Fold what was sent after `after`. False if it does not join on to what is here: follow again from `seq`. */
  hear(after: number, value: unknown): boolean {
    const state = this.#state
    if (state === null) return true
    const record = readRecord(value)
    if (record.seq <= state.seq) return true
    if (after !== state.seq) {
      this.#strayed += 1
      if (this.#strayed > 1) void this.load()
      return false
    }
    this.#strayed = 0
    this.#fold(state, record)
    return true
  }

  gone(): void {
    this.#phase = 'gone'
  }

  /** Draw what was heard since the last time. */
  draw(): void {
    if (this.#state === null || this.#state.seq === this.#head?.seq) return
    this.#transcript.update(this.#state)
    this.#turns = this.#transcript.turns
    this.#head = headOf(this.#state)
  }

  #fold(state: Session, record: LogRecord): void {
    if (needsMore(state, record)) {
      void this.load() // it reaches back to what has been settled
      return
    }
    const turn = misses(state, record)
    if (turn !== undefined && record.event.kind === 'tool.changed') {
      const call = this.#transcript.call(turn.id, record.event.call)
      if (call !== undefined) changeTool(state, turn, call, record, record.event)
    }
    const before = state.turns.size
    apply(state, record)
    if (record.event.kind === 'history.truncated' && state.turns.size < before) void this.load()
  }

  #take(snapshot: Snapshot): void {
    this.#state = load(snapshot.session)
    this.#lineage = snapshot.lineage
    this.#transcript = newTranscript()
    this.#transcript.include(snapshot.page.items)
    this.#transcript.grow(this.#state)
    this.#pages = new Map([[snapshot.page.number, snapshot.page.items[0]?.item.turn ?? '']])
    this.#phase = 'shown'
    this.#strayed = 0
    this.#head = null
    this.draw()
    this.#loaded()
  }

  #fail(sentence: string): void {
    this.#phase = 'failed'
    this.#error = sentence
  }
}

/** Before the first turn of which page others are missing, apart from those before all. */
function gapsIn(pages: ReadonlyMap<number, string>): ReadonlyMap<string, Gap> {
  const there = [...pages.keys()].sort((a, b) => a - b)
  const gaps = new Map<string, Gap>()
  there.forEach((page, i) => {
    const before = there[i - 1]
    if (before !== undefined && before < page - 1) gaps.set(pages.get(page) ?? '', { from: before + 1, to: page - 1 })
  })
  return gaps
}

function newTranscript(): Transcript {
  return new Transcript(
    (key, item) => new LiveEntry(key, item),
    (id, number) => new LiveTurn(id, number),
  )
}

function headOf(state: Session): Head {
  const { turns, touched: _, queue, ...rest } = state
  const found = queue.map((id) => turns.get(id)).filter((turn) => turn !== undefined)
  return {
    ...rest,
    queue: found.map((turn) => ({ ...turn })),
    current: state.running === null ? null : { ...(turns.get(state.running) as Turn) },
    waiting: openAsks(state).map((ask) => ({ ...ask })),
  }
}
