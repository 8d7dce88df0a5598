// What is on screen: settled pages and the growing state show together what a session that was never settled shows.

import { describe, expect, test } from 'vitest'
import { Reader } from '../api/read'
import { SHAPES, type PageItem } from '../api/shapes.gen'
import { Transcript, type Entry, type Shown } from './entries'
import { readRecord } from './records'
import { apply, newSession } from './reduce'
import type { Session } from './state'

const reader = new Reader<{ PageItem: PageItem }>(SHAPES)

function item(number: number, fields: object): PageItem {
  return reader.read('PageItem', { number, item: { turn: `t${number}`, time: number, ...fields } })
}

const user = (number: number) => item(number, { type: 'user', k: 0, text: `message ${number}` })
const text = (number: number, words: string, part = 0, k = 1) => item(number, { type: 'text', k, text: words, part })
const end = (number: number) => item(number, { type: 'end', k: 1_000_000_000, outcome: 'completed' })

function transcript() {
  return new Transcript(
    (key, shown): Entry => ({ key, type: shown.type, parent: shown.parent, call: null, item: shown }),
    (id, number): Shown => ({ id, number, entries: [] }),
  )
}

function said(transcript: Transcript): string[] {
  return transcript.turns.flatMap((turn) => turn.entries.map(({ item }) => ('text' in item ? item.text : item.type)))
}

function running(): Session {
  const state = newSession()
  const records = [
    { epoch: 1, event: { kind: 'runner.started' } },
    { event: { kind: 'turn.submitted', turn: 't3', text: 'message 3' } },
    { epoch: 1, event: { kind: 'turn.started', turn: 't3' } },
    { epoch: 1, event: { kind: 'text.appended', turn: 't3', text: 'and on' } },
  ]
  records.forEach((record, i) => apply(state, readRecord({ seq: i + 1, time: 3, ...record })))
  const turn = state.turns.get('t3')
  if (turn !== undefined) turn.number = 3
  return state
}

describe('pages', () => {
  test('stand before what is there, however often one is put before another', () => {
    const shown = transcript()
    shown.include([user(2), text(2, 'b'), end(2)])
    shown.include([user(1), text(1, 'a'), end(1)])
    expect(said(shown)).toEqual(['message 1', 'a', 'end', 'message 2', 'b', 'end'])
  })

  test('may cut a turn, and a text', () => {
    const shown = transcript()
    shown.include([text(1, 'third ', 2), end(1)])
    shown.include([text(1, 'second ', 1)])
    shown.include([user(1), text(1, 'first ', 0)])
    expect(said(shown)).toEqual(['message 1', 'first second third ', 'end'])
    expect(shown.turns).toHaveLength(1)
  })

  test('may come in any order, and twice', () => {
    const [one, two, three] = [[user(1), text(1, 'a ', 0)], [text(1, 'b ', 1)], [text(1, 'c', 2), end(1)]]
    for (const order of [[one, three, two], [two, one, three], [three, one, two, one], [two, three, two, one]]) {
      const shown = transcript()
      for (const page of order) shown.include(page)
      expect(said(shown)).toEqual(['message 1', 'a b c', 'end'])
    }
  })
})

describe('the state', () => {
  test('stands after the pages', () => {
    const shown = transcript()
    shown.include([user(2), text(2, 'b'), end(2)])
    shown.grow(running())
    expect(said(shown)).toEqual(['message 2', 'b', 'end', 'message 3', 'and on'])
  })

  test('goes on with a text whose beginning is settled, however much comes', () => {
    const shown = transcript()
    const state = running()
    const growing = state.turns.get('t3')?.items.get(1)
    if (growing?.type === 'text') growing.part = 2
    shown.include([user(3), text(3, 'one ', 0), text(3, 'two ', 1)])
    shown.grow(state)
    expect(said(shown)).toEqual(['message 3', 'one two and on'])
    apply(state, readRecord({ seq: 5, time: 4, epoch: 1, event: { kind: 'text.appended', turn: 't3', text: ' and on' } }))
    shown.update(state)
    expect(said(shown)).toEqual(['message 3', 'one two and on and on'])
  })

  test('draws again what has changed and nothing else', () => {
    const shown = transcript()
    const state = running()
    shown.grow(state)
    const before = shown.turns[0]?.entries.map(({ item }) => item)
    apply(state, readRecord({ seq: 5, time: 4, epoch: 1, event: { kind: 'text.appended', turn: 't3', text: '!' } }))
    shown.update(state)
    const after = shown.turns[0]?.entries.map(({ item }) => item)
    expect(after?.[0]).toBe(before?.[0])
    expect(after?.[1]).not.toBe(before?.[1])
    expect(state.touched.size).toBe(0)
  })
})
