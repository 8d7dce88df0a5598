// Web Push for this browser: what waits is told though no tab is open. The server says whether it is on.

import { beginPush, endPush, readPush } from '../api/push'
import type { PushState } from '../api/shapes.gen'
import { keep, kept } from '../ui/kept'
import { words } from '../words'
import { leave } from './leave.svelte'

export class Push {
  readonly possible = 'serviceWorker' in navigator && 'PushManager' in window
  #state = $state.raw<PushState | null>(null)

  get loaded(): boolean {
    return this.#state !== null
  }

  get on(): boolean {
    return this.#state?.on ?? false
  }

  get details(): boolean {
    return this.#state?.details ?? false
  }

  async load(): Promise<void> {
    const state = await readPush()
    const here = state.on && leave.standing === 'granted' && (await subscription()) !== null
    this.#take({ ...state, on: here })
  }

  /** Only from a press: a browser asks its person once. */
  async begin(details = false): Promise<void> {
    const { key } = this.#state ?? (await readPush())
    if ((await leave.ask()) !== 'granted') throw new Error(words.push.blocked)
    await give(await subscribed(key), details)
    this.#take({ key, on: true, details })
  }

  async end(): Promise<void> {
    await endPush()
    await (await subscription())?.unsubscribe()
    if (this.#state !== null) this.#take({ ...this.#state, on: false })
  }

  #take(state: PushState): void {
    this.#state = state
    keep('push', state.on ? { details: state.details } : null)
  }
}

/** Every sign-in has ended and this browser has a new one: what it was told before, it is told on. */
export async function goOn(): Promise<void> {
  const was = kept<{ details: boolean } | null>('push', null)
  const present = was === null ? null : await subscription()
  if (was !== null && present !== null) await give(present, was.details)
}

async function pushes(): Promise<PushManager> {
  if ((await navigator.serviceWorker.getRegistration()) === undefined) throw new Error(words.push.noWorker)
  return (await navigator.serviceWorker.ready).pushManager
}

async function subscription(): Promise<PushSubscription | null> {
  return (await pushes()).getSubscription()
}

async function subscribed(key: string): Promise<PushSubscription> {
  const pushManager = await pushes()
  const asked = { userVisibleOnly: true, applicationServerKey: key }
  try {
    return await pushManager.subscribe(asked)
  } catch (error) {
    // One of another home at this address: a browser keeps its key until it is ended.
    if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw unable(error)
    await (await pushManager.getSubscription())?.unsubscribe()
    return pushManager.subscribe(asked).catch((again) => Promise.reject(unable(again)))
  }
}

function unable(error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error)
  return new Error(words.push.silent(why))
}

async function give(subscription: PushSubscription, details: boolean): Promise<void> {
  const { endpoint, keys } = subscription.toJSON()
  await beginPush({ endpoint: endpoint ?? '', p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '', details })
}
