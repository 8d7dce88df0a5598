// The live connection of this browser, shared by all its tabs.

import { base } from '../api/base'
import { stopwatch } from '../ui/stopwatch'
import { Exchange } from './exchange'
import type { FromWorker, ToWorker } from './messages'

const scope = self as unknown as { onconnect: ((event: MessageEvent) => void) | null } // this file runs in a SharedWorker
const exchange = new Exchange({
  fetch: (path, asked) => fetch(`${base}${path}`, asked),
  stopwatch,
})

scope.onconnect = (event) => {
  const port = event.ports[0]
  if (port === undefined) return
  const send = (message: FromWorker) => port.postMessage(message)
  const tab = exchange.join(send)
  port.onmessage = (message: MessageEvent<ToWorker>) => {
    if (message.data.type === 'alive') return send({ type: 'alive' })
    if (message.data.type !== 'lock') return exchange.take(tab, message.data)
    // The tab holds this lock while it lives: who gets it knows that the tab is gone, however it went.
    void navigator.locks.request(message.data.name, () => exchange.leave(tab))
  }
}
