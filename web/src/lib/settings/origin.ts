// Which program a file comes from, by its first bytes.

const HEAD = 200
/** What an archive begins with. Only we hand one out: the export of all sessions. */
const ARCHIVE = 'PK\u0003\u0004'

/** Ours says so in its first line; everything else is taken for Open WebUI's, which says nothing of itself. */
export async function originOf(file: Blob): Promise<'holdfast' | 'open-webui'> {
  const head = await file.slice(0, HEAD).text()
  return head.startsWith(ARCHIVE) || head.includes('"holdfast"') ? 'holdfast' : 'open-webui'
}
