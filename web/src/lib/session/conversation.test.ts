// How a session that can't be opened says so, and when it does not give up.

import { expect, test, vi } from 'vitest'
import { Refused } from '../api/client'
import { Conversation } from './conversation.svelte'

let refusal: Refused
vi.mock(import('../api/sessions'), async (original) => ({
  ...(await original()),
  openSession: () => Promise.reject(refusal),
}))

const opened = async () => {
  const conversation = new Conversation('s', () => undefined)
  const thrown = await conversation.load().catch((error: unknown) => error)
  return { conversation, thrown }
}

test('a server that has no room just now is asked again by whoever asked', async () => {
  refusal = new Refused(503, 'TooManyConnections', 'Too many connections are open already.')
  const { conversation, thrown } = await opened()
  expect(thrown).toBe(refusal)
  expect(conversation.phase).toBe('loading')
})

test('any other refusal is said', async () => {
  refusal = new Refused(500, '', 'It broke.')
  const { conversation, thrown } = await opened()
  expect(thrown).toBeUndefined()
  expect([conversation.phase, conversation.error]).toEqual(['failed', refusal.message])
  refusal = new Refused(404, 'NoSuchSession', 'It is not there.')
  await conversation.load()
  expect(conversation.phase).toBe('gone')
})
