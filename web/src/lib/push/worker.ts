// The service worker, as the page knows it: it keeps the page, shows what is pushed, and leads back here.

import { base } from '../api/base'
import { words } from '../words'

export interface Shown {
  session: string
  name: string
}

/** A first visit has better things to fetch: the worker keeps every part of the page, whether it is ever used or not. */
const FIRST_MS = 4_000

/** Only over https or on localhost is there any; without one the page works all the same. */
export function startWorker(): void {
  const start = async () => {
    if (navigator.serviceWorker?.controller === null) await new Promise((resolve) => setTimeout(resolve, FIRST_MS))
    if ((await navigator.serviceWorker?.register(`${base}/sw.js`).catch(() => undefined)) === undefined) return
    const { active } = await navigator.serviceWorker.ready
    active?.postMessage({ told: words.push.told })
  }
  if (!import.meta.env.PROD) return
  if (document.readyState === 'complete') void start()
  else addEventListener('load', start, { once: true })
}

/** Whenever a notification was pressed that the worker shows. */
export function whenLed(lead: (shown: Shown) => void): () => void {
  const hear = ({ data }: MessageEvent<{ lead?: Shown }>) => data.lead && lead(data.lead)
  navigator.serviceWorker?.addEventListener('message', hear)
  return () => navigator.serviceWorker?.removeEventListener('message', hear)
}

/** The ask that a notification has opened this page for. */
export function ledTo(hash: string): string | null {
  return /^#ask=([\w-]+)$/.exec(hash)?.[1] ?? null
}

/** Shown by the worker, under the tag that a push of the same has: what both tell is there once. */
export function showByWorker(title: string, options: NotificationOptions & { tag: string; data: Shown }): { close(): void } {
  const shown = navigator.serviceWorker?.ready.then(async (registration) => {
    await registration.showNotification(title, options)
    return registration
  })
  const close = async () => {
    for (const notice of (await (await shown)?.getNotifications({ tag: options.tag })) ?? []) notice.close()
  }
  return { close: () => void close() }
}
