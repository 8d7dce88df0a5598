// Where a command may end its line: between words. A browser also breaks one behind a hyphen, which tears `-af` apart.

/** Longer than this a word is no option, and may have no room on one line. */
const LONGEST = 30

export interface Part {
  text: string
  /** Whether it has to stay on one line. */
  whole: boolean
}

/** The parts of a text, in order: together they are the text. */
export function unbroken(text: string): Part[] {
  return text
    .split(/(\S*-\S*)/)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, whole: part.includes('-') && part.length <= LONGEST }))
}
