// The time of what is shown of a session: now, or, in a replay, the moment that it shows.

import { now as clock } from '../ui/clock.svelte'

let held = $state<number | null>(null)

export function now(): number {
  return held ?? clock()
}

/** Stay at a moment; null: go with the clock. */
export function hold(time: number | null): void {
  held = time
}
