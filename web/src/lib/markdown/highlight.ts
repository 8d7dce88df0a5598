// Colours for code, fetched when the first code block is there. What is too long to colour at once stays plain.

import { sanitise } from './render'

const LONGEST = 40_000

/** The code as HTML, or null if it can't be coloured. */
export async function highlight(code: string, language: string): Promise<string | null> {
  if (language === '' || code.length > LONGEST) return null
  const { colour } = await import('./languages')
  const coloured = await colour(code, language)
  return coloured === null ? null : sanitise(coloured)
}
