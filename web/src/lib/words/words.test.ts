import { describe, expect, it } from 'vitest'
import { de } from './de'
import { en } from './en'
import { pick } from './index'
import { LANGUAGES } from './languages'
import { linked } from './linked'
import { plurals } from './plural'

type Part = { [name: string]: Part | string | ((...gaps: never[]) => string) }

/** Every word by its path; of a sentence with gaps, its gaps count. */
function said(part: Part, path = ''): Map<string, string> {
  const all = new Map<string, string>()
  for (const [name, value] of Object.entries(part)) {
    const here = path === '' ? name : `${path}.${name}`
    if (typeof value === 'string') all.set(here, value)
    else if (typeof value === 'function') all.set(here, `(${value.length})`)
    else for (const [below, text] of said(value, here)) all.set(below, text)
  }
  return all
}

describe('the words', () => {
  it.each(Object.entries(LANGUAGES))('have the same parts, gaps and links in %s as in English', async (_, { words }) => {
    const [english, other] = [said(en), said(await words())]
    expect([...other.keys()]).toEqual([...english.keys()])
    for (const [path, text] of english) {
      const there = other.get(path) ?? ''
      if (text.startsWith('(')) expect(there, path).toBe(text)
      expect(there.trim(), path).not.toBe('')
      expect(linked(there)[1] === '', path).toBe(linked(text)[1] === '')
    }
  })

  it('have a link where the language wants it', () => {
    expect(linked('Nothing is here. [Add something] or go.')).toEqual(['Nothing is here. ', 'Add something', ' or go.'])
    expect(linked('Nothing is here.')).toEqual(['Nothing is here.', '', ''])
  })

  it('in German have one word for a turn, and a space before what is left out', () => {
    const all = [...said(de).entries()]
    const turns = [...said(en)].filter(([, text]) => /\bturns?\b/i.test(text) && !/its turn/.test(text)).map(([path]) => path)
    expect(all.filter(([path, text]) => turns.includes(path) && !/Runden?\b/.test(text))).toEqual([])
    expect(all.filter(([, text]) => /[^\s„]…/.test(text))).toEqual([])
  })

  it('count as the language does', () => {
    expect(en.sessions.many(1)).toBe('1 session')
    expect(en.sessions.many(1_200)).toBe('1,200 sessions')
    expect(de.sessions.many(1_200)).toBe('1.200 Sitzungen')
    const arabic = plurals('ar')
    const forms = { zero: 'none', one: 'one', two: 'two', few: 'few', many: 'many', other: 'other' }
    expect([0, 1, 2, 3, 11, 100].map((number) => arabic(number, forms))).toEqual([
      'none',
      'one',
      'two',
      'few',
      'many',
      'other',
    ])
  })

  it('are the first that the browser prefers and we speak', () => {
    expect(pick(['fr-FR', 'de-CH', 'en'])).toBe('de')
    expect(pick(['fr'])).toBe('en')
    expect(pick([])).toBe('en')
  })
})
