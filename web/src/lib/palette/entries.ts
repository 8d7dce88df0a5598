// What the palette offers, in words: sessions, what can be done here and now, and the sections of the settings.

import type { Hit, SessionRow } from '../api/shapes.gen'
import { exportSession, FORMATS } from '../api/transfer'
import { END } from '../session/state'
import { statusOf } from '../sessions/status'
import { SECTIONS } from '../settings/sections'
import { SHORTCUTS, type Doings } from '../shortcuts'
import type { IconName } from '../ui/Icon.svelte'
import type { Status } from '../ui/Light.svelte'
import { theme, type Choice } from '../ui/theme.svelte'
import { shortTime } from '../ui/words'
import { words } from '../words'
import type { Workspace } from '../workspace.svelte'

export interface Entry {
  id: string
  words: string
  /** What stands before the words: a session has its light. */
  icon: IconName | { light: Status }
  act: () => unknown
  /** Beside the words, quietly. */
  aside?: string
  keys?: string
  /** It needs more words: the palette stays for them. */
  stays?: boolean
}

const THEMES: readonly Choice[] = ['light', 'dark', 'system']

/** What can be done with the open session, then with the page. */
export function commandEntries(workspace: Workspace, doings: Doings, rename: () => void): Entry[] {
  return [
    ...stopEntry(workspace),
    ...openEntries(workspace, rename),
    ...SHORTCUTS.flatMap(({ keys, words: does, icon, act, offered }, i) =>
      icon === undefined || offered?.(workspace) === false
        ? []
        : [{ id: `shortcut-${i}`, words: does(), icon, keys, act: () => act(workspace, doings) }],
    ),
    ...THEMES.filter((choice) => choice !== theme.choice).map((choice) => ({
      id: `theme-${choice}`,
      words: words.palette[choice],
      icon: 'settings' as const,
      act: () => theme.choose(choice),
    })),
  ]
}

function stopEntry({ asks, conversation }: Workspace): Entry[] {
  const turn = conversation?.head?.current ?? null
  if (conversation === null || turn === null || turn.cancel_requested) return []
  return [{ id: 'stop', words: words.palette.stop, icon: 'stop', act: () => asks.stop(conversation.id, turn.id) }]
}

function openEntries(workspace: Workspace, rename: () => void): Entry[] {
  const { route, sessions } = workspace
  const texts = words.palette
  const row = route.session === null ? undefined : sessions.row(route.session)
  if (row === undefined) return []
  return [
    { id: 'rename', words: texts.renameThis, icon: 'edit', act: rename, stays: true },
    {
      id: 'pin',
      words: row.pinned ? texts.unpin : texts.pin,
      icon: 'pin',
      act: () => sessions.alter(row.id, { pinned: !row.pinned }),
    },
    {
      id: 'archive',
      words: row.archived ? texts.bringBack : texts.archive,
      icon: 'archive',
      act: () => sessions.alter(row.id, { archived: !row.archived }),
    },
    ...FORMATS.map(({ value, words: format }) => ({
      id: `export-${value}`,
      words: texts.exportThis(format),
      icon: 'download' as const,
      act: () => exportSession(row.id, value),
    })),
    { id: 'delete', words: texts.deleteThis, icon: 'trash', act: () => workspace.remove(row.id, row.title) },
  ]
}

/** The sessions, what waits first, then by date. */
export function sessionEntries(workspace: Workspace, found: readonly SessionRow[], now: number): Entry[] {
  const known = workspace.sessions.rows.filter((row) => !row.archived)
  const more = found.filter((row) => workspace.sessions.row(row.id) === undefined)
  const waits = (row: SessionRow) => Number(row.state === 'waiting')
  return [...known.sort((a, b) => waits(b) - waits(a) || b.active_at - a.active_at), ...more].map((row) => ({
    id: row.id,
    words: row.title || words.sessions.untitled,
    icon: { light: statusOf(row, row.id === workspace.route.session) },
    aside: row.state === 'waiting' ? words.palette.waits : row.state === 'idle' ? shortTime(row.active_at, now) : words.palette.runs,
    act: () => workspace.route.go(row.id),
  }))
}

/** Places in what was said. */
export function hitEntries({ route }: Workspace, hits: readonly Hit[], now: number): Entry[] {
  return hits.map(({ session, turn, k, title, excerpt, time }, place) => ({
    id: `said-${place}`, // of a long text several parts may be found
    words: excerpt.replace(/\s+/g, ' '),
    icon: 'search',
    aside: `${title || words.sessions.untitled} · ${shortTime(time, now)}`,
    act: () => route.go(session, `${turn}-${k === END ? 'end' : k}`),
  }))
}

export function settingEntries({ route }: Workspace): Entry[] {
  return [
    { id: 'settings', words: words.sessions.settings, icon: 'settings', act: () => route.goSettings() },
    ...SECTIONS.map(({ id, words: said }) => ({
      id: `settings-${id}`,
      words: said().title,
      icon: 'settings' as const,
      aside: said().about,
      act: () => route.goSettings(id),
    })),
  ]
}
