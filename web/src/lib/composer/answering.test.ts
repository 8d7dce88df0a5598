import { expect, test } from 'vitest'
import type { Approval, Question } from '../session/state'
import { Answering } from './answering.svelte'

type Asks = (Approval | Question)[]
const approval = { type: 'approval', ask: 'a' } as Approval
const question = (ask: string, fields: Partial<Question> = {}) =>
  ({ type: 'question', ask, text: `${ask}?`, choices: [], free_text: true, secret: false, ...fields }) as Question

test('words answer the oldest question that takes any, never an approval', () => {
  const waiting = [approval, question('secret', { secret: true }), question('closed', { free_text: false, choices: ['x'] }), question('q'), question('r')]
  const answering = new Answering(() => waiting, { ask: null })
  expect(answering.offered?.ask).toBe('q')
  answering.begin()
  expect(answering.question?.ask).toBe('q')
  answering.leave()
  expect(answering.question).toBeUndefined()
})

test('what was begun as a message stays one when a question comes', () => {
  let waiting: Asks = []
  const answering = new Answering(() => waiting, { ask: null })
  answering.begin()
  waiting = [question('q')]
  expect(answering.question).toBeUndefined()
})

test('what answered a question that waits no more answers no other', () => {
  let waiting: Asks | null = [question('q'), question('r')]
  const answering = new Answering(() => waiting, { ask: null })
  answering.begin()
  expect(answering.without).toBeNull()
  waiting = [question('r')]
  expect(answering.question).toBeUndefined()
  expect(answering.without).toBe('over')
  waiting = null
  expect(answering.without).toBe('unknown')
  answering.leave()
  expect(answering.without).toBeNull()
})

test('what is begun as an answer is one again wherever its draft is', () => {
  const draft = { ask: null as string | null }
  const waiting: Asks = [question('q')]
  new Answering(() => waiting, draft).begin()
  expect(new Answering(() => waiting, draft).question?.ask).toBe('q')
})

test('words with a file are a message', () => {
  let files = false
  const waiting: Asks = [question('q')]
  const answering = new Answering(() => waiting, { ask: null }, () => files)
  answering.begin()
  files = true
  expect([answering.offered, answering.question, answering.without]).toEqual([undefined, undefined, null])
})
