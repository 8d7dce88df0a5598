import { expect, test } from 'vitest'
import type { Approval, Question } from '../session/state'
import { Answering } from './answering.svelte'

type Asks = (Approval | Question)[]
const approval = { type: 'approval', ask: 'a' } as Approval
const question = (ask: string, fields: Partial<Question> = {}) =>
  ({ type: 'question', ask, text: `${ask}?`, choices: [], free_text: true, secret: false, ...fields }) as Question

test('words answer the oldest question that takes any, never an approval', () => {
  const waiting = [approval, question('secret', { secret: true }), question('closed', { free_text: false, choices: ['x'] }), question('q'), question('r')]
  const answering = new Answering(() => waiting)
  expect(answering.offered?.ask).toBe('q')
  answering.begin()
  expect(answering.question?.ask).toBe('q')
  answering.leave()
  expect(answering.question).toBeUndefined()
})

test('what was begun as a message stays one when a question comes', () => {
  let waiting: Asks = []
  const answering = new Answering(() => waiting)
  answering.begin()
  waiting = [question('q')]
  expect(answering.question).toBeUndefined()
})

test('what answered a question that waits no more answers no other', () => {
  let waiting: Asks = [question('q'), question('r')]
  const answering = new Answering(() => waiting)
  answering.begin()
  waiting = [question('r')]
  expect(answering.question).toBeUndefined()
})
