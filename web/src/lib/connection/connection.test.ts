import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Connection } from './connection.svelte'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('nothing is claimed before the first answer', () => {
  const connection = new Connection(() => new Promise(() => {}))
  const end = connection.watch()
  expect(connection.reach).toBe('asking')
  end()
})

test('a server that goes and comes back is noticed both times', async () => {
  const answers = [true, false, true]
  const connection = new Connection(async () => answers.shift() ?? false)
  const end = connection.watch()
  await vi.advanceTimersByTimeAsync(0)
  expect(connection.reach).toBe('reached')
  await vi.advanceTimersToNextTimerAsync()
  expect(connection.reach).toBe('lost')
  await vi.advanceTimersToNextTimerAsync()
  expect(connection.reach).toBe('reached')
  end()
})

test('nobody asks after the watch has ended', async () => {
  const ask = vi.fn(async () => true)
  const end = new Connection(ask).watch()
  await vi.advanceTimersByTimeAsync(0)
  end()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ask).toHaveBeenCalledTimes(1)
})

test('an answer that comes after the end changes nothing', async () => {
  let answer = (_: boolean) => {}
  const connection = new Connection(() => new Promise((resolve) => (answer = resolve)))
  const end = connection.watch()
  end()
  answer(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(connection.reach).toBe('asking')
})
