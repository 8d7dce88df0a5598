// Keys that work wherever nobody writes. None of them answers anything.

import { waits } from './sessions/groups'
import type { Workspace } from './workspace.svelte'

export interface Doings {
  begin(): void
  toggleRail(): void
}

const AFTER_G_MS = 1_500

export function shortcuts(workspace: Workspace, doings: Doings): (event: KeyboardEvent) => void {
  let pressedG = -Infinity

  return (event) => {
    if (event.altKey && event.code === 'KeyA' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      focusAsk()
      return
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return
    const act = actOf(event.key)
    if (act === null) return
    event.preventDefault()
    act()
  }

  function actOf(key: string): (() => void) | null {
    if (key === 'w' && performance.now() - pressedG < AFTER_G_MS) return nextWaiting
    switch (key) {
      case 'g':
        return () => (pressedG = performance.now())
      case 'n':
        return doings.begin
      case '[':
        return doings.toggleRail
      case '/':
        return () => document.querySelector<HTMLElement>('input[type=search]')?.focus()
      case 'j':
        return () => moveRow(1)
      case 'k':
        return () => moveRow(-1)
      default:
        return null
    }
  }

  /** The next session that waits, after the open one. */
  function nextWaiting(): void {
    pressedG = -Infinity
    const waiting = waits(workspace.sessions.rows)
    const open = waiting.findIndex(({ id }) => id === workspace.route.session)
    const next = waiting[(open + 1) % waiting.length]
    if (next !== undefined) workspace.route.go(next.id)
  }
}

function rows(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('nav a[href^="/session/"]')]
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
    (target.isContentEditable || target.closest('input, textarea, select, [data-ask]') !== null)
  )
}
