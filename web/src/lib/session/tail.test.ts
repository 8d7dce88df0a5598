import { expect, test, vi } from 'vitest'
import { lastLines, LineCount, trimmed } from './tail'

test('the last lines are those that a reader would count', () => {
  expect(lastLines('', 3)).toBe('')
  expect(lastLines('a', 3)).toBe('a')
  expect(lastLines('a\nb\nc', 3)).toBe('a\nb\nc')
  expect(lastLines('a\nb\nc\nd', 3)).toBe('b\nc\nd')
  expect(lastLines('\nb\nc\nd', 3)).toBe('b\nc\nd')
  expect(lastLines('a\n\n\n', 2)).toBe('\n')
  for (let n = 0; n < 40; n += 1) {
    const text = Array.from({ length: n }, (_, i) => (i % 3 === 0 ? '' : `line ${i}`)).join('\n')
    expect(lastLines(text, 12)).toBe(text.split('\n').slice(-12).join('\n'))
  }
})

test('a break at the beginning and one at the end say nothing', () => {
  for (const text of ['', '\n', '\n\n', 'a', '\na\n', 'a\n\n', '\n\na']) expect(trimmed(text)).toBe(text.replace(/^\n|\n$/g, ''))
})

test('a text that grows is counted from where it ended, and another one anew', () => {
  const count = new LineCount()
  const looked = vi.spyOn(String.prototype, 'indexOf')
  expect(count.of('')).toBe(0)
  expect(count.of('a')).toBe(1)
  expect(count.of('a\nb\nc')).toBe(3)
  looked.mockClear()
  expect(count.of('a\nb\nc\nd')).toBe(4)
  expect(looked.mock.calls[0]).toEqual(['\n', 5])
  expect(count.of('x\ny')).toBe(2)
  expect(count.of('x')).toBe(1)
  looked.mockRestore()
})
