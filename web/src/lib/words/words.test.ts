import { describe, expect, it } from 'vitest'
import { de } from './de'
import { en } from './en'
import { pick } from './index'
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
  it('have the same parts and the same gaps in every language', () => {
    const [english, german] = [said(en), said(de)]
    expect([...german.keys()]).toEqual([...english.keys()])
    for (const [path, text] of english) {
      if (text.startsWith('(')) expect(german.get(path), path).toBe(text)
    }
  })

  it('are never empty', () => {
    for (const language of [en, de]) {
      for (const [path, text] of said(language)) expect(text.trim(), path).not.toBe('')
    }
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
