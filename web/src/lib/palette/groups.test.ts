import { expect, test } from 'vitest'
import type { Entry } from './entries'
import { grouped } from './groups'

function entry(words: string): Entry {
  return { id: words, words, icon: 'open', act: () => undefined }
}

const OFFERED = {
  sessions: ['Mend the wall', 'Archive of 1990', 'c', 'd', 'e', 'f'].map(entry),
  commands: ['New session', 'Archive this session'].map(entry),
  settings: ['Appearance'].map(entry),
  said: ['the archive is full'].map(entry),
}

test('without words everything is offered but what was said, and only a few sessions', () => {
  const groups = grouped(OFFERED, ' ')
  expect(groups.map(({ name }) => name)).toEqual(['Sessions', 'Commands', 'Settings'])
  expect(groups[0]?.entries.length).toBe(5)
})

test('the group with the best fit comes first, and what was said last', () => {
  const groups = grouped(OFFERED, 'appear')
  expect(groups.map(({ name }) => name)).toEqual(['Settings', 'In what was said'])
  expect(grouped(OFFERED, 'this arch').map(({ name }) => name)).toEqual(['Commands', 'In what was said'])
})
