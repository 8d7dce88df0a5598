// Web Push for the device that asks.

import { request, send } from './client'
import type { PushState, PushSubscribed } from './shapes.gen'

export function readPush(): Promise<PushState> {
  return request('PushState', '/api/push')
}

export async function beginPush(body: PushSubscribed): Promise<void> {
  await send('/api/push', { method: 'PUT', body })
}

export async function endPush(): Promise<void> {
  await send('/api/push', { method: 'DELETE' })
}
