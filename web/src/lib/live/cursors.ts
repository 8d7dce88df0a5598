// How far the live connection has come: in the list, and in every session that it follows.

import type { Frame } from './sse'
import type { Heard } from './messages'

export class Cursors {
  list: number
  readonly follows: Map<string, number>

  constructor(list: number, follows: Map<string, number>) {
    this.list = list
    this.follows = new Map(follows)
  }

  /** What a frame says to the tabs; the cursors move along. */
  hear(frame: Frame): Heard | null {
    const data = JSON.parse(frame.data) as Record<string, unknown>
    switch (frame.event) {
      case 'session':
        return this.#row(data)
      case 'gone':
        return this.#gone(String(data.session), Number(data.change ?? 0))
      case 'reset':
        return { type: 'reset', session: data.session === null ? null : String(data.session) }
      case 'store':
        return { type: 'store', store: data }
      case 'places':
        return { type: 'places', places: data }
      default:
        return null
    }
  }

  record(session: string, record: unknown): Heard | null {
    const seq = (record as { seq?: unknown }).seq
    const after = this.follows.get(session)
    if (typeof seq !== 'number' || after === undefined) return null
    this.follows.set(session, seq)
    return { type: 'record', session, after, seq, record }
  }

  #row(row: Record<string, unknown>): Heard {
    this.list = Number(row.change)
    return { type: 'row', change: this.list, row }
  }

  #gone(session: string, change: number): Heard {
    if (change === 0) return { type: 'gone', session }
    this.list = change
    return { type: 'left', session, change }
  }
}
