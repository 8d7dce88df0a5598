// Signing in: the code leaves the address, the credential stays in the browser, and a link that was used says so.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storedToken } from '../api/account'
import { speak } from '../words'
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
  account.refuse(storedToken())
  expect(account.standing).toBe('refused')
  expect(localStorage.getItem('holdfast.token')).toBeNull()
})

test('who changes the password stays signed in, whatever is refused meanwhile', async () => {
  localStorage.setItem('holdfast.token', 'old')
  const account = new Account()
  account.watch()
  await vi.waitFor(() => expect(account.standing).toBe('in'))
  await account.renew(async () => {
    account.refuse('old')
    return { token: 'new' }
  })
  account.refuse('old')
  expect([account.standing, localStorage.getItem('holdfast.token')]).toEqual(['in', 'new'])
  account.refuse('new')
  expect([account.standing, localStorage.getItem('holdfast.token')]).toEqual(['refused', null])
})

test('a wrong password is told in the language of the page', async () => {
  await speak('de')
  answers = [Response.json({ error: 'This is not the password.', code: 'WrongPassword' }, { status: 403 })]
  expect(await new Account().enter('a guess')).toMatch(/^Das ist nicht das Passwort\./)
  await speak('en')
})

test('a password signs in, or it is said why not', async () => {
  answers = [Response.json({ error: 'Not this one.', code: 'Other' }, { status: 403 }), Response.json({ token: 'secret' })]
  const account = new Account()
  account.watch()
  expect(await account.enter('a guess')).toBe('Not this one.')
  expect(account.standing).toBe('out')
  expect(await account.enter('the word itself')).toBe('')
  expect([account.standing, localStorage.getItem('holdfast.token')]).toEqual(['in', 'secret'])
})
