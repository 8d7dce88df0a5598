// A record as it was sent: an event, its place in the log, its time. Reading one never fails for a kind or a field that
// a newer program wrote; such an event is `unknown` and has no effect.

import { isObject, Reader, Unreadable } from '../api/read'
import { SHAPES, type Late, type WireRecord } from '../api/shapes.gen'

export type KnownEvent = WireRecord['event']
export type Event = KnownEvent | { kind: 'unknown' }

export interface LogRecord {
  seq: number
  time: number
  epoch: number
  n: number
  late: Late | null
  event: Event
}

const KINDS: Readonly<Record<string, string>> = SHAPES.WireRecord.event.o
const UNKNOWN: Event = { kind: 'unknown' }
const reader = new Reader<Record<string, unknown>>({
  ...SHAPES,
  Envelope: {
    seq: 'i',
    time: 'i',
    epoch: SHAPES.WireRecord.epoch,
    n: SHAPES.WireRecord.n,
    late: SHAPES.WireRecord.late,
    event: '*',
  },
})

/** Throws `Unreadable` if this is no record at all. */
export function readRecord(value: unknown): LogRecord {
  const record = reader.read('Envelope', value) as LogRecord // the shape says so
  return { ...record, event: readEvent(record.event) }
}

export function readEvent(value: unknown): Event {
  if (!isObject(value) || typeof value.kind !== 'string') throw new Unreadable('This is no event.')
  const shape = Object.hasOwn(KINDS, value.kind) ? KINDS[value.kind] : undefined
  if (shape === undefined || (value['~'] ?? null) !== null) return UNKNOWN
  try {
    return reader.read(shape, value) as KnownEvent // the shape was chosen by the kind
  } catch (error) {
    if (error instanceof Unreadable) return UNKNOWN
    throw error
  }
}
