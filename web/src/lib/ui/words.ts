// Times, durations, sizes and counts as people read them.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let clock: Intl.DateTimeFormat | undefined

/** 13:02, in the reader's own way of writing it. */
export function clockTime(time: number): string {
  clock ??= new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }) // dear to make
  return clock.format(time)
}

/** When it was, as short as it can be said: 13:02, Sat, 3 Nov. */
export function shortTime(time: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  const date = new Date(time)
  if (time >= today) return clockTime(time)
  if (time >= today - 6 * DAY) return date.toLocaleDateString(undefined, { weekday: 'short' })
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
}

export function fullTime(time: number): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}

/** How long it took: 0.1 s, 12 s, 1 m 04 s, 1 h 12 m. */
export function duration(ms: number): string {
  if (ms < 10 * SECOND) return `${(Math.max(ms, 0) / SECOND).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${pad(Math.floor((ms % MINUTE) / SECOND))} s`
  return `${Math.floor(ms / HOUR)} h ${pad(Math.floor((ms % HOUR) / MINUTE))} m`
}

/** How long it has lasted, as a clock: 0:42, 14:07; after an hour 1 h 12. */
export function elapsed(ms: number): string {
  const whole = Math.max(ms, 0)
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)}:${pad(Math.floor((whole % MINUTE) / SECOND))}`
  return `${Math.floor(whole / HOUR)} h ${pad(Math.floor((whole % HOUR) / MINUTE))}`
}

/** 840, 12.4 k, 1.2 M. */
export function count(number: number): string {
  if (number < 1_000) return String(number)
  if (number < 1_000_000) return `${trimmed(number / 1_000)} k`
  return `${trimmed(number / 1_000_000)} M`
}

export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`
  if (size < 1_000_000) return `${trimmed(size / 1_000)} kB`
  if (size < 1_000_000_000) return `${trimmed(size / 1_000_000)} MB`
  return `${trimmed(size / 1_000_000_000)} GB`
}

/** Millionths of the currency. */
export function money(cost: number): string {
  return `$${(cost / 1_000_000).toFixed(cost > 0 && cost < 10_000 ? 4 : 2)}`
}

export function many(number: number, one: string, more = `${one}s`): string {
  return `${number} ${number === 1 ? one : more}`
}

/** Cut in the middle, so that the end, which names the file, stays. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const end = Math.ceil((length - 1) * 0.6)
  return `${text.slice(0, length - 1 - end)}…${text.slice(-end)}`
}

function trimmed(number: number): string {
  return number < 100 ? number.toFixed(1).replace(/\.0$/, '') : String(Math.round(number))
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}

/** What is said of something that failed. */
export function sentence(refused: unknown): string {
  return refused instanceof Error && refused.message !== '' ? refused.message : 'That did not work. Try again.'
}
