import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { SessionRow } from '../api/shapes.gen'
import { each } from './batch'
import { Filter } from './filter.svelte'
import { become, fitting, meant, Wish, withProject, withTag } from './wish'

const filed = (project: string, ...tags: string[]) => ({ project, tags })

describe('the filter', () => {
  beforeEach(() => {
    const kept = new Map<string, string>()
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    })
  })

  test('lets through what is in the project and has every tag', () => {
    const filter = new Filter()
    expect([filter.on, filter.fits(filed('', 'x'))]).toEqual([false, true])
    filter.set({ project: 'p', tags: ['x', 'y'] })
    expect(filter.on).toBe(true)
    expect(filter.fits(filed('p', 'y', 'z', 'x'))).toBe(true)
    expect(filter.fits(filed('p', 'x'))).toBe(false)
    expect(filter.fits(filed('q', 'x', 'y'))).toBe(false)
  })

  test('is remembered, and forgotten when it is empty', () => {
    new Filter().set({ project: 'p', tags: [] })
    expect(new Filter().filed.project).toBe('p')
    new Filter().set({ project: '', tags: [] })
    expect(new Filter().on).toBe(false)
  })

  test('leaves out of a row what all rows have', () => {
    const filter = new Filter()
    expect(filter.beyond(filed('p', 'x', 'y'))).toEqual(['p', '#x', '#y'])
    filter.set({ project: 'p', tags: ['y'] })
    expect(filter.beyond(filed('p', 'x', 'y'))).toEqual(['#x'])
    expect(filter.beyond(filed(''))).toEqual([])
  })

  test('takes a name and lets go of it', () => {
    const once = withTag(withProject({ project: '', tags: [] }, 'p'), 'x')
    expect(once).toEqual({ project: 'p', tags: ['x'] })
    expect(withProject(withTag(once, 'x'), 'p')).toEqual({ project: '', tags: [] })
  })
})

describe('a wish for some sessions', () => {
  const rows = [filed('p', 'all', 'some'), filed('q', 'all')]

  test('knows what all have and what only some do', () => {
    const wish = new Wish(rows)
    expect(wish.project).toBe(null)
    expect(wish.tags.map((tag) => [tag, wish.has(tag)])).toEqual([
      ['all', true],
      ['some', 'mixed'],
    ])
    expect(rows.map((row) => wish.change(row))).toEqual([null, null])
  })

  test('says of each only what is to change', () => {
    const wish = new Wish(rows).within(' q ').with('some', true).with('all', false).with('new', true)
    expect(rows.map((row) => wish.change(row))).toEqual([
      { project: 'q', add_tags: ['new'], remove_tags: ['all'] },
      { add_tags: ['some', 'new'], remove_tags: ['all'] },
    ])
    expect(wish.within('').change(filed('q'))).toEqual({ project: '', add_tags: ['some', 'new'] })
  })

  test('is shown as it will be until the row comes', () => {
    expect(become(filed('p', 'a', 'b'), { add_tags: ['c', 'a'], remove_tags: ['b'] })).toEqual(filed('p', 'a', 'c'))
    expect(become(filed('p'), { project: '' })).toEqual(filed(''))
  })

  test('is written as what is there already', () => {
    expect(meant(['Docs', 'api'], ' docs ')).toBe('Docs')
    expect(meant(['Docs', 'docs'], 'docs')).toBe('docs')
    expect(meant(['Docs'], ' new one ')).toBe('new one')
    expect(fitting(['harbour', 'bar', 'Barge', 'sea'], 'BAR', 2)).toEqual(['bar', 'Barge'])
    expect(fitting(['a', 'b'], '', 9)).toEqual(['a', 'b'])
  })
})

test('what one session refuses keeps none of the others', async () => {
  const rows = Array.from({ length: 9 }, (_, i) => ({ id: `s${i}` }) as SessionRow)
  const done: string[] = []
  const failed = await each(rows, async ({ id }) => {
    await Promise.resolve()
    if (id === 's3') throw new Error('It is gone.')
    done.push(id)
  })
  expect(failed.map(({ row, why }) => [row.id, why])).toEqual([['s3', 'It is gone.']])
  expect(done).toHaveLength(8)
})
