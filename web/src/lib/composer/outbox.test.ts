// A message is recorded once, in the order of writing, whatever the network does; and it survives the page.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Refused } from '../api/client'
import { Outbox } from './outbox.svelte'

let opened: unknown
let page: () => Promise<never>
vi.mock(import('../api/sessions'), async (original) => ({
  ...(await original()),
  openSession: () => Promise.resolve(opened as never),
  readPageWith: () => page(),
}))

let calls: { path: string; body: Record<string, unknown> }[] = []
let answer: () => Promise<Response>
let kept: Map<string, string>

beforeEach(() => {
  vi.useFakeTimers()
  calls = []
  kept = new Map([['holdfast.token', 'token']])
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
    key: (place: number) => [...kept.keys()][place] ?? null,
    get length() {
      return kept.size
    },
  })
  vi.stubGlobal('navigator', { userAgent: 'Linux' })
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    calls.push({ path, body: JSON.parse(String(init.body ?? '{}')) as Record<string, unknown> })
    const given = new Promise<Response>((_, reject) => init.signal?.addEventListener('abort', () => reject(new TypeError('aborted'))))
    return Promise.race([given, answer()])
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const away = () => Promise.reject(new TypeError('network'))
const taken = () => Promise.resolve(Response.json({ session: 's', turn: 't', seq: 7, state: 'queued' }))
/** What lies in this browser, unsent. */
function left(): unknown[] {
  const names = [...kept.keys()].filter((name) => name.startsWith('holdfast.outbox'))
  return names.map((name) => (JSON.parse(kept.get(name) ?? '{}') as { text: unknown }).text)
}

/** A browser in which one of several has a lock; `close` ends whoever holds any. */
function withLocks(): () => void {
  const held = new Set<string>()
  const request = async (name: string, _: object, act: (lock: object | null) => unknown) => {
    if (held.has(name)) return act(null)
    held.add(name)
    await act({})
    held.delete(name)
  }
  vi.stubGlobal('navigator', { userAgent: 'Linux', locks: { request } })
  return () => held.clear()
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('it is sent again under the same id until it is heard', async () => {
  answer = away
  const outbox = new Outbox()
  outbox.send('s', { text: 'hello' })
  await pass(3_500)
  expect(outbox.of('s', 0)).toMatchObject([{ state: 'waiting', text: 'hello' }])
  answer = taken
  await pass(2_000)
  expect(new Set(calls.map(({ body }) => body.id)).size).toBe(1)
  expect(outbox.of('s', 6)).toMatchObject([{ state: 'sent' }])
  expect(outbox.of('s', 7)).toEqual([])
})

test('messages keep their order', async () => {
  answer = away
  const outbox = new Outbox()
  outbox.send('s', { text: 'first' })
  outbox.send('s', { text: 'second' })
  await pass(1_500)
  answer = taken
  await pass(3_000)
  const delivered = calls.slice(-2).map(({ body }) => body.text)
  expect(delivered).toEqual(['first', 'second'])
})

test('what was not heard is sent by the next page, under the same id', async () => {
  answer = away
  new Outbox().send('s', { text: 'hello' })
  await pass(100)
  const [first] = calls
  answer = taken
  const next = new Outbox()
  next.resume()
  await pass(100)
  expect(calls.at(-1)).toEqual(first)
  expect(left()).toEqual([])
})

test('what another tab writes loses nothing of this one, and each sends its own', async () => {
  withLocks()
  answer = away
  const [one, other] = [new Outbox(), new Outbox()]
  one.send('s', { text: 'typed here' })
  other.send('s', { text: 'typed there' })
  await pass(100)
  expect(left()).toEqual(['typed here', 'typed there'])
  answer = taken
  other.resume()
  calls = []
  await pass(3_000)
  expect(calls.map(({ body }) => body.text).sort()).toEqual(['typed here', 'typed there'])
  expect(left()).toEqual([])
})

test('what a closed tab left is sent by one that lives, once', async () => {
  const close = withLocks()
  answer = away
  new Outbox().send('s', { text: 'hello' })
  await pass(100)
  const others = [new Outbox(), new Outbox()]
  for (const other of others) other.resume()
  await pass(100)
  expect(others.flatMap((other) => other.of('s', 0))).toEqual([])
  vi.clearAllTimers()
  close()
  answer = taken
  calls = []
  for (const other of others) other.resume()
  await pass(3_000)
  expect(calls.map(({ body }) => body.text)).toEqual(['hello'])
  expect(left()).toEqual([])
})

test('a request that vanishes is given up, and the next one goes out under the same id', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const limit = new AbortController()
    setTimeout(() => limit.abort(), ms) // the engine's own timer is none of the test's
    return limit.signal
  })
  answer = () => new Promise(() => undefined)
  new Outbox().send('s', { text: 'hello' })
  await pass(25_000)
  answer = taken
  await pass(25_000)
  expect(calls.length).toBeGreaterThan(1)
  expect(new Set(calls.map(({ body }) => body.id)).size).toBe(1)
  expect(left()).toEqual([])
})

describe('words of a turn that waits, to be sent now', () => {
  const gone = () => Promise.resolve(Response.json({ error: 'There is no such turn.', code: 'NoSuchTurn' }, { status: 404 }))

  test('are kept here before the turn is taken back, and sent only after', async () => {
    answer = away
    const outbox = new Outbox()
    outbox.send('s', { text: 'hello', mode: 'interrupt', withdraws: 'old' })
    expect(left()).toEqual(['hello'])
    await pass(1_500)
    expect(new Set(calls.map(({ path }) => path))).toEqual(new Set(['/api/sessions/s/turns/old/withdraw']))
    answer = () => Promise.resolve(Response.json({ session: 's', turn: 't', seq: 7, state: 'queued' }))
    await pass(2_000)
    expect(calls.at(-1)?.path).toBe('/api/sessions/s/turns')
    expect(left()).toEqual([])
  })

  test('are sent if an earlier try to take it back was heard, and not if it has begun', async () => {
    const [begun, none] = [new Map([['old', {}]]), new Map()]
    for (const [turns, settled, sent] of [[none, false, true], [begun, false, false], [none, true, false]] as const) {
      opened = { session: { turns } }
      page = () => (settled ? Promise.resolve({} as never) : Promise.reject(new Refused(404, 'NoSuchTurn', 'It is not there.')))
      calls = []
      answer = () => (calls.at(-1)?.path.endsWith('/withdraw') ? gone() : taken())
      new Outbox().send('s', { text: 'hello', withdraws: 'old' })
      await pass(1_500)
      expect(calls.some(({ path }) => path === '/api/sessions/s/turns')).toBe(sent)
      expect(left()).toEqual([])
    }
  })
})

test('a refusal is said, and can be tried again or forgotten', async () => {
  answer = () => Promise.resolve(Response.json({ error: 'The disk is full.', code: 'Full' }, { status: 507 }))
  const outbox = new Outbox()
  const { id } = outbox.send('s', { text: 'hello' })
  await pass(100)
  expect(outbox.of('s', 0)).toMatchObject([{ state: 'refused', error: 'The disk is full.' }])
  answer = taken
  outbox.retry(id)
  await pass(100)
  expect(outbox.of('s', 0)).toMatchObject([{ state: 'sent', error: '' }])
  outbox.discard(id)
  expect(outbox.of('s', 0)).toEqual([])
})

test('what was sent is kept until the open session has its record, and no longer', async () => {
  answer = taken
  const outbox = new Outbox()
  outbox.send('s', { text: 'one' })
  outbox.send('other', { text: 'two' })
  await pass(100)
  outbox.recorded('s', 6)
  expect(outbox.of('s', 0)).toMatchObject([{ text: 'one' }])
  expect(outbox.of('other', 0)).toEqual([])
  outbox.recorded('s', 7)
  expect(outbox.of('s', 0)).toEqual([])
  answer = away
  outbox.send('s', { text: 'three' })
  await pass(100)
  outbox.recorded('s', 100)
  outbox.recorded(null, 0)
  expect(outbox.of('s', 0)).toMatchObject([{ text: 'three' }])
})

test('what could not look into the transcript says so, and nothing is said twice', async () => {
  opened = { session: { turns: new Map() } }
  page = () => Promise.reject(new Refused(500, '', 'It broke.'))
  answer = () => Promise.resolve(Response.json({ error: 'There is no such turn.', code: 'NoSuchTurn' }, { status: 404 }))
  const outbox = new Outbox()
  outbox.send('s', { text: 'hello', withdraws: 'old' })
  await pass(1_500)
  expect(calls.some(({ path }) => path === '/api/sessions/s/turns')).toBe(false)
  expect(outbox.of('s', 0)).toMatchObject([{ state: 'refused', text: 'hello' }])
})

test('the first message makes its session first, once', async () => {
  answer = () => Promise.resolve(Response.json({ id: 'new', created: true, session: 'new', turn: 't', seq: 1, state: 'queued' }))
  const made: string[] = []
  const outbox = new Outbox((session) => made.push(session))
  outbox.send('new', { text: 'hello', begin: { workspace: '/tmp' } })
  expect(outbox.begins('new')).toBe(true)
  await pass(100)
  expect(calls.map(({ path }) => path)).toEqual(['/api/sessions', '/api/sessions/new/turns'])
  expect(outbox.begins('new')).toBe(false)
  expect(made).toEqual(['new'])
})
