// What a replay shows at a moment is what the reducer makes of everything up to it, wherever one comes from.

import { describe, expect, test } from 'vitest'
import { readRecord, type LogRecord } from '../session/records'
import { apply, newSession } from '../session/reduce'
import { asksOf, begun } from './begun'
import { copyOf } from './copy'
import { Tape } from './tape'
import { following, LONGEST_MS, Timeline } from './timeline'

const files = import.meta.glob<string>('../../../../tests/histories/*.jsonl', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const histories = Object.entries(files).map(([path, text]) => ({
  name: path.replace(/.*\/|\.jsonl$/g, ''),
  records: text
    .trim()
    .split('\n')
    .slice(1, -1)
    .map((line) => readRecord(JSON.parse(line))),
}))

test('there are enough histories', () => {
  expect(histories.length).toBeGreaterThanOrEqual(60)
})

describe.each(histories)('$name', ({ records }) => {
  const folded = (k: number) => {
    const session = newSession()
    for (const record of records.slice(0, k)) apply(session, record)
    return { ...session, touched: expect.anything() }
  }

  test.each([1, 2, 3, 7, 500])('is at every moment what it was, with a copy after every %i', (every) => {
    const tape = new Tape(newSession(), every)
    for (let first = 0; first < records.length; first += 3) tape.append(records.slice(first, first + 3))
    expect(tape.length).toBe(records.length)
    for (const k of journey(records.length)) expect(tape.seek(k).state, `after ${k}`).toEqual(folded(k))
  })

  test('and what is touched is all that is different, as long as it goes on', () => {
    const tape = new Tape(newSession(), 2)
    tape.append(records)
    const { state } = tape.seek(0)
    for (let k = 1; k <= records.length; k += 1) {
      const before = copyOf(state)
      state.touched.clear()
      const { state: after, moved } = tape.seek(k)
      expect(moved && after === state).toBe(true)
      for (const turn of after.turns.values())
        for (const item of turn.items.values()) {
          const was = before.turns.get(turn.id)?.items.get(item.k)
          if (!after.touched.has(item) && was !== undefined && 'notified_at' in was && 'notified_at' in item)
            expect({ ...item, notified_at: 0 }).toEqual({ ...was, notified_at: 0 }) // nothing that is shown
          else if (!after.touched.has(item)) expect(item).toEqual(was)
        }
    }
  })
})

test('a jump folds no more than lie between two copies', () => {
  const tape = new Tape(newSession(), 10)
  let read = 0
  const counted = (record: LogRecord): LogRecord => ({
    ...record,
    get event() {
      read += 1
      return record.event
    },
  })
  const records = Array.from({ length: 1_000 }, (_, i) =>
    counted(readRecord({ seq: i + 1, time: i, event: { kind: 'session.renamed', title: String(i) } })),
  )
  tape.append(records)
  for (const k of [999, 5, 704, 703, 1_000, 0]) {
    read = 0
    expect(tape.seek(k).state.seq).toBe(k)
    expect(read).toBeLessThanOrEqual(10)
  }
})

test('the asks of a turn are told by its outline alone, with who answered them from where', () => {
  const turn = 't1'
  const records = [
    { epoch: 3, event: { kind: 'turn.started', turn } },
    { epoch: 3, event: { kind: 'approval.requested', turn, ask: 'a1', command: 'rm -r build' } },
    { event: { kind: 'approval.answered', ask: 'a1', choice: 'once', by: 'person', client: 'iPhone' } },
    { event: { kind: 'approval.answered', ask: 'a1', choice: 'deny', by: 'person', client: 'Mac' } },
    { epoch: 3, event: { kind: 'approval.delivered', ask: 'a1' } },
  ].map((record, i) => readRecord({ seq: 11 + 2 * i, time: 1_000 + i, ...record }))
  const said = readRecord({ seq: 4, time: 900, event: { kind: 'turn.submitted', turn, text: 'Clean up.' } })
  const outline = { said, epoch: 3, first: 11, times: [1_000], decisive: records, failures: [], whole: true }
  expect(begun(outline).queue).toEqual([turn])
  expect(asksOf(outline, turn)).toMatchObject([
    { at: 3, ask: { command: 'rm -r build', state: 'delivered', choice: 'once', answered_from: 'iPhone' } },
  ])
})

describe('the time line', () => {
  const line = new Timeline([1_000_000, 100, 60_000, 0, -50, 300])

  test('is as long as it took, but for waits and a clock that was set back', () => {
    expect([1, 2, 3, 4, 5, 6].map((k) => line.place(k))).toEqual([0, 100, 2_100, 2_100, 2_100, 2_400])
    expect(line.span).toBe(2_400)
    expect(line.shortened).toBe(60_000 - LONGEST_MS)
    expect([1, 2, 3].map((k) => line.wait(k))).toEqual([0, 60_000, 0])
    expect(line.times[2]).toBe(1_060_100)
    expect(line.written(2)).toBe('0.1 s')
    expect(new Timeline([0, ...Array<number>(50).fill(1_500)]).written(42)).toBe('1:01')
  })

  test('every place has the records that were written by then, and every record is found at its own', () => {
    expect([-5, 0, 99, 100, 2_099, 2_100, 2_400, 9_999].map((place) => line.until(place))).toEqual([1, 1, 1, 2, 2, 5, 6, 6])
    for (let k = 1; k <= line.length; k += 1) expect(line.place(line.until(line.place(k)))).toBe(line.place(k))
  })

  test('has a length even where all was written down at once, or next to nothing was', () => {
    expect(new Timeline([5, 0, 0, 0]).span).toBe(120)
    expect(new Timeline([5]).span).toBe(0)
    expect(new Timeline([5]).until(10)).toBe(1)
    expect(new Timeline([]).until(10)).toBe(1)
  })

  test('marks are gone through in both directions', () => {
    expect(following([3, 8, 20], 3, 1)).toBe(8)
    expect(following([3, 8, 20], 8, -1)).toBe(3)
    expect(following([3, 8, 20], 20, 1)).toBeUndefined()
    expect(following([], 1, -1)).toBeUndefined()
  })
})

/** There and back, in steps of all sizes. */
function journey(length: number): number[] {
  const forward = Array.from({ length: length + 1 }, (_, k) => k)
  const across = forward.map((k) => (k * 7) % (length + 1))
  return [...forward, ...[...forward].reverse(), ...across, length, 0, length]
}
