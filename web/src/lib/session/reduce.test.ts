// The two reducers are twins: every history that the server's tests fold gives the same session here, and no history,
// however torn, makes this one throw.

import { describe, expect, test } from 'vitest'
import { Reader } from '../api/read'
import { SHAPES, type Session as Sent } from '../api/shapes.gen'
import { readRecord } from './records'
import { apply, newSession } from './reduce'
import { load, type Session } from './state'

const files = import.meta.glob<string>('../../../../tests/histories/*.jsonl', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const histories = Object.entries(files).map(([path, text]) => {
  const lines = text.trim().split('\n')
  return {
    name: path.replace(/.*\/|\.jsonl$/g, ''),
    lines: lines.slice(1, -1),
    session: (JSON.parse(lines.at(-1) ?? '') as { session: unknown }).session,
  }
})

test('there are enough histories', () => {
  expect(histories.length).toBeGreaterThanOrEqual(60)
})

describe.each(histories)('$name', ({ lines, session }) => {
  test('yields its session', () => {
    expect(replay(lines)).toEqual({ ...sent(session), touched: expect.anything() })
  })

  test('never throws, whatever is missing, doubled or out of order', () => {
    expect(() => replay([...lines].reverse())).not.toThrow()
    expect(() => replay(lines.flatMap((line) => [line, line]))).not.toThrow()
    lines.forEach((_, i) => expect(() => replay(lines.toSpliced(i, 1))).not.toThrow())
  })
})

test('names that objects have of their own are names like any other', () => {
  const event = (fields: object) => ({ turn: 'constructor', ...fields })
  const state = replay(
    [
      { epoch: 1, event: { kind: 'runner.started' } },
      { event: event({ kind: 'turn.submitted', text: 'Go.' }) },
      { epoch: 1, event: event({ kind: 'turn.started' }) },
      { epoch: 1, event: event({ kind: 'tool.changed', call: '__proto__', first: true, name: 'run' }) },
      { epoch: 1, event: event({ kind: 'tool.changed', call: '__proto__', appended: 'out' }) },
    ].map((record, i) => JSON.stringify({ seq: i + 1, time: i, ...record })),
  )
  expect(state.turns.get('constructor')?.items.get(1)).toMatchObject({ call: '__proto__', output: 'out' })
})

test('what changed is named once for every look', () => {
  const state = replay(histories.find(({ name }) => name === 'conversation')?.lines ?? [])
  expect(state.touched.size).toBeGreaterThan(0)
})

function replay(lines: string[]): Session {
  const state = newSession()
  for (const line of lines) apply(state, readRecord(JSON.parse(line)))
  return state
}

/** The last line as the page would load it; it says everything that has not its default. */
function sent(session: unknown): Session {
  return load(new Reader<{ Session: Sent }>(SHAPES).read('Session', session))
}
