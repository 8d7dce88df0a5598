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
