// The tokens keep their promises: every ink can be read on every ground it stands on, in both themes, and no
// other file brings a colour, a font size or a shadow of its own.

import { describe, expect, test } from 'vitest'
import tokens from './tokens.css?raw'

type Theme = Record<string, string>

const [lightRules = '', darkRules = ''] = tokens.split('@media screen and (prefers-color-scheme: dark)')
const light = colours(lightRules)
const themes: [string, Theme][] = [
  ['light', light],
  ['dark', { ...light, ...colours(darkRules) }],
]

const pairs = [
  ...['ink', 'ink-2', 'ink-3', 'kelp', 'amber', 'red', 'green', 'blue'].flatMap((ink) =>
    ['ground', 'rail', 'card', 'well'].map((ground) => [ink, ground] as const),
  ),
  ...['ink', 'ink-2', 'ink-3', 'kelp'].map((ink) => [ink, 'kelp-wash'] as const),
  ...['ink', 'ink-2', 'amber'].map((ink) => [ink, 'amber-wash'] as const),
  ...['ink', 'ink-2', 'red'].map((ink) => [ink, 'red-wash'] as const),
  ...['ink', 'ink-2', 'kelp'].map((ink) => [ink, 'line'] as const), // a row under the pointer
  ['on-kelp', 'kelp'] as const,
]

describe.each(themes)('in the %s theme', (_name, theme) => {
  test.each(pairs)('%s can be read on %s', (ink, ground) => {
    expect(contrast(theme[ink], theme[ground])).toBeGreaterThanOrEqual(4.5)
  })
})

test('dark gives a value of its own to every colour', () => {
  expect(Object.keys(colours(darkRules))).toEqual(Object.keys(light))
})

test('contrast is measured as WCAG does', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
})

const files = Object.entries(
  import.meta.glob<string>(['./**/*.svelte', './**/*.css', '!./tokens.css'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)

test.each(files)('%s takes colours, font sizes and shadows from the tokens only', (_path, source) => {
  const styles = source.includes('<style>') ? source.slice(source.indexOf('<style>')) : source
  expect(styles).not.toBe('')
  expect(styles).not.toMatch(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|oklab|lab|lch|hwb)a?\(/i)
  expect(styles).not.toMatch(/font(?:-size)?:[^;]*\d(?:px|rem|em|pt)\b/)
  expect(styles).not.toMatch(/shadow:(?!\s*(?:var\(|none))/)
})

function colours(rules: string): Theme {
  const found = rules.matchAll(/--([a-z0-9-]+):\s*(#[0-9a-f]{6});/g)
  return Object.fromEntries([...found].map(([, name, value]) => [name, value]))
}

function contrast(one: string | undefined, other: string | undefined): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

function luminance(colour: string | undefined): number {
  if (colour === undefined) throw new Error('The tokens do not name this colour.')
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
