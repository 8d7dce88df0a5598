// The places of some words in what is shown of a message, found as the server finds them: whatever the case, the
// accents, the line breaks. They are marked as ranges, which leaves the document as it is.

const BLOCK = 'address, blockquote, dd, div, dt, h1, h2, h3, h4, h5, h6, li, p, pre, td, th'
const ALL = 'found'
const NOW = 'found-now'

/** As it is compared: see `as_read` of the server's store. */
export function asRead(text: string): string {
  return [...text].map(folded).join('').replace(/\s+/g, ' ').trim()
}

function folded(letter: string): string {
  if (letter === '*' || letter === '`') return ''
  const lower = letter.toLowerCase()
  if (lower <= '\u007f') return lower
  return lower === 'ß' ? 'ss' : lower.normalize('NFD').replace(/\p{M}/gu, '')
}

/** Every place of `text` in the words beneath `root`. */
export function placesOf(text: string, root: Element): Range[] {
  const wanted = asRead(text)
  if (wanted === '') return []
  const { words, letters } = read(root)
  const places: Range[] = []
  for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + wanted.length)) {
    const [first, last] = [letters[at], letters[at + wanted.length - 1]]
    if (first === undefined || last === undefined) break
    const range = document.createRange()
    range.setStart(first.node, first.start)
    range.setEnd(last.node, last.end)
    places.push(range)
  }
  return places
}

interface Letter {
  node: Text
  start: number
  end: number
}

/** The words beneath as they are compared, and where each letter of that stands. */
function read(root: Element): { words: string; letters: Letter[] } {
  const words: string[] = []
  const letters: Letter[] = []
  const add = (text: string, letter: Letter) => {
    for (const unit of text.split('')) {
      const space = /\s/.test(unit)
      if (space && (words.length === 0 || words.at(-1) === ' ')) continue
      words.push(space ? ' ' : unit)
      letters.push(letter)
    }
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  let block: Element | null = null
  while (walker.nextNode()) {
    const node = walker.currentNode as Text // only texts are shown to us
    const within = node.parentElement?.closest(BLOCK) ?? null
    if (within !== block) add(' ', { node, start: 0, end: 0 })
    block = within
    let at = 0
    for (const letter of node.data) {
      add(folded(letter), { node, start: at, end: at + letter.length })
      at += letter.length
    }
  }
  return { words: words.join(''), letters }
}

/** Mark these places, and among them those that the reader is at. False if this browser can't. */
export function mark(all: readonly Range[], now: readonly Range[]): boolean {
  if (!('highlights' in CSS)) return false
  CSS.highlights.set(ALL, new Highlight(...all))
  const above = new Highlight(...now)
  above.priority = 1
  CSS.highlights.set(NOW, above)
  return true
}

export function unmark(): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete(ALL)
  CSS.highlights.delete(NOW)
}
