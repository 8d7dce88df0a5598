// What the server refuses, in the words of the page if it has any for it.

import { words } from '../words'

export function told(code: string, sentence: string): string {
  const known: Partial<Record<string, string>> = words.api.refused
  return known[code] ?? sentence
}
