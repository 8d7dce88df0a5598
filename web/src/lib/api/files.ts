// Files that go with a message. They come by fetch, because a credential does not fit into an address.

import { send } from './client'
import { values } from './values'
import type { Attachment } from './shapes.gen'

export async function storeFile(file: File): Promise<Attachment> {
  const response = await send(`/api/files?${new URLSearchParams({ name: file.name || 'file' })}`, {
    method: 'POST',
    body: new Blob([file], { type: file.type || 'application/octet-stream' }),
  })
  return values.read('Attachment', await response.json())
}

/** Only what is a picture and nothing else: what a script could hide in is never given a picture's type. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export function isPicture(file: Attachment): boolean {
  return PICTURES.has(file.media_type)
}

export async function readFile(file: Attachment): Promise<Blob> {
  const response = await send(`/api/files/${file.blob}`, {})
  const type = isPicture(file) ? file.media_type : 'application/octet-stream'
  return new Blob([await response.arrayBuffer()], { type })
}
