// Figures as plots want them: a value for every day, also for those without any, and shares by agent or model.

import type { DailyFigures, Figures, Insights } from '../api/shapes.gen'
import { locale } from '../ui/words'

export type Measure = keyof Figures

export interface Share {
  name: string
  tokens: number
  cost: number
  run_ms: number
  turns: number
  approvals: number
  failures: number
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** A value for every day from the first to today. */
export function perDay({ first, today, days }: Insights, measure: Measure): number[] {
  const values = Array.from({ length: today - first + 1 }, () => 0)
  for (const { day, figures } of days) values[day - first] = (values[day - first] ?? 0) + figures[measure]
  return values
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Who used how much, the most tokens first, then the longest. */
export function shares(days: readonly DailyFigures[], by: 'agent' | 'model'): Share[] {
  const found = new Map<string, Share>()
  for (const { figures, ...day } of days) {
    const share = found.get(day[by]) ?? { name: day[by], tokens: 0, cost: 0, run_ms: 0, turns: 0, approvals: 0, failures: 0 }
    share.tokens += figures.input + figures.output
    share.cost += figures.cost
    share.run_ms += figures.run_ms
    share.turns += figures.turns
    share.approvals += figures.approvals
    share.failures += figures.failures
    found.set(day[by], share)
  }
  return [...found.values()].sort((a, b) => b.tokens - a.tokens || b.run_ms - a.run_ms)
}

/** A day that is counted from 1970, as people write it. */
export function dayName(day: number): string {
  return new Date(day * DAY_MS).toLocaleDateString(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' })
}
