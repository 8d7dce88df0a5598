// Every key that works wherever nobody writes, in one table: the keys do what it says, the help shows what it says, and
// the palette offers it. None of them answers anything. A stroke with a modifier works while somebody writes, too.

import { base } from './api/base'
import { waits } from './sessions/groups'
import type { IconName } from './ui/Icon.svelte'
import { words } from './words'
import type { Workspace } from './workspace.svelte'

export type Overlay = 'palette' | 'help'
/** One showing of it: the next one of the same kind is another. */
export type Layer = { readonly overlay: Overlay }

export interface Doings {
  toggleRail(): void
  /** Bring the list before the eyes, wherever it is. */
  showList(): void
  show(overlay: Overlay): void
}

export interface Shortcut {
  /** Strokes, one after the other; `Mod` is Cmd on a Mac and Ctrl elsewhere. */
  keys: string
  words: () => string
  /** False if it is not ours this time: then the browser does what it does by this stroke. */
  act: (workspace: Workspace, doings: Doings) => void | false
  /** With an icon it is offered in the palette as well, if `offered` allows. */
  icon?: IconName
  offered?: (workspace: Workspace) => boolean
}

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: 'Mod+K', words: () => words.shortcuts.find, act: (_, { show }) => show('palette') },
  { keys: 'N', words: () => words.shortcuts.fresh, icon: 'plus', act: (workspace) => workspace.beginNew() },
  {
    keys: 'G W',
    words: () => words.shortcuts.nextWaiting,
    icon: 'diamond',
    act: nextWaiting,
    offered: ({ sessions }) => waits(sessions.rows).length > 0,
  },
  { keys: 'Alt+A', words: () => words.shortcuts.ask, act: focusAsk },
  { keys: '/', words: () => words.shortcuts.search, act: () => document.querySelector<HTMLElement>('input[type=search]')?.focus() },
  {
    keys: 'Mod+F',
    words: () => words.find.title,
    icon: 'search',
    act: findHere,
    offered: ({ conversation }) => conversation !== null,
  },
  { keys: 'J', words: () => words.shortcuts.next, act: () => moveRow(1) },
  { keys: 'K', words: () => words.shortcuts.previous, act: () => moveRow(-1) },
  { keys: 'F', words: () => words.organise.filter, icon: 'filter', act: (workspace) => void (workspace.sheet = 'filter') },
  {
    keys: 'S',
    words: () => words.organise.select,
    icon: 'select',
    act: (workspace, { showList }) => (showList(), void workspace.select()),
  },
  { keys: 'G I', words: () => words.shortcuts.insights, icon: 'insights', act: ({ route }) => route.goInsights() },
  { keys: '[', words: () => words.shortcuts.list, icon: 'menu', act: (_, { toggleRail }) => toggleRail() },
  { keys: '?', words: () => words.shortcuts.keys, icon: 'keys', act: (_, { show }) => show('help') },
]

const AFTER_MS = 1_500
export const APPLE = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '')

export function shortcuts(workspace: Workspace, doings: Doings): (event: KeyboardEvent) => void {
  let before = ''
  let pressed = -Infinity

  return (event) => {
    const stroke = strokeOf(event)
    const modified = stroke.length > 1
    if (stroke === '' || (!modified && (event.defaultPrevented || isWriting(event.target)))) return
    const both = performance.now() - pressed < AFTER_MS ? `${before} ${stroke}` : stroke
    const found = of(both) ?? of(stroke)
    const begins = found === undefined && SHORTCUTS.some(({ keys }) => keys.startsWith(`${stroke} `))
    ;[before, pressed] = begins ? [stroke, performance.now()] : ['', -Infinity]
    if (found === undefined && !begins) return
    if (found?.act(workspace, doings) !== false) event.preventDefault()
  }
}

function of(keys: string): Shortcut | undefined {
  return SHORTCUTS.find((shortcut) => shortcut.keys === keys)
}

/** What was pressed, as the table writes it; empty for what can't stand there. */
export function strokeOf(event: KeyboardEvent, apple = APPLE): string {
  const key = event.key.toUpperCase()
  const [mod, other] = apple ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey]
  if (other || key.length !== 1 || (event.shiftKey && key !== key.toLowerCase())) return ''
  // With Alt a Mac writes another letter than the one on the key: then its place has to do.
  if (event.altKey) return mod ? '' : `Alt+${/^[A-Z]$/.test(key) ? key : event.code.replace('Key', '')}`
  return mod ? `Mod+${key}` : key
}

/** The next session that waits, after the open one. */
function nextWaiting(workspace: Workspace): void {
  const { sessions, route } = workspace
  const waiting = waits(sessions.rows)
  const open = waiting.findIndex(({ id }) => id === route.session)
  const next = waiting[(open + 1) % waiting.length]
  if (next !== undefined) route.go(next.id)
  else workspace.tell(words.sessions.nothingWaits)
}

/** Look for something in the open session; who is looking already wants the browser's own way. */
function findHere(workspace: Workspace): void | false {
  const field = document.querySelector<HTMLInputElement>('[data-find]')
  if (workspace.conversation === null || (field !== null && field === document.activeElement)) return false
  workspace.finding = workspace.conversation.id
  field?.focus()
  field?.select()
}

function rows(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>(`nav a[href^="${base}/session/"]`)]
}

function moveRow(step: number): void {
  const all = rows()
  const focused = all.findIndex((row) => row === document.activeElement)
  const open = all.findIndex((row) => row.getAttribute('aria-current') === 'page')
  const from = focused >= 0 ? focused : open
  const next = all[Math.min(Math.max(from + step, 0), all.length - 1)]
  next?.focus()
}

/** The first card that waits; from one card to the next, if the focus is in one. */
function focusAsk(): void {
  const cards = [...document.querySelectorAll<HTMLElement>('[data-ask]')]
  const within = cards.findIndex((card) => card.contains(document.activeElement))
  const card = cards[(within + 1) % cards.length]
  if (document.activeElement === card) card?.blur() // a finger may have rested there; now the keyboard has come
  card?.focus()
  card?.scrollIntoView({ block: 'nearest' })
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, dialog, [data-ask]') !== null)
  )
}
