// Colours for code, fetched when the first code block is there. What is too long to colour at once stays plain.

import { sanitise } from './render'

const LONGEST = 40_000

/** The code as HTML, or null if it can't be coloured. */
export async function highlight(code: string, language: string): Promise<string | null> {
  if (language === '' || code.length > LONGEST) return null
  const { default: hljs } = await import('./languages')
  if (hljs.getLanguage(language) === undefined) return null
  return sanitise(hljs.highlight(code, { language, ignoreIllegals: true }).value)
}
