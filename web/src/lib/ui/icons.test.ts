import { expect, test } from 'vitest'
import { PATHS } from './Icon.svelte'

/** How many numbers each letter of a path takes. */
const TAKES: Record<string, number> = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, A: 7, Z: 0 }
/** In an arc the two flags may stand without anything between them and the next number. */
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)/g
const ARC = /([-+]?[\d.]+)[ ,]*([-+]?[\d.]+)[ ,]*([-+]?[\d.]+)[ ,]*([01])[ ,]*([01])[ ,]*([-+]?(?:\d+\.?\d*|\.\d+))[ ,]*([-+]?(?:\d+\.?\d*|\.\d+))/g

test.each(Object.entries(PATHS))('%s can be drawn', (_, path) => {
  for (const [, letter = '', rest = ''] of path.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const takes = TAKES[letter.toUpperCase()]
    expect(takes, letter).toBeDefined()
    if (letter.toUpperCase() === 'A') {
      expect(rest.replace(ARC, '').trim(), `${letter}${rest}`).toBe('')
      continue
    }
    const numbers = rest.match(NUMBER)?.length ?? 0
    expect(takes === 0 ? numbers : numbers % (takes ?? 1), `${letter}${rest}`).toBe(0)
    if (takes !== 0) expect(numbers).toBeGreaterThan(0)
  }
})
