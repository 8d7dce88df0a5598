// Signing in: the code leaves the address, the credential stays in the browser, and a link that was used says so.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Account } from './account.svelte'

let answers: Response[] = []

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  vi.stubGlobal('location', { hash: '', pathname: '/', search: '' })
  vi.stubGlobal('history', { state: null, replaceState: () => (location.hash = '') })
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('removeEventListener', () => undefined)
  vi.stubGlobal('fetch', () => Promise.resolve(answers.shift()))
})

afterEach(() => vi.unstubAllGlobals())

test('a link signs in, and its code leaves the address', async () => {
  location.hash = '#code=once'
  answers = [Response.json({ token: 'secret' })]
  const account = new Account()
  account.watch()
  await vi.waitFor(() => expect(account.standing).toBe('in'))
  expect(location.hash).toBe('')
  expect(localStorage.getItem('holdfast.token')).toBe('secret')
})

test('a link that was used before says so', async () => {
  location.hash = '#code=twice'
  answers = [Response.json({ error: 'Used.', code: 'BadCode' }, { status: 403 })]
  const account = new Account()
  account.watch()
  await vi.waitFor(() => expect(account.standing).toBe('refused'))
})

test('a used link does not sign out who is signed in', async () => {
  localStorage.setItem('holdfast.token', 'secret')
  location.hash = '#code=twice'
  answers = [Response.json({ error: 'Used.', code: 'BadCode' }, { status: 403 })]
  const account = new Account()
  account.watch()
  await vi.waitFor(() => expect(account.standing).toBe('in'))
})

test('without a link and without a credential nobody is signed in', async () => {
  const account = new Account()
  account.watch()
  await vi.waitFor(() => expect(account.standing).toBe('out'))
})

test('a credential that is not taken is forgotten', () => {
  localStorage.setItem('holdfast.token', 'old')
  const account = new Account()
  account.refuse()
  expect(account.standing).toBe('refused')
  expect(localStorage.getItem('holdfast.token')).toBeNull()
})
