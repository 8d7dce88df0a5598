import { expect, test } from 'vitest'
import { completed, completions, parse } from './commands'

test('what is written is completed while it is one word', () => {
  expect(completions('/').length).toBeGreaterThan(3)
  expect(completions('/re').map(({ name }) => name)).toEqual(['rename'])
  expect(completions('/rename x')).toEqual([])
  expect(completions('a /re')).toEqual([])
})

test('commands of the agent come after those of the page, which keep their names', () => {
  const agent = [
    { name: 'review', description: 'Look it over', hint: 'a branch' },
    { name: 'stop', description: 'Something else', hint: '' },
  ]
  expect(completions('/re', agent).map(({ name, takes }) => [name, takes])).toEqual([
    ['rename', 'a title'],
    ['review', 'a branch'],
  ])
  expect(completions('/stop', agent).map(({ does }) => does)).toEqual(['Stop what runs'])
  expect(completions('/review x', agent)).toEqual([])
})

test('a key that completes what puts a session away does not do it yet', () => {
  const [away] = completions('/arch')
  const [pin] = completions('/pi')
  const [rename] = completions('/ren')
  if (away === undefined || pin === undefined || rename === undefined) throw new Error('they are not offered')
  for (const key of ['Tab', 'Enter', 'held']) expect(completed('/arch', away, key)).toBe('/archive')
  for (const key of ['Tab', 'held']) expect(completed('/archive', away, key)).toBe('/archive')
  expect(completed('/archive', away, 'Enter')).toBeNull()
  expect(completed('/arch', away)).toBeNull()
  expect(completed('/pi', pin, 'Tab')).toBeNull()
  expect(completed('/ren', rename, 'Enter')).toBe('/rename ')
})

test('a command is one only with what it takes', () => {
  expect(parse('/stop')).toEqual({ name: 'stop', rest: '' })
  expect(parse('/rename  The harbour ')).toEqual({ name: 'rename', rest: 'The harbour' })
  expect(parse('/rename')).toBeNull()
  expect(parse('/stop now')).toBeNull()
})

test('what the page does not know is for the agent', () => {
  expect(parse('/compact')).toBeNull()
  expect(parse('/etc/passwd is a file')).toBeNull()
})
