import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Account } from './account.svelte'

const kept = new Map<string, string>()
let answers: Record<string, () => Response>
let asked: [string, RequestInit | undefined][]
let changed: () => void

beforeEach(() => {
  vi.useFakeTimers()
  kept.clear()
  asked = []
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  vi.stubGlobal('addEventListener', (_name: string, listener: () => void) => void (changed = listener))
  vi.stubGlobal('removeEventListener', () => {})
  vi.stubGlobal('location', { hash: '', pathname: '/', search: '' })
  vi.stubGlobal('history', { state: null, replaceState: vi.fn(() => void (location.hash = '')) })
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    asked.push([path, init])
    return answers[path]?.() ?? new Response('', { status: 404 })
  })
  answers = {
    '/api/sign-in': () => Response.json({ token: 'secret' }),
    '/api/sessions': () => Response.json({ sessions: [{ id: 's1', title: 'One', state: 'idle' }] }),
  }
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function watched(): Promise<Account> {
  const account = new Account()
  const end = account.watch()
  await vi.advanceTimersByTimeAsync(0)
  end()
  return account
}

test('without a code and without a credential nothing is asked', async () => {
  const account = await watched()
  expect(account.standing).toBe('out')
  expect(asked).toEqual([])
})

test('a code is taken out of the address, exchanged, and shows the sessions', async () => {
  location.hash = '#code=abc'
  const account = await watched()
  expect(location.hash).toBe('')
  expect(asked[0]?.[1]?.body).toBe('{"code":"abc"}')
  expect(account.standing).toBe('in')
  expect(account.sessions.map((row) => row.title)).toEqual(['One'])
})

test('a link that is opened in a tab which is here already signs in too', async () => {
  const account = new Account()
  const end = account.watch()
  await vi.advanceTimersByTimeAsync(0)
  expect(account.standing).toBe('out')
  location.hash = '#code=abc'
  changed()
  await vi.advanceTimersByTimeAsync(0)
  expect(account.standing).toBe('in')
  end()
})

test('the credential is kept and goes out in a header', async () => {
  kept.set('holdfast.token', 'secret')
  const account = await watched()
  expect(account.standing).toBe('in')
  expect(asked.map(([path]) => path)).toEqual(['/api/sessions'])
  expect(asked[0]?.[1]?.headers).toEqual({ authorization: 'Bearer secret' })
})

test('a code that was used says so', async () => {
  location.hash = '#code=abc'
  answers['/api/sign-in'] = () => new Response('{}', { status: 403 })
  expect((await watched()).standing).toBe('refused')
})

test('a credential that is not taken any more is forgotten', async () => {
  kept.set('holdfast.token', 'old')
  answers['/api/sessions'] = () => new Response('{}', { status: 401 })
  expect((await watched()).standing).toBe('refused')
  expect(kept.size).toBe(0)
})

test('a server that does not answer changes nothing', async () => {
  kept.set('holdfast.token', 'secret')
  answers['/api/sessions'] = () => new Response('', { status: 503 })
  const account = await watched()
  expect(account.standing).toBe('out')
  expect(kept.get('holdfast.token')).toBe('secret')
})
