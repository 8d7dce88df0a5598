// What could be asked first in a folder.

import { parsed, send } from './client'
import { Reader } from './read'
import type { Starters } from './shapes.gen'
import { LATER_SHAPES } from './shapes.later.gen'

const reader = new Reader<{ Starters: Starters }>(LATER_SHAPES)

export async function listStarters(workspace: string): Promise<Starters> {
  const response = await send(`/api/starters?${new URLSearchParams({ workspace })}`, {})
  return reader.read('Starters', await parsed(response))
}
