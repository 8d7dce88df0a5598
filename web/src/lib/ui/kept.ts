// What this browser remembers by itself. Where it can't, the page works all the same and forgets.

const PREFIX = 'holdfast.'

export function kept<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + key)
    return text === null ? otherwise : (JSON.parse(text) as T) // only we write it
  } catch {
    return otherwise
  }
}

/** What is kept under names that begin so, without that beginning. */
export function keptUnder(beginning: string): string[] {
  const whole = PREFIX + beginning
  try {
    const names = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? '')
    return names.filter((name) => name.startsWith(whole)).map((name) => name.slice(whole.length))
  } catch {
    return []
  }
}

/** Keep the value; an empty one is forgotten. */
export function keep(key: string, value: unknown): void {
  const empty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  try {
    if (empty) localStorage.removeItem(PREFIX + key)
    else localStorage.setItem(PREFIX + key, JSON.stringify(value))
  } catch {
    // No room, or none for us: nothing that the page needs depends on it.
  }
}
