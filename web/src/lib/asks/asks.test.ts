import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Asks } from './asks.svelte'
import { Steady } from '../ui/steady'

describe('a press', () => {
  let now = 0
  let place = { x: 0, y: 0 }
  const steady = () => new Steady(() => place, () => now)

  beforeEach(() => {
    now = 0
    place = { x: 0, y: 0 }
  })

  test('is not meant within half a second of the appearance', () => {
    const card = steady()
    now = 499
    expect(card.meant).toBe(false)
    now = 500
    expect(card.meant).toBe(true)
  })

  test('is not meant within half a second of a move, seen or unseen', () => {
    const card = steady()
    now = 1_000
    place = { x: 0, y: 40 }
    expect(card.meant).toBe(false)
    now = 1_499
    expect(card.meant).toBe(false)
    now = 1_500
    expect(card.meant).toBe(true)
  })
})

describe('an answer that meets a dead network', () => {
  let calls: { path: string; body: unknown }[] = []
  let answer: () => Promise<Response> = () => Promise.reject(new TypeError('network'))
  let now = 0

  beforeEach(() => {
    vi.useFakeTimers()
    calls = []
    now = 0
    vi.stubGlobal('localStorage', { getItem: () => 'token' })
    vi.stubGlobal('navigator', { userAgent: 'Linux' })
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
      calls.push({ path, body: JSON.parse(String(init.body)) })
      return answer()
    })
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  async function pass(seconds: number) {
    for (let i = 0; i < seconds; i += 1) {
      now += 1_000
      await vi.advanceTimersByTimeAsync(1_000)
    }
  }

  test('is sent again, the same, until it is heard', async () => {
    const asks = new Asks(() => now)
    answer = () => Promise.reject(new TypeError('network'))
    asks.answer('s', 'a', { choice: 'deny' })
    await pass(90)
    expect(asks.sending('a')?.state).toBe('sending')
    answer = () => Promise.resolve(Response.json({ session: 's', ask: 'a', seq: 9 }))
    await pass(2)
    expect(asks.sending('a')?.state).toBe('sent')
    expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(1)
  })

  test('gives up after a minute if it allows something', async () => {
    const asks = new Asks(() => now)
    answer = () => Promise.reject(new TypeError('network'))
    asks.answer('s', 'a', { choice: 'once' })
    await pass(59)
    expect(asks.sending('a')?.state).toBe('sending')
    await pass(2)
    expect(asks.sending('a')).toMatchObject({ state: 'unsent', error: 'Not sent. Nothing ran.' })
    const sent = calls.length
    await pass(10)
    expect(calls.length).toBe(sent)
  })

  test('is not sent a second time while the first is on its way', async () => {
    const asks = new Asks(() => now)
    answer = () => new Promise(() => undefined)
    asks.answer('s', 'a', { choice: 'once' })
    asks.answer('s', 'a', { choice: 'deny' })
    await pass(1)
    expect(calls.map((call) => call.body)).toEqual([{ choice: 'once' }])
  })

  test('says so if something came first', async () => {
    const asks = new Asks(() => now)
    answer = () => Promise.resolve(Response.json({ error: 'It was denied.', code: 'Overruled' }, { status: 409 }))
    asks.answer('s', 'a', { choice: 'once' })
    await pass(1)
    expect(asks.sending('a')).toMatchObject({ state: 'refused', error: 'It was denied.' })
  })
})
