// How well words fit a name. Every word must be found: whole, by the beginnings of words, or with letters left out.

const WHOLE = 8
const BEGINNING = 6
const INSIDE = 4
const LEAPING = 3
const LOOSE = 1
/** How many letters may be left out of a word that is otherwise spelled in order. */
const GAPS = 2

/** Zero if they do not fit; more is better. No words fit everything alike. */
export function fit(name: string, words: string): number {
  const text = folded(name)
  const scores = folded(words)
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => fitOne(text, word))
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 1)
}

/** Those that fit, best first; alike ones keep their order. */
export function fitting<T>(all: readonly T[], words: string, name: (one: T) => string): { one: T; score: number }[] {
  return all
    .map((one) => ({ one, score: fit(name(one), words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
}

function fitOne(text: string, word: string): number {
  if (text.startsWith(word)) return WHOLE
  const starts = [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => index)
  if (starts.some((start) => text.startsWith(word, start))) return BEGINNING
  if (text.includes(word)) return INSIDE
  if (starts.some((start) => leaps(text, word, start, starts))) return LEAPING
  return word.length > 3 && starts.some((start) => loose(text, word, start)) ? LOOSE : 0
}

/** Whether the letters follow each other, but for leaps to where a later word begins: `ns` is a new session. */
function leaps(text: string, word: string, at: number, starts: readonly number[]): boolean {
  if (text[at] !== word[0]) return false
  if (word.length === 1) return true
  const rest = word.slice(1)
  return leaps(text, rest, at + 1, starts) || starts.some((start) => start > at + 1 && leaps(text, rest, start, starts))
}

/** Whether the letters stand there in order, with only few between them. */
function loose(text: string, word: string, start: number): boolean {
  let at = start
  for (const letter of word) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return text[start] === word[0] && at - start <= word.length + GAPS
}

function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
