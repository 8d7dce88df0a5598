// The time, once a second, for whoever shows how long something takes. It stands still while nobody looks.

import { createSubscriber } from 'svelte/reactivity'

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1_000)
  return () => clearInterval(timer)
})

/** Now, in milliseconds; what reads this is drawn again every second. */
export function now(): number {
  subscribe()
  return Date.now()
}
