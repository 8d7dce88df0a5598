// What takes room on the server, what may go, and what this server is.

import { parsed, send, type Asked } from './client'
import { Reader } from './read'
import type { About, Examination, LooseFiles, Purged, Storage } from './shapes.gen'
import { LATER_SHAPES } from './shapes.later.gen'

interface Told {
  About: About
  Examination: Examination
  LooseFiles: LooseFiles
  Purged: Purged
  Storage: Storage
}

const reader = new Reader<Told>(LATER_SHAPES)

async function ask<N extends keyof Told>(name: N, path: string, asked: Asked = {}): Promise<Told[N]> {
  return reader.read(name, await parsed(await send(path, asked)))
}

/** `days`: for how long an archived session was not active. */
export function lookAtStorage(days: number): Promise<Storage> {
  return ask('Storage', `/api/storage?days=${days}`)
}

/** Without `days` only what is deleted goes. */
export function purge(sessions: string[], days: number | null): Promise<Purged> {
  return ask('Purged', '/api/storage/purge', { method: 'POST', body: { sessions, days } })
}

export function collectFiles(): Promise<LooseFiles> {
  return ask('LooseFiles', '/api/storage/files/collect', { method: 'POST' })
}

export function about(): Promise<About> {
  return ask('About', '/api/about')
}

export function examine(): Promise<Examination> {
  return ask('Examination', '/api/examination')
}
