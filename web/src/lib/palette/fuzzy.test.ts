import { expect, test } from 'vitest'
import { fit, fitting } from './fuzzy'

test('a name is found by beginnings, by its middle, by initials and with a letter left out', () => {
  for (const words of ['new', 'session', 'ses new', 'ns', 'newses', 'sesion', 'NEW', '  ']) {
    expect(fit('New session', words), words).toBeGreaterThan(0)
  }
  expect(fit('Réglages', 'reglages')).toBeGreaterThan(0)
})

test('what is merely spelled somewhere in it does not fit', () => {
  for (const words of ['nn', 'new sessions', 'wsx', 'nsn']) expect(fit('New session', words), words).toBe(0)
  expect(fit('Repair the harbour wall', 'rpwl')).toBe(0)
})

test('the better fit comes first, and alike ones keep their order', () => {
  const names = ['Unarchive', 'Search', 'Archive', 'Archived ones']
  expect(fitting(names, 'arch', (name) => name).map(({ one }) => one)).toEqual(['Archive', 'Archived ones', 'Unarchive', 'Search'])
})
