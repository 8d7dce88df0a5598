import { expect, test } from 'vitest'
import type { DailyFigures, Figures, Insights } from '../api/shapes.gen'
import { perDay, shares, sum } from './figures'

const NONE: Figures = { turns: 0, failures: 0, approvals: 0, run_ms: 0, input: 0, output: 0, cached: 0, reasoning: 0, cost: 0 }

function line(day: number, agent: string, model: string, figures: Partial<Figures>): DailyFigures {
  return { day, agent, model, figures: { ...NONE, ...figures } }
}

const DAYS = [
  line(10, 'a', 'm', { input: 5, output: 1, turns: 1 }),
  line(10, 'b', 'm', { input: 1, output: 1, cost: 7, approvals: 2, failures: 1 }),
  line(12, 'a', 'n', { input: 10, run_ms: 3, approvals: 1 }),
]

test('every day has a value, also one on which nothing happened', () => {
  const insights = { first: 9, today: 12, days: DAYS } as unknown as Insights
  expect(perDay(insights, 'input')).toEqual([0, 6, 0, 10])
  expect(sum(perDay(insights, 'cost'))).toBe(7)
})

test('shares are added up, the largest first', () => {
  expect(shares(DAYS, 'agent').map(({ name, tokens }) => [name, tokens])).toEqual([['a', 16], ['b', 2]])
  expect(shares(DAYS, 'model').map(({ name, tokens, cost }) => [name, tokens, cost])).toEqual([['n', 10, 0], ['m', 8, 7]])
  expect(shares(DAYS, 'agent').map(({ approvals, failures }) => [approvals, failures])).toEqual([[1, 0], [2, 1]])
})
