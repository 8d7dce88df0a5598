// What comes from elsewhere: which program wrote a file, and an import that goes on while nobody looks.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Report } from '../api/shapes.gen'
import { Importing } from './importing.svelte'
import { originOf } from './origin'

describe('a file', () => {
  test.each([
    ['a session of ours', '{"holdfast":1,"session":"s1","records":[]}', 'holdfast'],
    ['all sessions of ours', 'PK\u0003\u0004\u0014\u0000one.json', 'holdfast'],
    ['an export of Open WebUI', '[{"id":"1","chat":{"title":"PK"}}]', 'open-webui'],
    ['nothing at all', '', 'open-webui'],
  ])('is known for what it is: %s', async (_, body, origin) => {
    expect(await originOf(new Blob([body]))).toBe(origin)
  })
})

describe('an import', () => {
  let answers: Record<string, unknown[]> = {}

  beforeEach(() => {
    vi.useFakeTimers()
    vi.stubGlobal('localStorage', { getItem: () => null })
    vi.stubGlobal('fetch', (path: string) => Promise.resolve(Response.json(answers[new URL(path, 'http://h').pathname]?.shift())))
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  test('is found again after a reload, and followed until it is over', async () => {
    answers = {
      '/api/imports': [{ imports: [report({ id: 'new', state: 'running' }), report({ id: 'old' })] }],
      '/api/imports/new': [
        { report: report({ id: 'new', state: 'running', done: 1 }) },
        { report: report({ id: 'new', left: [{ name: '', what: 'x', why: 'y' }] }) },
      ],
    }
    const importing = new Importing()
    const seen = importing.resume()
    await vi.waitFor(() => expect(importing.report?.done).toBe(1))
    expect(importing.runs).toBe(true)
    await vi.runAllTimersAsync()
    await seen
    expect(importing.runs).toBe(false)
    expect(importing.report?.left).toHaveLength(1)
  })

  test('that is over shows what it took and left', async () => {
    answers = {
      '/api/imports': [{ imports: [report({ id: 'new' })] }],
      '/api/imports/new': [{ report: report({ id: 'new', left: [{ name: '', what: 'x', why: 'y' }] }) }],
    }
    const importing = new Importing()
    await importing.resume()
    expect(importing.report?.left).toHaveLength(1)
  })

  test('that never was shows nothing', async () => {
    answers = { '/api/imports': [{ imports: [] }] }
    const importing = new Importing()
    await importing.resume()
    expect(importing.report).toBe(null)
  })
})

function report(fields: Partial<Report>): Report {
  const empty = { found: 2, done: 2, known: 0, error: '', taken: [], left: [], settings: [] }
  return { id: 'one', kind: 'hermes-webui', source: '', started: 1, state: 'finished', ended: 2, ...empty, ...fields }
}
