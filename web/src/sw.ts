// The page without its server, and its notifications without a tab.
//
// Law: what is shown is what the server sends, whenever it sends anything; what is kept serves only while it is away. So the
// page is never stale, and this worker need not hurry: a new one waits until no tab runs on the page that the one before
// keeps, and until then every part of that page is here, though the server may have another by now.

/// <reference lib="webworker" />

interface Push {
  kind: 'approval' | 'question' | 'ended' | 'over'
  /** How a run ended. */
  outcome?: string
  shown: { session: string; name: string }
  title: string
  body: string
}

/** The server begins this file with what its page is made of: another page is another worker. */
const worker = self as unknown as ServiceWorkerGlobalScope & { page: { digest: string; files: string[]; opens: string } }
const scope = worker.registration.scope
const kept = `holdfast ${scope} ${worker.page.digest}`
const spoken = `holdfast-words ${scope}`
const opens = new RegExp(`^(?:${worker.page.opens})$`)
const within = (address: string) => new URL(address).pathname.slice(new URL(scope).pathname.length - 1)

worker.addEventListener('install', (event) => {
  const keep = async () => (await caches.open(kept)).addAll([scope, ...worker.page.files])
  event.waitUntil(keep())
})

worker.addEventListener('activate', (event) => {
  const begin = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(`holdfast ${scope} `) && name !== kept)
    await Promise.all(old.map((name) => caches.delete(name)))
    await worker.clients.claim()
  }
  event.waitUntil(begin())
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET' || !request.url.startsWith(scope)) return
  if (request.mode === 'navigate' && opens.test(within(request.url))) event.respondWith(page(request))
  else if (worker.page.files.includes(new URL(request.url).pathname)) event.respondWith(file(request))
})

/** From the server; what a proxy says in its place counts as silence. */
async function page(request: Request): Promise<Response> {
  const stored = async () => (await caches.match(scope, { cacheName: kept })) ?? Response.error()
  try {
    const answer = await fetch(request)
    return answer.status < 502 ? answer : await stored()
  } catch {
    return stored()
  }
}

/** What carries its digest in its name never changes; anything else is asked for first. */
async function file(request: Request): Promise<Response> {
  const stored = await caches.match(request, { cacheName: kept })
  if (stored !== undefined && within(request.url).startsWith('/assets/')) return stored
  return fetch(request).catch(() => stored ?? Response.error())
}

/** The page says in what words people are told what happened, by its name: they stay for when no tab is open. */
worker.addEventListener('message', (event: ExtendableMessageEvent) => {
  const { told } = event.data as { told?: Record<string, string> }
  const keep = async () => (await caches.open(spoken)).put(scope, Response.json(told))
  if (told !== undefined) event.waitUntil(keep())
})

/** In the words of the page, else in those that came. */
async function said(name: string, came: string): Promise<string> {
  const told = (await (await caches.match(scope, { cacheName: spoken }))?.json()) as Record<string, string> | undefined
  return told?.[name] ?? came
}

worker.addEventListener('push', (event) => {
  if (event.data !== null) event.waitUntil(tell(event.data.json() as Push)) // sealed and signed by our own server
})

async function tell({ kind, outcome, shown, title, body }: Push): Promise<void> {
  const tag = `holdfast-${shown.name}`
  const look = { tag, icon: `${scope}icon-192.png`, data: shown }
  if (kind !== 'over') {
    const [what = '', ...about] = body.split('\n')
    return worker.registration.showNotification(title, { ...look, body: [await said(outcome || kind, what), ...about].join('\n') })
  }
  const open = await worker.registration.getNotifications({ tag })
  // Safari ends a subscription whose pushes show nothing.
  if (/AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent))
    return worker.registration.showNotification('Holdfast', { ...look, body: await said(kind, 'This needs you no more.'), silent: true })
  open.forEach((notice) => notice.close())
}

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(lead(event.notification.data as Push['shown']))
})

/** To the tab that has the session open, or any, or a new one. The card is for the page to show; nothing is answered here. */
async function lead(shown: Push['shown']): Promise<void> {
  const address = `${scope}session/${shown.session}`
  const all = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const tabs = all.filter((tab) => tab.frameType === 'top-level' && tab.url.startsWith(scope) && opens.test(within(tab.url)))
  const tab = tabs.find(({ url }) => url.split('#')[0] === address) ?? tabs[0]
  try {
    if (tab === undefined) throw new Error('no tab')
    ;(await tab.focus()).postMessage({ lead: shown })
  } catch {
    await worker.clients.openWindow(`${address}#ask=${shown.name}`)
  }
}
