import { afterEach, describe, expect, test, vi } from 'vitest'
import { speak } from '../words'
import { diffLines, hunks } from './diff'
import { unbroken } from './unbroken'
import { visible } from './visible'
import { bytes, count, cutMiddle, duration, elapsed, fullTime, locale, money, took } from './words'

describe('what can’t be seen', () => {
  test('is named', () => {
    const shown = visible('rm\u202e-rf\u200b\u00a0x\u001b[31m\tok\n')
    expect(shown.filter((piece) => piece.escaped).map((piece) => piece.text)).toEqual([
      'U+202E',
      'U+200B',
      'U+00A0',
      'U+001B',
    ])
    expect(shown.map((piece) => piece.text).join('')).toBe('rmU+202E-rfU+200BU+00A0xU+001B[31m\tok\n')
  })

  test('is nothing in what can be', () => {
    expect(visible('ls -la | grep "ä👍"')).toEqual([{ text: 'ls -la | grep "ä👍"', escaped: false }])
    expect(visible('')).toEqual([])
  })
})

describe('a command', () => {
  test('keeps its options on one line, and every letter', () => {
    const command = `docker system prune -af && rm --force ./${'a-'.repeat(40)}`
    const parts = unbroken(command)
    expect(parts.filter(({ whole }) => whole).map(({ text }) => text)).toEqual(['-af', '--force'])
    expect(parts.map(({ text }) => text).join('')).toBe(command)
    expect(unbroken('')).toEqual([])
  })
})

describe('a diff', () => {
  test('says what stayed, went and came', () => {
    const lines = diffLines('a\nb\nc\n', 'a\nx\nc\nd\n')
    expect(lines.map(({ sign, text }) => sign + text)).toEqual([' a', '-b', '+x', ' c', '+d'])
  })

  test('gives both texts back', () => {
    const [old, fresh] = ['1\n2\n3\n4\n5\n6', '0\n2\n3\n5\n5\n6\n7']
    const lines = diffLines(old, fresh)
    expect(lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)).toEqual(old.split('\n'))
    expect(lines.filter(({ sign }) => sign !== '-').map(({ text }) => text)).toEqual(fresh.split('\n'))
  })

  test('of a new file is all new', () => {
    expect(diffLines(null, 'a\nb').every(({ sign }) => sign === '+')).toBe(true)
  })

  test('leaves out what lies far from any change', () => {
    const old = Array.from({ length: 50 }, (_, i) => `line ${i}`)
    const found = hunks(diffLines(old.join('\n'), [...old.slice(0, 25), 'new', ...old.slice(25)].join('\n')))
    expect(found).toHaveLength(1)
    expect(found[0]?.skipped).toBe(22)
    expect(found[0]?.lines).toHaveLength(7)
  })
})

test('numbers are said as people say them', () => {
  expect([duration(120), duration(12_000), duration(64_000), duration(4_320_000)]).toEqual([
    '0.1 s',
    '12 s',
    '1 m 04 s',
    '1 h 12 m',
  ])
  expect([took(49), took(50)]).toEqual(['', '0.1 s'])
  expect([elapsed(42_000), elapsed(847_000), elapsed(4_320_000)]).toEqual(['0:42', '14:07', '1 h 12'])
  expect([count(840), count(12_400), count(128_000), count(1_200_000)]).toEqual(['840', '12.4 k', '128 k', '1.2 M'])
  expect(money(40_000)).toBe('$0.04')
})

describe('in another language', () => {
  afterEach(async () => {
    vi.unstubAllGlobals()
    await speak('en')
  })

  test('numbers are written as it writes them', async () => {
    await speak('de')
    expect([duration(120), duration(64_000), elapsed(42_000)]).toEqual(['0,1 s', '1 min 04 s', '0:42'])
    expect([count(840), count(12_400), count(2_000_000)]).toEqual(['840', '12,4 Tsd.', '2 Mio.'])
    expect([bytes(1_500), bytes(128_000), money(40_000)]).toEqual(['1,5 kB', '128 kB', '0,04\u00a0$'])
  })

  test('dates follow the place of the reader, if that place speaks it', async () => {
    vi.stubGlobal('navigator', { languages: ['fr-FR', 'en-GB', 'en'] })
    expect(locale()).toBe('en-GB')
    expect(fullTime(new Date(2026, 2, 1, 15).getTime())).toMatch(/1 Mar 2026.*15:00/)
    await speak('de')
    expect(locale()).toBe('de')
    expect(fullTime(new Date(2026, 2, 1, 15).getTime())).toMatch(/01\.03\.2026.*15:00/)
  })
})

test('a path is cut in its middle', () => {
  const cut = cutMiddle('/home/somebody/projects/holdfast/src/holdfast/server/routes.py', 30)
  expect(cut).toHaveLength(30)
  expect(cut.endsWith('/server/routes.py')).toBe(true)
})
