// The end of what a step prints, and how long it is, while it grows: of megabytes only what is new is looked at.

/** The last lines of a text, at most so many. */
export function lastLines(text: string, most: number): string {
  let at = text.length
  for (let i = 0; i < most; i += 1) {
    if (at <= 0) return text
    at = text.lastIndexOf('\n', at - 1)
  }
  return at < 0 ? text : text.slice(at + 1)
}

/** Without the break that it begins or ends with. */
export function trimmed(text: string): string {
  const start = text.startsWith('\n') ? 1 : 0
  const end = text.length > start && text.endsWith('\n') ? text.length - 1 : text.length
  return text.slice(start, end)
}

export class LineCount {
  #text = ''
  #breaks = 0

  /** How many lines this text has. One that goes on where the last one ended is counted from there. */
  of(text: string): number {
    const grows = text.slice(0, this.#text.length) === this.#text
    let breaks = grows ? this.#breaks : 0
    for (let at = text.indexOf('\n', grows ? this.#text.length : 0); at >= 0; at = text.indexOf('\n', at + 1)) breaks += 1
    this.#text = text
    this.#breaks = breaks
    return text === '' ? 0 : breaks + 1
  }
}
