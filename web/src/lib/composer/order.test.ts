import { expect, test } from 'vitest'
import { moved } from './order'

test('a message moves by so many places, and the others close up', () => {
  expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 'a', 2)).toEqual(['b', 'c', 'a'])
})

test('none moves past an end, or without a step, or if it is not there', () => {
  expect(moved(['a', 'b'], 'a', -1)).toBeNull()
  expect(moved(['a', 'b'], 'b', 1)).toBeNull()
  expect(moved(['a', 'b'], 'a', 0)).toBeNull()
  expect(moved(['a', 'b'], 'c', 1)).toBeNull()
})
