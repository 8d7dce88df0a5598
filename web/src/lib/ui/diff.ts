// Two texts line by line: what stayed, what went, what came.

export type Sign = ' ' | '-' | '+'

export interface Line {
  sign: Sign
  text: string
  /** Its number in the new text; of a line that went, in the old one. */
  number: number
}

/** `skipped` lines that stayed lie between this hunk and the one before. */
export interface Hunk {
  skipped: number
  lines: Line[]
}

const CONTEXT = 3
/** Beyond this many pairs of lines a comparison would be felt; all old lines then go and all new ones come. */
const PAIRS = 4_000_000

export function diffLines(old: string | null, fresh: string): Line[] {
  const before = old === null ? [] : lines(old)
  const after = lines(fresh)
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1
  let tail = 0
  const rest = Math.min(before.length, after.length) - head
  while (tail < rest && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const middle = changed(before.slice(head, before.length - tail), after.slice(head, after.length - tail), head)
  return [
    ...after.slice(0, head).map((text, i) => line(' ', text, i)),
    ...middle,
    ...after.slice(after.length - tail).map((text, i) => line(' ', text, after.length - tail + i)),
  ]
}

/** The changes with a few lines around them. */
export function hunks(all: Line[]): Hunk[] {
  const keep = new Set<number>()
  all.forEach(({ sign }, i) => {
    if (sign !== ' ') for (let near = i - CONTEXT; near <= i + CONTEXT; near += 1) keep.add(near)
  })
  const found: Hunk[] = []
  let skipped = 0
  let open = false
  all.forEach((each, i) => {
    if (!keep.has(i)) {
      skipped += 1
      open = false
      return
    }
    if (!open) found.push({ skipped, lines: [] })
    open = true
    skipped = 0
    found.at(-1)?.lines.push(each)
  })
  return found
}

function lines(text: string): string[] {
  const found = text.split('\n')
  if (found.at(-1) === '') found.pop()
  return found
}

function line(sign: Sign, text: string, index: number): Line {
  return { sign, text, number: index + 1 }
}

/** The longest common subsequence, by the table that everybody knows. */
function changed(before: string[], after: string[], offset: number): Line[] {
  if (before.length * after.length > PAIRS) return replaced(before, after, offset)
  const width = after.length + 1
  const table = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number) => table[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const found: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      found.push(line(' ', after[j] as string, offset + j))
      i += 1
      j += 1
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      found.push(line('-', before[i] as string, offset + i))
      i += 1
    } else {
      found.push(line('+', after[j] as string, offset + j))
      j += 1
    }
  }
  return [...found, ...replaced(before.slice(i), after.slice(j), offset, i, j)]
}

function replaced(before: string[], after: string[], offset: number, i = 0, j = 0): Line[] {
  return [
    ...before.map((text, n) => line('-', text, offset + i + n)),
    ...after.map((text, n) => line('+', text, offset + j + n)),
  ]
}
