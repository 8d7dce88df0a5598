// The list as it is read: what waits for you, what runs, what finished unseen, what is pinned, then by date.

import type { SessionRow } from '../api/shapes.gen'
import { language, words } from '../words'

export interface Group {
  name: string
  /** Whether it says how many rows it has. */
  counted: boolean
  rows: readonly SessionRow[]
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** Rows in their groups, none empty. `open` is the session before the reader's eyes: it is not unseen. */
export function grouped(rows: readonly SessionRow[], now: number, open: string | null): Group[] {
  const { waits, running, unseen, pinned } = words.sessions.groups
  const groups = new Map<string, SessionRow[]>()
  for (const name of [waits, running, unseen, pinned]) groups.set(name, [])
  const listed = rows.filter((row) => !row.archived)
  for (const row of listed.sort((a, b) => b.active_at - a.active_at)) {
    const name = groupOf(row, now, open)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [row])
    else group.push(row)
  }
  // What has waited longest comes first; so does what has run longest.
  groups.get(waits)?.reverse()
  groups.get(running)?.sort((a, b) => a.turn_started - b.turn_started)
  const counted = (name: string) => name === waits || name === running
  const all = [...groups].map(([name, found]) => ({ name, counted: counted(name), rows: found }))
  return all.filter((group) => group.rows.length > 0)
}

/** The same groups in the same order, of rows as they are now. */
export function still(groups: readonly Group[], rows: readonly SessionRow[]): Group[] {
  const now = new Map(rows.map((row) => [row.id, row]))
  const there = groups.map((group) => ({ ...group, rows: group.rows.flatMap(({ id }) => now.get(id) ?? []) }))
  return there.filter((group) => group.rows.length > 0)
}

/** What waits for an answer, longest first. */
export function waits(rows: readonly SessionRow[]): SessionRow[] {
  return rows.filter((row) => row.state === 'waiting' && !row.archived).sort((a, b) => a.active_at - b.active_at)
}

function groupOf(row: SessionRow, now: number, open: string | null): string {
  const { waits, running, unseen, pinned } = words.sessions.groups
  if (row.state === 'waiting') return waits
  if (row.state !== 'idle') return running
  if (row.unseen && row.outcome !== null && row.id !== open) return unseen
  return row.pinned ? pinned : dateName(row.active_at, now)
}

export function dateName(time: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  if (time >= today) return words.sessions.groups.today
  if (time >= today - DAY_MS) return words.sessions.groups.yesterday
  if (time >= today - 6 * DAY_MS) return words.sessions.groups.week
  const date = new Date(time)
  const thisYear = date.getFullYear() === new Date(now).getFullYear()
  return date.toLocaleString(language, thisYear ? { month: 'long' } : { month: 'long', year: 'numeric' })
}

const STRETCH = 50

/** A group, cut into pieces that are drawn or left out as a whole. */
export function stretches(rows: readonly SessionRow[]): (readonly SessionRow[])[] {
  const count = Math.ceil(rows.length / STRETCH)
  return Array.from({ length: count }, (_, i) => rows.slice(i * STRETCH, (i + 1) * STRETCH))
}
