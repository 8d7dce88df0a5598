// The order of messages that wait.

/** The order in which `one` has moved by so many places; null if it can't move that way. */
export function moved(order: readonly string[], one: string, step: number): string[] | null {
  const from = order.indexOf(one)
  const to = from + step
  if (from < 0 || step === 0 || to < 0 || to >= order.length) return null
  return order.toSpliced(from, 1).toSpliced(to, 0, one)
}
