// Times, durations, sizes and counts as people read them: in the page's language, dates in the reader's own order.

import { language, words } from '../words'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Where the reader is: of the browser's places the first that speaks the page's language. */
export function locale(): string {
  return navigator.languages.find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language
}

let clock: Intl.DateTimeFormat | undefined

/** 13:02, in the reader's own way of writing it. */
export function clockTime(time: number): string {
  clock ??= new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit' }) // dear to make
  return clock.format(time)
}

/** When it was, as short as it can be said: 13:02, Sat, 3 Nov. */
export function shortTime(time: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  const date = new Date(time)
  if (time >= today) return clockTime(time)
  if (time >= today - 6 * DAY) return date.toLocaleDateString(locale(), { weekday: 'short' })
  return date.toLocaleDateString(locale(), { day: 'numeric', month: 'short' })
}

export function fullTime(time: number): string {
  return new Date(time).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' })
}

/** How long it took: 0.1 s, 12 s, 1 m 04 s, 1 h 12 m. */
export function duration(ms: number): string {
  if (ms < 10 * SECOND) return words.ui.seconds(decimal(Math.max(ms, 0) / SECOND, 1))
  if (ms < MINUTE) return words.ui.seconds(decimal(ms / SECOND, 0))
  if (ms < HOUR) return words.ui.minutes(whole(ms / MINUTE), pad((ms % MINUTE) / SECOND))
  return words.ui.hours(whole(ms / HOUR), pad((ms % HOUR) / MINUTE))
}

/** The same beside something else; nothing, if it took no time that could be said. */
export function took(ms: number): string {
  return ms < 50 ? '' : duration(ms)
}

/** How long it has lasted, as a clock: 0:42, 14:07; after an hour 1 h 12. */
export function elapsed(ms: number): string {
  const past = Math.max(ms, 0)
  if (past < HOUR) return `${whole(past / MINUTE)}:${pad((past % MINUTE) / SECOND)}`
  return words.ui.hoursShort(whole(past / HOUR), pad((past % HOUR) / MINUTE))
}

/** 840, 12.4 k, 1.2 M. */
export function count(number: number): string {
  if (number < 1_000) return String(number)
  if (number < 1_000_000) return words.ui.thousands(trimmed(number / 1_000))
  return words.ui.millions(trimmed(number / 1_000_000))
}

export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`
  if (size < 1_000_000) return `${trimmed(size / 1_000)} kB`
  if (size < 1_000_000_000) return `${trimmed(size / 1_000_000)} MB`
  return `${trimmed(size / 1_000_000_000)} GB`
}

/** Millionths of the currency. */
export function money(cost: number): string {
  return words.ui.dollars(decimal(cost / 1_000_000, cost > 0 && cost < 10_000 ? 4 : 2))
}

/** With so many places behind the mark that the language has for it. */
export function decimal(number: number, places: number, least = places): string {
  const name = `${language} ${least} ${places}`
  const rounding = { minimumFractionDigits: least, maximumFractionDigits: places, useGrouping: false }
  const format = decimals.get(name) ?? new Intl.NumberFormat(language, rounding)
  decimals.set(name, format)
  return format.format(number)
}

const decimals = new Map<string, Intl.NumberFormat>() // they are slow to make

/** Cut in the middle, so that the end, which names the file, stays. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const end = Math.ceil((length - 1) * 0.6)
  return `${text.slice(0, length - 1 - end)}…${text.slice(-end)}`
}

function trimmed(number: number): string {
  return number < 100 ? decimal(number, 1, 0) : decimal(number, 0)
}

function whole(number: number): string {
  return String(Math.floor(number))
}

function pad(number: number): string {
  return whole(number).padStart(2, '0')
}

/** What is said of something that failed. */
export function sentence(refused: unknown): string {
  return refused instanceof Error && refused.message !== '' ? refused.message : words.ui.failed
}
