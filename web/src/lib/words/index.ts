// The language that the page speaks. It is chosen before anything is shown, and holds until the page is loaded again.
//
// `words` is empty until then, so that nothing can read it when it is imported, before the language is known: a table
// of words is a function, or reads its words when it is asked.

import { keep, kept } from '../ui/kept'
import { LANGUAGES, type Language, type Words } from './languages'

export let words: Words
export let language: Language = 'en'

/** What was chosen; null if it is the browser's to say. */
export function chosen(): Language | null {
  return known(kept('language', ''))
}

/** Speak another language from now on, or whatever the browser prefers. */
export function choose(wanted: Language | null): void {
  keep('language', wanted)
  location.reload()
}

/** The first language of `preferred` that we speak; English if we speak none. */
export function pick(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const found = known(tag.toLowerCase().split('-')[0] ?? '')
    if (found !== null) return found
  }
  return 'en'
}

export async function speak(wanted: Language = chosen() ?? pick(navigator.languages)): Promise<void> {
  words = await LANGUAGES[wanted].words()
  language = wanted
  if (typeof document === 'undefined') return
  document.documentElement.lang = wanted
  document.documentElement.dir = LANGUAGES[wanted].direction
}

function known(tag: string): Language | null {
  return Object.hasOwn(LANGUAGES, tag) ? (tag as Language) : null
}
