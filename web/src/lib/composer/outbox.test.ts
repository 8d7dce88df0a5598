// A message is recorded once, in the order of writing, whatever the network does; and it survives the page.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Outbox } from './outbox.svelte'

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
  })
  vi.stubGlobal('navigator', { userAgent: 'Linux' })
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    calls.push({ path, body: JSON.parse(String(init.body)) as Record<string, unknown> })
    return answer()
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const away = () => Promise.reject(new TypeError('network'))
const taken = () => Promise.resolve(Response.json({ session: 's', turn: 't', seq: 7, state: 'queued' }))
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
  expect(JSON.parse(kept.get('holdfast.outbox') ?? '[]')).toEqual([])
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
  expect(outbox.of('s', 0)).toMatchObject([{ state: 'sent' }])
  outbox.discard(id)
  expect(outbox.of('s', 0)).toEqual([])
})

test('the first message makes its session first, once', async () => {
  answer = () => Promise.resolve(Response.json({ id: 'new', created: true, session: 'new', turn: 't', seq: 1, state: 'queued' }))
  const outbox = new Outbox()
  outbox.send('new', { text: 'hello', begin: { workspace: '/tmp' } })
  expect(outbox.begins('new')).toBe(true)
  await pass(100)
  expect(calls.map(({ path }) => path)).toEqual(['/api/sessions', '/api/sessions/new/turns'])
  expect(outbox.begins('new')).toBe(false)
})
