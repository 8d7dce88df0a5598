// Taking sessions over from elsewhere, and handing them out as files.

import { words } from '../words'
import { request, send } from './client'
import type { HermesSessions, ImportReport, Report } from './shapes.gen'

export type Format = 'md' | 'html' | 'json'
export const FORMATS: readonly { value: Format; words: string }[] = [
  { value: 'md', words: 'Markdown' },
  {
    value: 'html',
    get words() {
      return words.api.webPage
    },
  },
  { value: 'json', words: 'JSON' },
]

/** From a path on the server's machine; an empty one is where that program usually keeps its sessions. */
export async function startImport(kind: Report['kind'], path: string): Promise<Report> {
  return opened(await request('ImportReport', '/api/import', { method: 'POST', body: { kind, path } }))
}

export async function uploadImport(kind: Report['kind'], file: File): Promise<Report> {
  return opened(await request('ImportReport', `/api/import/upload?kind=${kind}`, { method: 'POST', body: file }))
}

/** The newest first, without what each took and left. */
export async function listImports(): Promise<Report[]> {
  return (await request('ImportList', '/api/imports')).imports
}

export async function readImport(id: string): Promise<Report> {
  return opened(await request('ImportReport', `/api/imports/${encodeURIComponent(id)}`))
}

export function listHermesSessions(): Promise<HermesSessions> {
  return request('HermesSessions', '/api/agents/hermes/sessions')
}

/** With a turn, no more of the session than that. */
export function exportSession(id: string, format: Format, turn?: string): Promise<void> {
  const query = new URLSearchParams({ format, ...(turn !== undefined && { turn }) })
  return save(`/api/sessions/${encodeURIComponent(id)}/export?${query}`)
}

export function exportAll(format: Format): Promise<void> {
  return save(`/api/export?format=${format}`)
}

/** All that the server keeps, of one moment. */
export function downloadBackup(): Promise<void> {
  return save('/api/backup')
}

function opened({ report }: ImportReport): Report {
  return report
}

/** Have the browser keep what the server hands out, under the name that the server gives it. */
export async function save(path: string): Promise<void> {
  const response = await send(path, {})
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'holdfast'
  const address = URL.createObjectURL(await response.blob())
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
