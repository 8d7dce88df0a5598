import { expect, test } from 'vitest'
import { written } from './palette/written'
import { SHORTCUTS, strokeOf } from './shortcuts'

function pressed(key: string, held: Partial<KeyboardEvent> = {}): KeyboardEvent {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, code: `Key${key.toUpperCase()}` }
  return { ...none, key, ...held } as KeyboardEvent
}

test('no two shortcuts have the same keys, and none hides another that begins with it', () => {
  const all = SHORTCUTS.map(({ keys }) => keys)
  expect(new Set(all).size).toBe(all.length)
  expect(all.filter((keys) => all.some((other) => other.startsWith(`${keys} `)))).toEqual([])
})

test('every stroke of the table can be pressed', () => {
  const shifted = { shiftKey: true, code: 'Slash' }
  expect(strokeOf(pressed('n'), false)).toBe('N')
  expect(strokeOf(pressed('?', shifted), false)).toBe('?')
  expect(strokeOf(pressed('k', { ctrlKey: true }), false)).toBe('Mod+K')
  expect(strokeOf(pressed('k', { metaKey: true }), true)).toBe('Mod+K')
  expect(strokeOf(pressed('å', { altKey: true, code: 'KeyA' }), true)).toBe('Alt+A')
  expect(strokeOf(pressed('a', { altKey: true, code: 'KeyQ' }), false)).toBe('Alt+A') // a French keyboard
  expect(strokeOf(pressed('q', { altKey: true, code: 'KeyA' }), false)).toBe('Alt+Q')
  expect(strokeOf(pressed('ф', { altKey: true, code: 'KeyA' }), false)).toBe('Alt+A')
})

test('what belongs to the browser or to somebody who writes is no stroke', () => {
  expect(strokeOf(pressed('k', { metaKey: true }), false)).toBe('')
  expect(strokeOf(pressed('k', { ctrlKey: true }), true)).toBe('')
  expect(strokeOf(pressed('N', { shiftKey: true }), false)).toBe('')
  expect(strokeOf(pressed('Enter'), false)).toBe('')
  expect(strokeOf(pressed('k', { ctrlKey: true, altKey: true }), false)).toBe('')
})

test('keys are named as they are on the keyboard', () => {
  expect(written('Mod+K', true)).toEqual([['Cmd', 'K']])
  expect(written('Mod+K', false)).toEqual([['Ctrl', 'K']])
  expect(written('G W', false)).toEqual([['G'], ['W']])
})
