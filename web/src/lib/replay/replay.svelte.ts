// A turn that is played again: where it is, how fast it goes, and how much of it has been loaded.

import { readOutline, readRecords, type Outline } from '../api/replay'
import { Unreadable } from '../api/read'
import { Refused, Unreached } from '../api/client'
import { words } from '../words'
import { hold } from '../session/moment.svelte'
import type { UserMessage } from '../session/state'
import { asksOf, begun, type Asked } from './begun'
import { Stage } from './stage.svelte'
import { Tape } from './tape'
import { following, Timeline } from './timeline'

export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const
/** Records that are shown with, and those that are loaded before they are needed. */
const FIRST = 500
const AHEAD = 2_000
/** What is loaded on the way to a moment is shown so often. */
const GLIMPSE_MS = 250
/** So long after a jump whoever pulls the line is taken to look. */
const REST_MS = 160
/** Whoever wants no motion sees it go on in steps. */
const CALM_MS = 500

export class Replay {
  readonly stage: Stage
  readonly #session: string
  readonly #turn: string
  #outline: Outline | null = null
  #tape: Tape | null = null
  #timeline = $state.raw<Timeline | null>(null)
  #asks = $state.raw<readonly Asked[]>([])
  #failures = $state.raw<readonly number[]>([])
  #message = $state.raw<UserMessage | null>(null)
  #whole = $state(true)
  #at = $state(1)
  #loaded = $state(0)
  #playing = $state(false)
  #error = $state('')
  #gone = $state(false)
  #hurried = $state(false)
  speed = $state<number>(1)
  #place = 0
  #loading = false
  #frame = 0
  #rest = 0
  #open = true

  constructor(session: string, turn: string) {
    this.#session = session
    this.#turn = turn
    this.stage = new Stage(turn)
  }

  get timeline(): Timeline | null {
    return this.#timeline
  }

  get asks(): readonly Asked[] {
    return this.#asks
  }

  /** Which records told of a failure; they count from 1. */
  get failures(): readonly number[] {
    return this.#failures
  }

  /** What the turn answers. */
  get message(): UserMessage | null {
    return this.#message
  }

  /** False if the turn is longer than what can be played. */
  get whole(): boolean {
    return this.#whole
  }

  /** How many of its records have been written at the moment; one at least. */
  get at(): number {
    return this.#at
  }

  /** Whether the moment is not there yet. */
  get waits(): boolean {
    return this.#loaded > 0 && this.#loaded < this.#at
  }

  /** Whether it goes from one moment to another far away, as a line that is pulled does: nobody reads all of it then. */
  get hurried(): boolean {
    return this.#hurried
  }

  get playing(): boolean {
    return this.#playing
  }

  get error(): string {
    return this.#error
  }

  /** Whether there is no such turn. */
  get gone(): boolean {
    return this.#gone
  }

  async load(): Promise<void> {
    this.#error = ''
    try {
      const outline = await readOutline(this.#session, this.#turn)
      this.#outline = outline
      const session = begun(outline)
      this.#message = session.turns.get(this.#turn)?.message ?? null
      this.#tape = new Tape(session)
      this.#timeline = new Timeline(outline.times)
      this.#asks = asksOf(outline, this.#turn)
      this.#failures = outline.failures.map((seq) => seq - outline.first + 1)
      this.#whole = outline.whole
      await this.#reach(FIRST)
    } catch (refused) {
      this.#fail(refused)
    }
  }

  go(k: number): void {
    const timeline = this.#timeline
    if (timeline === null) return
    this.#at = Math.min(Math.max(Math.round(k), 1), timeline.length)
    this.#place = timeline.place(this.#at)
    if (this.#at === timeline.length) this.#playing = false
    this.#draw()
  }

  /** To a place on the time line. */
  goTo(place: number): void {
    if (this.#timeline !== null) this.go(this.#timeline.until(place))
  }

  /** To the next ask or failure in this direction; there it rests. */
  jump(direction: 1 | -1): void {
    const marks = [...this.#asks.map(({ at }) => at), ...this.#failures].sort((a, b) => a - b)
    const found = following(marks, this.#at, direction)
    this.pause()
    this.go(found ?? (direction > 0 ? Infinity : 1))
  }

  toggle(): void {
    if (this.#playing) this.pause()
    else this.play()
  }

  play(): void {
    if (this.#timeline === null) return
    if (this.#at >= this.#timeline.length) this.go(1)
    this.#playing = this.#timeline.length > 1
    let before = performance.now()
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches ? CALM_MS : 0
    const step = (time: number) => {
      if (!this.#playing || !this.#open) return
      if (time - before >= calm) {
        if (!this.waits) this.#advance((time - before) * this.speed)
        before = time
      }
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  }

  pause(): void {
    this.#playing = false
  }

  close(): void {
    this.#open = false
    cancelAnimationFrame(this.#frame)
    hold(null)
  }

  #advance(ms: number): void {
    const timeline = this.#timeline
    if (timeline === null) return
    const place = this.#place + ms
    const at = timeline.until(place)
    if (at !== this.#at) this.go(at)
    this.#place = place
    if (place >= timeline.span) this.#playing = false
  }

  /** Once per frame, however often it moves. */
  #draw(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => {
      this.#show()
      void this.#reach(this.#at + AHEAD).catch((refused: unknown) => this.#fail(refused))
    })
  }

  #show(): void {
    const [tape, timeline] = [this.#tape, this.#timeline]
    if (tape === null || timeline === null || !this.#open) return
    const k = Math.min(this.#at, tape.length)
    const { state, moved } = tape.seek(k)
    if (!moved) this.#hurry()
    hold(timeline.times[k - 1] ?? null)
    this.stage.show(state, moved)
  }

  #hurry(): void {
    this.#hurried = true
    clearTimeout(this.#rest)
    this.#rest = window.setTimeout(() => (this.#hurried = false), REST_MS)
  }

  /** Load until so many records are here. What is wanted meanwhile is loaded by the one that loads. */
  async #reach(wanted: number): Promise<void> {
    const [tape, outline] = [this.#tape, this.#outline]
    if (tape === null || outline === null || this.#loading) return
    this.#loading = true
    try {
      let until = wanted
      let drawn = 0
      while (this.#open && tape.length < Math.min(until, outline.times.length)) {
        const rest = Math.min(outline.times.length - tape.length, tape.length === 0 ? FIRST : AHEAD)
        const records = await readRecords(this.#session, outline.first + tape.length - 1, rest)
        if (records.length === 0) throw new Unreadable(words.replay.shorter)
        const behind = tape.length < this.#at
        tape.append(records)
        this.#loaded = tape.length
        if (behind && (tape.length >= this.#at || performance.now() - drawn > GLIMPSE_MS)) {
          this.#show()
          drawn = performance.now()
        }
        until = Math.max(until, this.#at)
      }
    } finally {
      this.#loading = false
    }
  }

  #fail(refused: unknown): void {
    this.#playing = false
    this.#gone = refused instanceof Refused && refused.status === 404
    if (!(refused instanceof Refused || refused instanceof Unreached || refused instanceof Unreadable)) throw refused
    this.#error = refused.message
  }
}
