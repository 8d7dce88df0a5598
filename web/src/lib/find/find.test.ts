import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Found } from '../api/shapes.gen'
import { Find, type Seek } from './find.svelte'
import { asRead } from './marks'

const hit = (number: number, count = 1): Found => ({ turn: `t${number}`, k: 1, number, page: 1, count })
const newest = () => undefined

/** A session in stretches, newest first, as the server would tell it. */
function seeking(stretches: () => number[][]): Seek {
  return async (_session, _q, cursor) => {
    const all = stretches()
    const at = cursor === null ? 0 : all.findIndex((stretch) => Math.max(...stretch) < Number(cursor.split('.')[0]))
    const found = (all[at] ?? []).map((number) => hit(number))
    return { found, cursor: at + 1 < all.length ? `${found.at(-1)?.number}.0.0` : null }
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

async function looked(find: Find, text: string): Promise<void> {
  find.text = text
  await vi.advanceTimersByTimeAsync(1_000)
}

test('stretches join into reading order, and the reader begins at the newest', async () => {
  const find = new Find('s', newest, seeking(() => [[9, 7], [5], [3, 1]]))
  await looked(find, 'kelp')
  expect(find.hits.map(({ number }) => number)).toEqual([1, 3, 5, 7, 9])
  expect([find.phase, find.at]).toEqual(['found', 4])
  find.step(1)
  expect(find.at).toBe(0)
  find.step(-1)
  expect(find.at).toBe(4)
})

test('what is new is found, what is gone is not, and the reader stays where he is', async () => {
  let stretches = [[9, 7], [5]]
  const find = new Find('s', newest, seeking(() => stretches))
  await looked(find, 'kelp')
  find.step(-1)
  expect(find.now?.number).toBe(7)
  stretches = [[11, 7], [5]]
  await find.renew()
  expect(find.hits.map(({ number }) => number)).toEqual([5, 7, 11])
  expect(find.at).toBe(1)
})

test('a message that holds it more than once is as many places', async () => {
  const find = new Find('s', newest, async () => ({ found: [hit(5, 2), hit(3), hit(1, 3)], cursor: null }))
  await looked(find, 'kelp')
  expect([find.at, find.all, find.nth]).toEqual([5, 6, 1])
  find.step(1)
  expect([find.now?.number, find.at, find.nth]).toEqual([1, 0, 0])
  find.step(1)
  find.step(1)
  find.step(1)
  expect([find.now?.number, find.at]).toEqual([3, 3])
  find.step(-1)
  expect([find.now?.number, find.at, find.nth]).toEqual([1, 2, 2])
  find.counted(hit(1), 2) // one of them was behind a link
  expect([find.at, find.all]).toEqual([1, 5])
})

test('the parts of a long text are one message', async () => {
  const stretches = [{ found: [hit(3, 2)], cursor: '3.1.4' }, { found: [hit(3, 1), hit(1)], cursor: null }]
  const find = new Find('s', newest, async (_session, _q, cursor) => stretches[cursor === null ? 0 : 1]!)
  await looked(find, 'kelp')
  expect([find.hits.map(({ count }) => count), find.all]).toEqual([[1, 3], 4])
})

test('only the last question counts, and an empty one asks nobody', async () => {
  const asked: string[] = []
  const find = new Find('s', newest, async (_session, q) => (asked.push(q), { found: [hit(1)], cursor: null }))
  find.text = 'k'
  find.text = 'ke'
  await looked(find, ' kelp ')
  expect(asked).toEqual(['kelp'])
  await looked(find, '  ')
  expect([find.phase, find.hits, find.now]).toEqual(['idle', [], null])
  expect(asked).toHaveLength(1)
})

test('a server that does not answer is said, and looking again helps', async () => {
  let fails = true
  const find = new Find('s', newest, async () => {
    if (fails) throw new Error('away')
    return { found: [], cursor: null }
  })
  await looked(find, 'kelp')
  expect(find.phase).toBe('failed')
  fails = false
  await looked(find, 'kelps')
  expect([find.phase, find.at]).toEqual(['found', -1])
})

test('words are compared as the server compares them', () => {
  expect(asRead('  Café\n *Straße*  `x_y` ')).toBe('cafe strasse x_y')
})
