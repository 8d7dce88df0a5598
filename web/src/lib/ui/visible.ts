// What can't be seen, or looks like something else, shown for what it is: a command must read as what would run.

export interface Piece {
  text: string
  /** Whether this stands for a character that would not be seen. */
  escaped: boolean
}

// Control and format characters, surrogates, private use, and every space but the plain one, line feed and tab.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\u115f\u1160\u3164\uffa0\u034f\u2800\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u
const PLAIN = new Set([' ', '\n', '\t'])

export function visible(text: string): Piece[] {
  const pieces: Piece[] = []
  let plain = ''
  for (const character of text) {
    if (PLAIN.has(character) || !HIDDEN.test(character)) {
      plain += character
      continue
    }
    if (plain !== '') pieces.push({ text: plain, escaped: false })
    plain = ''
    pieces.push({ text: name(character), escaped: true })
  }
  if (plain !== '') pieces.push({ text: plain, escaped: false })
  return pieces
}

function name(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `U+${code.padStart(4, '0')}`
}
