// A tab's way to the live connection of its browser: a shared worker; where there is none, the tab that holds a lock has
// the connection for all; where there are no locks either (plain http), every tab has its own.

import { base } from '../api/base'
import { newId } from '../api/ids'
import { stopwatch } from '../ui/stopwatch'
import { Exchange, type Tab } from './exchange'
import type { FromTab, FromWorker, ToTab, ToWorker } from './messages'

export interface Link {
  send(message: FromTab): void
}

type Receive = (message: ToTab) => void
type Aired =
  | { to: string; message: ToTab }
  | { from: string; message: FromTab }
  | { leads: string }

const WORLD = {
  fetch: (path: RequestInfo | URL, asked?: RequestInit) => fetch(`${base}${path}`, asked),
  stopwatch,
}

/** Its file is named by the digest of the build: tabs of two builds do not speak with each other. */
const BUILD = import.meta.url

/** Missing on plain http. */
const LOCKS = (navigator as { locks?: LockManager }).locks

/** `again` is called when the other side is new and knows nothing of this tab. */
export function link(receive: Receive, again: () => void): Link {
  if (typeof SharedWorker !== 'undefined') return shared(receive, again)
  if (LOCKS !== undefined && typeof BroadcastChannel !== 'undefined') return led(LOCKS, receive, again)
  return alone(receive)
}

/** How often a tab asks whether its worker lives: nobody is told when a browser ends one. */
const ALIVE_MS = 2_000

function shared(receive: Receive, again: () => void): Link {
  const lock = `holdfast-tab-${newId()}`
  let held = false
  let answered = true
  const connect = () => {
    const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), { type: 'module', name: `holdfast ${BUILD}` })
    worker.port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      answered = true
      if (data.type !== 'alive') receive(data)
    }
    if (held) worker.port.postMessage({ type: 'lock', name: lock } satisfies ToWorker)
    return worker.port
  }
  let port = connect()
  const send = (message: ToWorker) => port.postMessage(message)
  void LOCKS?.request(lock, () => {
    held = true
    send({ type: 'lock', name: lock }) // only now: the worker must not get it first
    return new Promise(() => undefined) // held for as long as the tab lives
  })
  setInterval(() => {
    if (!answered) {
      // If it lives after all, this is a second way to the same one, and the first is taken leave of.
      send({ type: 'bye' })
      port = connect()
      again()
    }
    answered = false
    send({ type: 'alive' })
  }, ALIVE_MS)
  return { send }
}

function alone(receive: Receive): Link {
  const exchange = new Exchange(WORLD)
  const tab = exchange.join(receive)
  return { send: (message) => exchange.take(tab, message) }
}

function led(locks: LockManager, receive: Receive, again: () => void): Link {
  const me = newId()
  const air = new BroadcastChannel(`holdfast-live ${BUILD}`)
  let leads: ((message: FromTab, from: string) => void) | null = null
  air.onmessage = ({ data }: MessageEvent<Aired>) => {
    if ('leads' in data) again()
    else if ('to' in data && data.to === me) receive(data.message)
    else if ('from' in data) leads?.(data.message, data.from)
  }
  void locks.request(`holdfast-live ${BUILD}`, () => {
    const exchange = new Exchange(WORLD)
    const tabs = new Map<string, Tab>()
    leads = (message, from) => {
      const send = from === me ? receive : (said: ToTab) => air.postMessage({ to: from, message: said } satisfies Aired)
      const tab = tabs.get(from) ?? exchange.join(send)
      tabs.set(from, tab)
      exchange.take(tab, message)
    }
    air.postMessage({ leads: me } satisfies Aired)
    again()
    return new Promise(() => undefined)
  })
  return {
    send: (message) => {
      if (leads !== null) leads(message, me)
      else air.postMessage({ from: me, message } satisfies Aired)
    },
  }
}
