// Several sessions as files.

import { save, type Format } from './transfer'

const AT_ONCE = 200

/** These sessions in one archive, or in as many as the server makes of them. */
export async function exportChosen(ids: readonly string[], format: Format): Promise<void> {
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const chosen = ids.slice(from, from + AT_ONCE).map((id) => ['session', id])
    await save(`/api/export?${new URLSearchParams([['format', format], ...chosen])}`)
  }
}
