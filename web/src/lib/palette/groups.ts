// The entries as they are read: in groups, the group with the best fit first, what was said last of all.

import { words } from '../words'
import type { Entry } from './entries'
import { fitting } from './fuzzy'

export interface Group {
  name: string
  entries: readonly Entry[]
}

export interface Offered {
  sessions: readonly Entry[]
  commands: readonly Entry[]
  settings: readonly Entry[]
  said: readonly Entry[]
}

const RECENT = 5
const FOUND = 8

/** Without words everything is offered, of the sessions the first few. No group is empty. */
export function grouped(offered: Offered, text: string): Group[] {
  const typed = text.trim() !== ''
  const { sessions, commands, settings, said: inWhatWasSaid } = words.palette
  const groups = [
    { name: sessions, found: fitting(offered.sessions, text, named).slice(0, typed ? FOUND : RECENT) },
    { name: commands, found: fitting(offered.commands, text, named) },
    { name: settings, found: fitting(offered.settings, text, named) },
  ]
  // Answers of the server come later than the words: they go to the end, so that nothing moves under a finger.
  const said = typed && offered.said.length > 0 ? [{ name: inWhatWasSaid, entries: offered.said.slice(0, FOUND) }] : []
  return [
    ...groups
      .filter(({ found }) => found.length > 0)
      .sort((a, b) => (b.found[0]?.score ?? 0) - (a.found[0]?.score ?? 0))
      .map(({ name, found }) => ({ name, entries: found.map(({ one }) => one) })),
    ...said,
  ]
}

function named(entry: Entry): string {
  return entry.words
}
