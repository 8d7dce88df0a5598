// What the palette offers, in words: sessions, what can be done here and now, and the sections of the settings.

import type { Hit, SessionRow } from '../api/shapes.gen'
import { exportSession, FORMATS } from '../api/transfer'
import { END } from '../session/state'
import { SECTIONS } from '../settings/sections'
import { SHORTCUTS, type Doings } from '../shortcuts'
import type { IconName } from '../ui/Icon.svelte'
import { theme, type Choice } from '../ui/theme.svelte'
import { shortTime } from '../ui/words'
import type { Workspace } from '../workspace.svelte'

export interface Entry {
  id: string
  words: string
  icon: IconName
  act: () => unknown
  /** Beside the words, quietly. */
  aside?: string
  keys?: string
  /** It needs more words: the palette stays for them. */
  stays?: boolean
}

const THEMES: readonly [Choice, string][] = [
  ['light', 'Light colours'],
  ['dark', 'Dark colours'],
  ['system', 'Colours as the system has them'],
]

/** What can be done with the open session, then with the page. */
export function commandEntries(workspace: Workspace, doings: Doings, rename: () => void): Entry[] {
  return [
    ...stopEntry(workspace),
    ...openEntries(workspace, rename),
    ...SHORTCUTS.flatMap(({ keys, words, icon, act, offered }, i) =>
      icon === undefined || offered?.(workspace) === false
        ? []
        : [{ id: `shortcut-${i}`, words, icon, keys, act: () => act(workspace, doings) }],
    ),
    ...THEMES.filter(([choice]) => choice !== theme.choice).map(([choice, words]) => ({
      id: `theme-${choice}`,
      words,
      icon: 'settings' as const,
      act: () => theme.choose(choice),
    })),
  ]
}

function stopEntry({ asks, conversation }: Workspace): Entry[] {
  const turn = conversation?.head?.current ?? null
  if (conversation === null || turn === null || turn.cancel_requested) return []
  return [{ id: 'stop', words: 'Stop the run', icon: 'stop', act: () => asks.stop(conversation.id, turn.id) }]
}

function openEntries(workspace: Workspace, rename: () => void): Entry[] {
  const { route, sessions } = workspace
  const row = route.session === null ? undefined : sessions.row(route.session)
  if (row === undefined) return []
  return [
    { id: 'rename', words: 'Rename this session…', icon: 'edit', act: rename, stays: true },
    {
      id: 'pin',
      words: row.pinned ? 'Unpin this session' : 'Pin this session',
      icon: 'pin',
      act: () => sessions.alter(row.id, { pinned: !row.pinned }),
    },
    {
      id: 'archive',
      words: row.archived ? 'Bring this session back' : 'Archive this session',
      icon: 'archive',
      act: () => sessions.alter(row.id, { archived: !row.archived }),
    },
    ...FORMATS.map(({ value, words }) => ({
      id: `export-${value}`,
      words: `Export this session: ${words}`,
      icon: 'download' as const,
      act: () => exportSession(row.id, value),
    })),
    { id: 'delete', words: 'Delete this session', icon: 'trash', act: () => workspace.remove(row.id, row.title) },
  ]
}

/** The sessions, what waits first, then by date. */
export function sessionEntries(workspace: Workspace, found: readonly SessionRow[], now: number): Entry[] {
  const known = workspace.sessions.rows.filter((row) => !row.archived)
  const more = found.filter((row) => workspace.sessions.row(row.id) === undefined)
  const waits = (row: SessionRow) => Number(row.state === 'waiting')
  return [...known.sort((a, b) => waits(b) - waits(a) || b.active_at - a.active_at), ...more].map((row) => ({
    id: row.id,
    words: row.title || 'Untitled',
    icon: row.state === 'waiting' ? 'diamond' : 'open',
    aside: row.state === 'waiting' ? 'waits for you' : row.state === 'idle' ? shortTime(row.active_at, now) : 'runs',
    act: () => workspace.route.go(row.id),
  }))
}

/** Places in what was said. */
export function hitEntries({ route }: Workspace, hits: readonly Hit[], now: number): Entry[] {
  return hits.map(({ session, turn, k, title, excerpt, time }) => ({
    id: `${session}-${turn}-${k}`,
    words: excerpt.replace(/\s+/g, ' '),
    icon: 'search',
    aside: `${title || 'Untitled'} · ${shortTime(time, now)}`,
    act: () => route.go(session, `${turn}-${k === END ? 'end' : k}`),
  }))
}

export function settingEntries({ route }: Workspace): Entry[] {
  return SECTIONS.map(({ id, title, about }) => ({
    id: `settings-${id}`,
    words: title,
    icon: 'settings',
    aside: about,
    act: () => route.goSettings(id),
  }))
}
