// Notifications: one for each ask in a browser, none for what is looked at.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SessionRow } from '../api/shapes.gen'
import { Notices } from './notices.svelte'

let asks: () => Promise<{ asks: object[] }>
vi.mock(import('../api/turns'), async (original) => ({ ...(await original()), listAsks: (() => asks()) as never }))

vi.mock('../push/leave.svelte', () => ({ leave: { standing: 'granted' } }))

let shown: string[] = []
let kept: Map<string, string>
let byWorker: string[] = []

beforeEach(() => {
  ;[shown, byWorker, kept] = [[], [], new Map()]
  asks = () => Promise.resolve({ asks: [{ ask: 'a1', type: 'approval', command: 'make', title: '' }] })
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  const showNotification = (_: string, { body }: { body: string }) => Promise.resolve(void byWorker.push(body))
  vi.stubGlobal('navigator', { serviceWorker: { ready: Promise.resolve({ showNotification, getNotifications: () => Promise.resolve([]) }) } })
  browser(true)
})

afterEach(() => vi.unstubAllGlobals())

/** One that lets a page show notifications, or leaves that to its worker. */
function browser(constructs: boolean): void {
  class Told {
    constructor(_: string, { body }: { body: string }) {
      if (!constructs) throw new TypeError('Illegal constructor')
      shown.push(body)
    }
    close(): void {}
  }
  vi.stubGlobal('Notification', Told)
}

const row = (change: number) => ({ id: 's', title: 'Far', state: 'waiting', change }) as SessionRow
const settle = () => new Promise((resolve) => setTimeout(resolve))
const away = { sessions: [], others: [], first: true }
const page = () => new Notices(() => undefined)

test('an ask is told once in a browser, over a reload and in every tab', async () => {
  for (const notices of [page(), page()]) {
    notices.update([row(1)], away, null)
    notices.update([row(2)], away, null)
    await settle()
  }
  expect(shown).toEqual(['make'])
})

test('what comes into view while it is asked about is not told', async () => {
  let answer: (value: { asks: object[] }) => void = () => undefined
  asks = () => new Promise((resolve) => (answer = resolve))
  const notices = page()
  notices.update([row(1)], away, null)
  notices.update([row(1)], { ...away, sessions: ['s'] }, null)
  answer({ asks: [{ ask: 'a1', type: 'approval', command: 'make', title: '' }] })
  await settle()
  expect(shown).toEqual([])
})

test('where only a worker may show one, it does', async () => {
  browser(false)
  page().update([row(1)], away, null)
  await settle()
  await settle()
  expect(byWorker).toEqual(['make'])
})
