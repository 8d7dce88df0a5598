// One thing done with many sessions, a few at a time. What one refuses keeps none of the others.

import type { SessionRow } from '../api/shapes.gen'
import { sentence } from '../ui/words'

const AT_ONCE = 4

export interface Failed {
  row: SessionRow
  why: string
}

/** Those with which it did not work. */
export async function each(rows: readonly SessionRow[], act: (row: SessionRow) => Promise<unknown>): Promise<Failed[]> {
  const failed: Failed[] = []
  const rest = rows.values()
  const work = async () => {
    for (const row of rest) {
      await act(row).catch((refused: unknown) => failed.push({ row, why: sentence(refused) }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return failed
}
