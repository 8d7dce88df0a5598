import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { words } from '../words'
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
      const given = new Promise<Response>((_, reject) => init.signal?.addEventListener('abort', () => reject(new TypeError('aborted'))))
      return Promise.race([given, answer()])
    })
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  function begin() {
    const begun = now
    return () => now - begun
  }

  async function pass(seconds: number) {
    for (let i = 0; i < seconds; i += 1) {
      now += 1_000
      await vi.advanceTimersByTimeAsync(1_000)
    }
  }

  test('is sent again, the same, until it is heard', async () => {
    const asks = new Asks(begin)
    answer = () => Promise.reject(new TypeError('network'))
    void asks.answer('s', 'a', { choice: 'deny' })
    await pass(90)
    expect(asks.sending('a')?.state).toBe('sending')
    answer = () => Promise.resolve(Response.json({ session: 's', ask: 'a', seq: 9 }))
    await pass(2)
    expect(asks.sending('a')?.state).toBe('sent')
    expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(1)
  })

  test('gives up after a minute if it allows something, and says that nothing ran only if nothing went out', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Linux', onLine: false })
    const asks = new Asks(begin)
    answer = () => Promise.reject(new TypeError('network'))
    void asks.answer('s', 'a', { choice: 'once' })
    await pass(59)
    expect(asks.sending('a')?.state).toBe('sending')
    await pass(2)
    expect(asks.sending('a')).toMatchObject({ state: 'unsent', error: 'Not sent. Nothing ran.' })
    const sent = calls.length
    await pass(10)
    expect(calls.length).toBe(sent)
  })

  test('that may have been heard is not said to have done nothing', async () => {
    const asks = new Asks(begin)
    answer = () => Promise.reject(new TypeError('network'))
    void asks.answer('s', 'a', { choice: 'once' })
    await pass(62)
    expect(asks.sending('a')).toMatchObject({ state: 'unsent', error: expect.stringMatching('^Not confirmed') as string })
  })

  test('allows nothing after a sleep, however little the steady clock has counted', async () => {
    vi.setSystemTime(0)
    vi.spyOn(performance, 'now').mockReturnValue(1_000)
    const asks = new Asks()
    answer = () => Promise.reject(new TypeError('network'))
    void asks.answer('s', 'a', { choice: 'once' })
    await vi.advanceTimersByTimeAsync(100)
    vi.setSystemTime(3_600_000)
    calls = []
    await vi.advanceTimersByTimeAsync(2_000)
    expect(asks.sending('a')?.state).toBe('unsent')
    expect(calls).toEqual([])
    vi.restoreAllMocks()
  })

  test('has its last try cut off when the minute is over', async () => {
    const asks = new Asks(begin)
    answer = () => new Promise(() => undefined)
    void asks.answer('s', 'a', { choice: 'once' })
    await pass(61)
    expect(asks.sending('a')?.state).toBe('unsent')
  })

  test('is not sent a second time while the first is on its way', async () => {
    const asks = new Asks(begin)
    answer = () => new Promise(() => undefined)
    void asks.answer('s', 'a', { choice: 'once' })
    void asks.answer('s', 'a', { choice: 'deny' })
    await pass(1)
    expect(calls.map((call) => call.body)).toEqual([{ choice: 'once' }])
  })

  test('says so if something came first', async () => {
    const asks = new Asks(begin)
    answer = () => Promise.resolve(Response.json({ error: 'It was denied.', code: 'Overruled' }, { status: 409 }))
    void asks.answer('s', 'a', { choice: 'once' })
    await pass(1)
    expect(asks.sending('a')).toMatchObject({ state: 'refused', error: 'It was denied.' })
  })

  test('hears a sentence of the server also where a proxy might have said the same number', async () => {
    const asks = new Asks(begin)
    const error = words.api.refused.NotHandedOver
    answer = () => Promise.resolve(Response.json({ error, code: 'NotHandedOver' }, { status: 503 }))
    void asks.answer('s', 'a', { text: 'a secret' })
    await pass(5)
    expect(asks.sending('a')).toMatchObject({ state: 'refused', error })
    expect(calls).toHaveLength(1)
    answer = () => Promise.resolve(new Response('<html>Bad gateway</html>', { status: 503 }))
    void asks.answer('s', 'b', { text: 'words' })
    await pass(5)
    expect(asks.sending('b')?.state).toBe('sending')
  })
})
