// The keys that mean something in one place only. They are heard there; here they are told, for the help.

import { preferences } from '../ui/preferences.svelte'
import { words } from '../words'

export interface Within {
  place: string
  keys: readonly { keys: string; words: string }[]
}

/** Arrows are written as such: their names are long, and nobody's keyboard has them. */
export function keysWithin(): readonly Within[] {
  const { within } = words.palette
  return [
    {
      place: within.card,
      keys: [
        { keys: 'A', words: words.asks.allow },
        { keys: 'D', words: words.asks.deny },
      ],
    },
    {
      place: within.message,
      keys: [
        { keys: preferences.enter === 'sends' ? 'Enter' : 'Mod+Enter', words: words.composer.send },
        { keys: '↑', words: within.before },
      ],
    },
    {
      place: words.find.title,
      keys: [
        { keys: 'Enter', words: words.find.next },
        { keys: 'Shift+Enter', words: words.find.previous },
      ],
    },
    {
      place: words.replay.title,
      keys: [
        { keys: within.space, words: within.play },
        { keys: '←', words: within.back },
        { keys: '→', words: within.on },
        { keys: 'Home', words: within.begin },
        { keys: 'End', words: within.end },
      ],
    },
  ]
}
