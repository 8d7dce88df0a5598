// The records of a turn, and what was true after any number of them.
//
// Law: `seek(k)` is the fold of the first k records. It folds at most `every` of them, however far it goes, because a
// copy of the session is kept after every so many.

import type { LogRecord } from '../session/records'
import { apply } from '../session/reduce'
import type { Session } from '../session/state'
import { copyOf } from './copy'

export const EVERY = 500

export class Tape {
  readonly #every: number
  readonly #records: LogRecord[] = []
  readonly #kept: Session[]
  /** After all records that there are; only copies of it are given away. */
  readonly #head: Session
  #state: Session
  #at = 0

  /** `begun` is what is true before the first record. */
  constructor(begun: Session, every = EVERY) {
    this.#every = every
    this.#head = copyOf(begun)
    this.#kept = [copyOf(begun)]
    this.#state = copyOf(begun)
  }

  get length(): number {
    return this.#records.length
  }

  append(records: readonly LogRecord[]): void {
    for (const record of records) {
      apply(this.#head, record)
      this.#records.push(record)
      if (this.#records.length % this.#every !== 0) continue
      this.#kept.push(copyOf(this.#head, this.#kept.at(-1)))
      this.#head.touched.clear()
    }
  }

  /**
   * What was true after the first k records, as far as they are here. It goes on changing with the next call. `moved` says
   * that it went on from the last one, and `touched` names what is different; else all of it may be.
   */
  seek(k: number): { state: Session; moved: boolean } {
    const wanted = Math.max(0, Math.min(k, this.#records.length))
    const nearest = Math.floor(wanted / this.#every)
    const moved = this.#at <= wanted && wanted - this.#at <= this.#every
    if (!moved) {
      this.#state = copyOf(this.#kept[nearest] as Session) // one is kept for every multiple up to the length
      this.#at = nearest * this.#every
    }
    for (; this.#at < wanted; this.#at += 1) apply(this.#state, this.#records[this.#at] as LogRecord)
    return { state: this.#state, moved }
  }
}
