// What was used, where the disk goes, how the server is.

import { parsed, send } from './client'
import { Reader } from './read'
import type { Insights } from './shapes.gen'
import { LATER_SHAPES } from './shapes.later.gen'

const reader = new Reader<{ Insights: Insights }>(LATER_SHAPES)

/** Of so many days, today included, as this browser's clock parts them. */
export async function readInsights(days: number): Promise<Insights> {
  const offset = -new Date().getTimezoneOffset()
  const query = new URLSearchParams({ days: String(days), offset: String(offset) })
  return reader.read('Insights', await parsed(await send(`/api/insights?${query}`, {})))
}
