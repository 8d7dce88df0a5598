// The list as it is read: what waits for you, what runs, what finished unseen, what is pinned, then by date.

import type { SessionRow } from '../api/shapes.gen'

export interface Group {
  name: string
  rows: readonly SessionRow[]
}

export const WAITS = 'Waits for you'
export const RUNNING = 'Running'
export const UNSEEN = 'Finished, not yet seen'
const DAY_MS = 24 * 60 * 60 * 1_000

/** Rows in their groups, none empty. `open` is the session before the reader's eyes: it is not unseen. */
export function grouped(rows: readonly SessionRow[], now: number, open: string | null): Group[] {
  const groups = new Map<string, SessionRow[]>()
  for (const name of [WAITS, RUNNING, UNSEEN, 'Pinned']) groups.set(name, [])
  const listed = rows.filter((row) => !row.archived)
  for (const row of listed.sort((a, b) => b.active_at - a.active_at)) {
    const name = groupOf(row, now, open)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [row])
    else group.push(row)
  }
  // What has waited longest comes first; so does what has run longest.
  groups.get(WAITS)?.reverse()
  groups.get(RUNNING)?.sort((a, b) => a.turn_started - b.turn_started)
  return [...groups].map(([name, found]) => ({ name, rows: found })).filter((group) => group.rows.length > 0)
}

/** What waits for an answer, longest first. */
export function waits(rows: readonly SessionRow[]): SessionRow[] {
  return rows.filter((row) => row.state === 'waiting' && !row.archived).sort((a, b) => a.active_at - b.active_at)
}

function groupOf(row: SessionRow, now: number, open: string | null): string {
  if (row.state === 'waiting') return WAITS
  if (row.state !== 'idle') return RUNNING
  if (row.unseen && row.outcome !== null && row.id !== open) return UNSEEN
  return row.pinned ? 'Pinned' : dateName(row.active_at, now)
}

export function dateName(time: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  if (time >= today) return 'Today'
  if (time >= today - DAY_MS) return 'Yesterday'
  if (time >= today - 6 * DAY_MS) return 'This week'
  const date = new Date(time)
  const month = date.toLocaleString(undefined, { month: 'long' })
  return date.getFullYear() === new Date(now).getFullYear() ? month : `${month} ${date.getFullYear()}`
}

const STRETCH = 50

/** A group, cut into pieces that are drawn or left out as a whole. */
export function stretches(rows: readonly SessionRow[]): (readonly SessionRow[])[] {
  const count = Math.ceil(rows.length / STRETCH)
  return Array.from({ length: count }, (_, i) => rows.slice(i * STRETCH, (i + 1) * STRETCH))
}
