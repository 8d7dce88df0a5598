// Where the records of a turn lie on its time line, in milliseconds of play: as far apart as they were written, but no
// wait is longer than a reader's patience.

import { duration, elapsed } from '../ui/words'

/** The longest wait of a replay. */
export const LONGEST_MS = 2_000
/** Between two records of a turn that was written down all at once. */
const APART_MS = 40
/** What is shorter is told in tenths of a second. */
const BRIEF_MS = 10_000

export class Timeline {
  /** When each record was written. */
  readonly times: readonly number[]
  readonly #places: readonly number[]
  /** How much time was cut from waits. */
  readonly shortened: number

  /** `steps` has the first time, then how much later each of the others is. */
  constructor(steps: readonly number[]) {
    const times: number[] = []
    const places: number[] = []
    const still = steps.slice(1).every((step) => step <= 0)
    let [time, place, cut] = [0, 0, 0]
    for (const [i, step] of steps.entries()) {
      time += step
      const apart = i === 0 ? 0 : still ? APART_MS : Math.max(0, step) // a clock may have been set back
      place += Math.min(apart, LONGEST_MS)
      cut += Math.max(0, apart - LONGEST_MS)
      times.push(time)
      places.push(place)
    }
    this.times = times
    this.#places = places
    this.shortened = cut
  }

  get length(): number {
    return this.#places.length
  }

  get span(): number {
    return this.#places.at(-1) ?? 0
  }

  /** Where the kth record lies; they count from 1. */
  place(k: number): number {
    return this.#places[Math.min(Math.max(k, 1), this.length) - 1] ?? 0
  }

  /** How far the kth record lies from the beginning, in words. */
  written(k: number): string {
    return this.span < BRIEF_MS ? duration(this.place(k)) : elapsed(this.place(k))
  }

  /** How many records have been written at this place: one at least. */
  until(place: number): number {
    let [low, high] = [1, Math.max(1, this.length)]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.place(middle) <= place) low = middle
      else high = middle - 1
    }
    return low
  }

  /** How long it took in truth until the record after the kth, if that is shortened; else 0. */
  wait(k: number): number {
    const [before, after] = [this.times[k - 1], this.times[k]]
    if (before === undefined || after === undefined) return 0
    return after - before > LONGEST_MS ? after - before : 0
  }
}

/** The next of some places in this direction, in order as they are; undefined if there is none. */
export function following(marks: readonly number[], from: number, direction: 1 | -1): number | undefined {
  return direction > 0 ? marks.find((mark) => mark > from) : marks.findLast((mark) => mark < from)
}
