// The live connection against a server that can be held, cut and refused.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { stopwatch } from '../ui/stopwatch'
import { Exchange, type Tab } from './exchange'
import type { Heard, ToTab, Wish } from './messages'

interface Call {
  url: URL
  signal: AbortSignal
  answer: (response: Response) => void
  fail: () => void
  say: (text: string) => void
  end: () => void
}

let calls: Call[] = []
let now = 0

const fetch_ = ((path: string, init: RequestInit) =>
  new Promise<Response>((resolve, reject) => {
    const pipe = new TransformStream<Uint8Array, Uint8Array>()
    const writer = pipe.writable.getWriter()
    const response = new Response(pipe.readable)
    const fail = () => {
      reject(new TypeError('network'))
      writer.abort().catch(() => undefined)
    }
    init.signal?.addEventListener('abort', fail)
    calls.push({
      url: new URL(path, 'http://here'),
      signal: init.signal as AbortSignal,
      answer: resolve,
      fail,
      say: (text) => {
        resolve(response)
        void writer.write(new TextEncoder().encode(text)).catch(() => undefined)
      },
      end: () => void writer.close().catch(() => undefined),
    })
  })) as typeof fetch

beforeEach(() => {
  vi.useFakeTimers()
  calls = []
  now = 0
})

afterEach(() => vi.useRealTimers())

async function pass(ms: number) {
  for (let left = ms; left > 0; left -= 100) {
    now += Math.min(left, 100)
    await vi.advanceTimersByTimeAsync(Math.min(left, 100))
  }
}

function begin() {
  const begun = now
  return () => now - begun
}

const settle = () => pass(1)
const READY = 'event: ready\ndata: {"lineage":"L"}\n\n'
const wish = (fields: Partial<Wish> = {}): Wish => ({
  token: 't',
  lineage: 'L',
  list: 5,
  session: 's1',
  after: 10,
  visible: true,
  ...fields,
})
const record = (session: string, seq: number) =>
  `id: ${session}:${seq}\nevent: record\ndata: {"seq":${seq},"time":1,"event":{"kind":"x"}}\n\n`

function house() {
  const exchange = new Exchange({ fetch: fetch_, stopwatch: begin })
  const join = () => {
    const told: ToTab[] = []
    const tab = exchange.join((message) => told.push(message))
    const heard = (): Heard[] => told.flatMap((message) => (message.type === 'heard' ? message.heard : []))
    const reach = () => told.findLast((message) => message.type === 'reach')?.reach
    return { tab, told, heard, reach }
  }
  return { exchange, join }
}

const streams = () => calls.filter((call) => call.url.pathname === '/api/stream')
const polls = () => calls.filter((call) => call.url.pathname !== '/api/stream')

describe('one tab', () => {
  test('hears from its cursor on, and the next connection goes on where the last one stopped', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish() })
    await settle()
    expect(streams()[0]?.url.search).toBe('?list=5&lineage=L&visible=true&follow=s1%3A10')
    streams()[0]?.say(READY + record('s1', 11) + record('s1', 14))
    await settle()
    expect(one.reach()).toBe('live')
    expect(one.heard()).toMatchObject([
      { session: 's1', after: 10, seq: 11 },
      { session: 's1', after: 11, seq: 14 },
    ])
    streams()[0]?.end()
    await pass(400)
    expect(streams()[1]?.url.searchParams.get('follow')).toBe('s1:14')
    exchange.close()
  })

  test('a frame may come in pieces', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish() })
    await settle()
    for (const letter of READY + record('s1', 11)) streams()[0]?.say(letter)
    await settle()
    expect(one.heard()).toMatchObject([{ seq: 11 }])
    exchange.close()
  })

  test('asks where no stream comes through, and returns to the stream', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish() })
    await pass(2_100)
    expect(streams()[0]?.signal.aborted).toBe(true)
    const records = polls().find((call) => call.url.pathname === '/api/sessions/s1/records')
    expect(records?.url.searchParams.get('after')).toBe('10')
    records?.answer(Response.json({ records: [{ seq: 11, time: 1, event: {} }], seq: 11, lineage: 'L', reset: false }))
    await settle()
    expect(one.reach()).toBe('polling')
    expect(one.heard()).toMatchObject([{ type: 'record', seq: 11 }])
    await pass(3_000)
    streams().at(-1)?.say(READY)
    await settle()
    expect(one.reach()).toBe('live')
    expect(streams().at(-1)?.url.searchParams.get('follow')).toBe('s1:11')
    expect(polls().every((call) => call.signal.aborted || call === records)).toBe(true)
    exchange.close()
  })

  test('is reopened after a minute of silence, and never while there are signs of life', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish() })
    await settle()
    streams()[0]?.say(READY)
    for (let i = 0; i < 40; i += 1) {
      await pass(5_000)
      streams()[0]?.say(': alive\n\n')
    }
    await settle()
    expect(streams()).toHaveLength(1)
    await pass(58_000)
    expect(streams()).toHaveLength(1)
    await pass(8_000)
    expect(streams().length).toBeGreaterThan(1)
    exchange.close()
  })

  test('a probe costs nothing while it is alive, and replaces it at once when it may be dead', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish() })
    await settle()
    streams()[0]?.say(READY)
    await pass(5_000)
    exchange.take(one.tab, { type: 'probe' })
    await settle()
    expect(streams()).toHaveLength(1)
    await pass(20_000)
    exchange.take(one.tab, { type: 'probe' })
    await settle()
    expect(streams()).toHaveLength(2)
    expect(polls()).toHaveLength(0)
    exchange.close()
  })

  test('a probe after the machine slept does not trust a stream that was alive before', async () => {
    vi.setSystemTime(0)
    const steady = vi.spyOn(performance, 'now').mockReturnValue(1_000) // it stands still in sleep
    const exchange = new Exchange({ fetch: fetch_, stopwatch })
    const tab = exchange.join(() => undefined)
    exchange.take(tab, { type: 'wish', wish: wish() })
    await settle()
    streams()[0]?.say(READY)
    await settle()
    vi.setSystemTime(3_600_000)
    exchange.take(tab, { type: 'probe' })
    await settle()
    expect(streams()).toHaveLength(2)
    steady.mockRestore()
    exchange.close()
  })

  test('a credential that is not taken is not tried again', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish() })
    await settle()
    streams()[0]?.answer(new Response('', { status: 401 }))
    await pass(10_000)
    expect(one.reach()).toBe('refused')
    expect(calls).toHaveLength(1)
    exchange.close()
  })

  test('is no longer asked with where no stream comes through', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish() })
    await pass(2_100)
    const asked = polls()
    expect(asked.length).toBeGreaterThan(1)
    for (const call of asked) call.answer(new Response('', { status: 401 }))
    await settle()
    expect(one.reach()).toBe('refused')
    await pass(10_000)
    expect(polls()).toEqual(asked)
    expect(one.reach()).toBe('refused')
    exchange.close()
  })

  test('is opened anew with another one, and a late refusal of the old one counts for nothing', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish({ token: 'old' }) })
    await settle()
    const old = streams()[0]
    exchange.take(one.tab, { type: 'wish', wish: wish({ token: 'new' }) })
    await settle()
    old?.answer(new Response('', { status: 401 }))
    await settle()
    expect(one.reach()).not.toBe('refused')
    exchange.close()
  })

  test('is refused by name: whoever comes with a newer one does not take it for his', async () => {
    const { exchange, join } = house()
    const one = join()
    exchange.take(one.tab, { type: 'wish', wish: wish({ token: 'old' }) })
    await settle()
    streams()[0]?.answer(new Response('', { status: 401 }))
    await settle()
    exchange.take(one.tab, { type: 'wish', wish: wish({ token: 'new' }) })
    await settle()
    const refused = one.told.filter((message) => message.type === 'reach' && message.reach === 'refused')
    expect(refused).not.toEqual([])
    for (const each of refused) expect(each).toHaveProperty('token', 'old')
    exchange.close()
  })
})

describe('several tabs', () => {
  async function open(exchange: Exchange, tab: Tab, fields: Partial<Wish>) {
    exchange.take(tab, { type: 'wish', wish: wish(fields) })
    await settle()
  }

  test('share one connection, which follows what all of them want from the earliest cursor', async () => {
    const { exchange, join } = house()
    const [one, two, three] = [join(), join(), join()]
    await open(exchange, one.tab, { session: 's1', after: 10 })
    streams()[0]?.say(READY + record('s1', 12))
    await settle()
    await open(exchange, two.tab, { session: 's2', after: 3 })
    await open(exchange, three.tab, { session: 's1', after: 11 })
    const open_ = streams().filter((call) => !call.signal.aborted)
    expect(open_).toHaveLength(1)
    expect(new Set(open_[0]?.url.searchParams.getAll('follow'))).toEqual(new Set(['s1:11', 's2:3']))
    open_[0]?.say(READY + record('s1', 12) + record('s2', 4))
    await settle()
    expect(two.heard()).toMatchObject([{ session: 's2', seq: 4 }])
    expect(three.heard()).toMatchObject([{ session: 's1', after: 11, seq: 12 }])
    exchange.close()
  })

  test('a tab that wants what is there already changes nothing', async () => {
    const { exchange, join } = house()
    const [one, two] = [join(), join()]
    await open(exchange, one.tab, { session: 's1', after: 10 })
    streams()[0]?.say(READY)
    await open(exchange, two.tab, { session: 's1', after: 10 })
    expect(streams()).toHaveLength(1)
    exchange.close()
  })

  test('what nobody wants any more is let go; with the last tab the connection ends', async () => {
    const { exchange, join } = house()
    const [one, two] = [join(), join()]
    await open(exchange, one.tab, { session: 's1' })
    await open(exchange, two.tab, { session: 's2' })
    exchange.take(two.tab, { type: 'bye' })
    await settle()
    const last = streams().at(-1)
    expect(last?.url.searchParams.getAll('follow')).toEqual(['s1:10'])
    exchange.take(one.tab, { type: 'bye' })
    await settle()
    expect(last?.signal.aborted).toBe(true)
    await pass(5_000)
    expect(streams().at(-1)).toBe(last)
    exchange.close()
  })

  test('no more than sixteen sessions are followed, those in view first', async () => {
    const { exchange, join } = house()
    for (let i = 0; i < 20; i += 1) {
      await open(exchange, join().tab, { session: `s${i}`, visible: i === 0 })
    }
    const follows = streams().at(-1)?.url.searchParams.getAll('follow') ?? []
    expect(follows).toHaveLength(16)
    expect(follows).toContain('s0:10')
    expect(follows).toContain('s19:10')
    exchange.close()
  })

  test('everybody knows which sessions are looked at', async () => {
    const { exchange, join } = house()
    const [one, two] = [join(), join()]
    await open(exchange, one.tab, { session: 's1', visible: true })
    await open(exchange, two.tab, { session: 's2', visible: false })
    const told = { type: 'watched', sessions: ['s1'], others: ['s1'], first: false }
    expect(two.told.findLast((message) => message.type === 'watched')).toEqual(told)
    exchange.close()
  })

  test('of every session one tab tells: the first that has it open, else the first of all', async () => {
    const { exchange, join } = house()
    const tabs = [join(), join(), join()]
    for (const [i, session] of ['s1', 's2', 's2'].entries()) {
      const { tab } = tabs[i] as (typeof tabs)[number]
      await open(exchange, tab, { session, visible: false })
    }
    const tells = (session: string) =>
      tabs.filter(({ tab, told }) => {
        const last = told.findLast((message) => message.type === 'watched')
        return last !== undefined && !last.others.includes(session) && (last.first || tab.wish?.session === session)
      })
    expect(tells('s1')).toEqual([tabs[0]])
    expect(tells('s2')).toEqual([tabs[1]])
    expect(tells('elsewhere')).toEqual([tabs[0]])
    exchange.close()
  })
})
