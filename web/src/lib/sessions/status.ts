// What a session's light says, wherever it stands in a list.

import type { SessionRow } from '../api/shapes.gen'
import type { Status } from '../ui/Light.svelte'

/** `selected`: it is open, so whatever is new in it is seen. */
export function statusOf(row: SessionRow, selected = false): Status {
  if (row.state !== 'idle') return row.state
  if (row.outcome === 'failed' || row.outcome === 'interrupted') return 'failed'
  return isNew(row, selected) ? 'unseen' : 'idle'
}

/** Whether something has ended in it that nobody has seen. */
export function isNew(row: SessionRow, selected: boolean): boolean {
  return row.unseen && !selected && row.outcome !== null
}
