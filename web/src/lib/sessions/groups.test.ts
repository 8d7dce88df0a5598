import { expect, test } from 'vitest'
import { Reader } from '../api/read'
import { SHAPES, type SessionRow } from '../api/shapes.gen'
import { grouped, still } from './groups'
import { marked } from './search.svelte'
import { statusOf } from './status'

const NOON = new Date(2026, 4, 20, 12).getTime()
const HOUR = 3_600_000
const reader = new Reader<{ SessionRow: SessionRow }>(SHAPES)

function row(id: string, fields: Partial<SessionRow> = {}): SessionRow {
  return reader.read('SessionRow', { id, change: 1, unseen: false, active_at: NOON - HOUR, ...fields })
}

function shown(rows: SessionRow[], open: string | null = null): Record<string, string[]> {
  return Object.fromEntries(grouped(rows, NOON, open).map(({ name, rows: found }) => [name, found.map(({ id }) => id)]))
}

test('a session has one light wherever it is listed', () => {
  expect(statusOf(row('a', { state: 'waiting', outcome: 'failed' }))).toBe('waiting')
  expect(statusOf(row('a', { outcome: 'interrupted', unseen: true }))).toBe('failed')
  expect(statusOf(row('a', { outcome: 'completed', unseen: true }))).toBe('unseen')
  expect(statusOf(row('a', { outcome: 'completed', unseen: true }), true)).toBe('idle')
  expect(statusOf(row('a', { unseen: true }))).toBe('idle') // nothing has ended in it yet
})

test('what waits comes first, then what runs, what is unseen, what is pinned, then days', () => {
  const rows = [
    row('old', { active_at: NOON - 40 * 24 * HOUR }),
    row('yesterday', { active_at: NOON - 20 * HOUR }),
    row('pinned', { pinned: true, active_at: NOON - 30 * HOUR }),
    row('today'),
    row('unseen', { unseen: true, outcome: 'completed' }),
    row('running', { state: 'running' }),
    row('waiting', { state: 'waiting' }),
  ]
  expect(Object.keys(shown(rows)).slice(0, 6)).toEqual([
    'Waits for you',
    'Running',
    'Finished, not yet seen',
    'Pinned',
    'Today',
    'Yesterday',
  ])
  expect(Object.values(shown(rows)).flat()).toEqual([
    'waiting',
    'running',
    'unseen',
    'pinned',
    'today',
    'yesterday',
    'old',
  ])
})

test('what has waited longest, and run longest, stands on top', () => {
  const rows = [
    row('new', { state: 'waiting', active_at: NOON - 1 }),
    row('old', { state: 'waiting', active_at: NOON - HOUR }),
    row('late', { state: 'running', turn_started: 9 }),
    row('early', { state: 'running', turn_started: 3 }),
  ]
  expect(shown(rows)).toEqual({ 'Waits for you': ['old', 'new'], Running: ['early', 'late'] })
})

test('the open session is not unseen, and what is archived is not listed', () => {
  const rows = [row('open', { unseen: true, outcome: 'completed' }), row('away', { archived: true })]
  expect(shown(rows, 'open')).toEqual({ Today: ['open'] })
})

test('hits are marked where they stand, whatever the characters before them', () => {
  expect(marked({ excerpt: '👍 the kelp grows', marks: [[6, 10]] })).toEqual([
    { text: '👍 the ', hit: false },
    { text: 'kelp', hit: true },
    { text: ' grows', hit: false },
  ])
})

test('groups that stand still keep their order, lose what is gone and tell what is new of each row', () => {
  const before = grouped([row('a'), row('b', { active_at: NOON - 2 * HOUR }), row('c', { state: 'running' })], NOON, null)
  const now = still(before, [row('b', { active_at: NOON, title: 'New' }), row('a'), row('d')])
  expect(now.map(({ rows }) => rows.map(({ id, title }) => [id, title]))).toEqual([[['a', ''], ['b', 'New']]])
})
