// What people read is in the files of the languages and nowhere else, and no style knows left from right.

import { parse } from 'svelte/compiler'
import { describe, expect, test } from 'vitest'

interface Node {
  type: string
  [field: string]: unknown
}

/** Sentences of the log, which the server writes: here they are made again, or known again. */
const LOGGED = ['/src/lib/session/course.ts', '/src/lib/asks/words.ts']
/** It runs without the page, and so without its language: what it can't be told is said in English. */
const WORKER = '/src/sw.ts'
const TESTS = /\.(?:test|gen|setup)\.ts$/
const LANGUAGES = /\/words\/(?:\w\w|languages)\.ts$/

/** Letters that need no translation. */
const EXEMPT = new Map([
  ['Holdfast', 'the name of the product'],
  ['Markdown', 'the name of a format'],
  ['iPhone iPad Android Mac Windows Chromebook Linux', 'names of devices, which are in the log'],
  ['Enter Escape Backspace Tab Home End Shift Key Mod Alt Cmd Option', 'names of keys'],
  ['ollama', 'a name, as an example'],
  ['Bearer', 'the name of a scheme in a header'],
  ['Files', 'what a browser calls files that are dragged'],
])
const NAMES = new Set([...EXEMPT.keys()].flatMap((names) => names.split(' ')))
const ADDRESS = /^https?:\/\/\S+$/
/** What is thrown at those who write the page, or at nobody: it is never shown. */
const THROWN = new Set(['Error', 'Unreadable'])
/** Calls whose words are names of shapes. */
const SHAPES = new Set(['ask', 'read', 'request'])
/** Attributes, and what our own components call them. */
const SAID = new Set(['aria-label', 'title', 'placeholder', 'alt', 'label', 'hint', 'legend', 'words', 'aside'])

const sources = import.meta.glob<string>('/src/**/*.{svelte,ts,css}', { query: '?raw', import: 'default', eager: true })
const covered = Object.entries(sources).filter(
  ([path]) => !TESTS.test(path) && !LANGUAGES.test(path),
)

describe.each(covered)('%s', (path, text) => {
  const tree = parsed(path, text)

  test.skipIf([...LOGGED, WORKER].includes(path))('says nothing that is not in the files of the languages', () => {
    expect(written(tree)).toEqual([])
  })

  test('writes dates and numbers in the language of the page', () => {
    expect(text.match(/\b(?:toLocale\w*String|Intl\.\w+)\((?:undefined\b|\))/g)).toBeNull()
  })

  test('knows no left and no right', () => {
    expect(physical(tree)).toEqual([])
  })
})

describe('the check itself', () => {
  const find = (source: string) => written(parsed('a.svelte', source))
  const style = (rule: string) => physical(parsed('a.css', `a { ${rule} }`))

  test('covers the page', () => expect(covered.length).toBeGreaterThan(150))

  test('finds what is written', () => {
    expect(find('<p>Not sent</p>')).toEqual(['Not sent'])
    expect(find('<p>{#if a}Sent{:else}{b}{/if}</p>')).toEqual(['Sent'])
    expect(find('<b aria-label="Of {a}">{a}</b>')).toEqual(['Of'])
    expect(find("<b title={a ? 'more' : b}>{a}</b>")).toEqual(['more'])
    expect(find("<p>{a ? 'Sending…' : b}</p>")).toEqual(['Sending…'])
    expect(find('<p>{`${a} lines`}</p>')).toEqual(['lines'])
    expect(find("<script lang=\"ts\">const a: string = 'Not sent.'</script>")).toEqual(['Not sent.'])
  })

  test('leaves out what nobody reads', () => {
    expect(find('<p class="one two">{a} · <kbd>Esc</kbd> <code>docs/</code></p>')).toEqual([])
    expect(find("<p>{a === 'waiting' ? b : ''}</p>")).toEqual([])
    expect(find("<script>if (a.key === 'Escape') throw new Error('Never so.')</script>")).toEqual([])
  })

  test('finds left and right', () => {
    expect(style('margin-left: 0')).toEqual(['margin-left: 0'])
    expect(style('text-align: right')).toEqual(['text-align: right'])
    expect(style('padding: 0 1px 2px calc(3px * 2)')).toEqual(['padding: 0 1px 2px calc(3px * 2)'])
    expect(style('border-radius: 1px 0 0 1px')).toEqual(['border-radius: 1px 0 0 1px'])
    expect(style('border-radius: 1px 1px 0 0; padding: 0 1px 2px 1px; margin-inline: 1px 2px; text-align: start')).toEqual([])
  })
})

/** Scripts and style sheets of their own are parsed as parts of a component. */
function parsed(path: string, text: string): Node {
  const source = path.endsWith('.ts')
    ? `<script lang="ts">${text.replaceAll('</script', '<\\/script')}</script>`
    : path.endsWith('.css')
      ? `<style>${text}</style>`
      : text
  return parse(source, { modern: true }) as unknown as Node
}

/** Everything that people would read, as it is written there. */
function written({ fragment, instance, module }: Node): string[] {
  return [...inMarkup(fragment as Node), ...[instance, module].flatMap((script) => (script ? inScript(script as Node) : []))]
}

function inMarkup(node: Node): string[] {
  // Names of keys, commands and paths are the same in every language.
  if (node.type === 'RegularElement' && (node.name === 'kbd' || node.name === 'code')) return []
  if (node.type === 'Text') return said(node.data as string)
  if (node.type === 'Attribute') return SAID.has(node.name as string) ? inValue(node.value) : []
  if (node.type === 'ExpressionTag') return [...inScript(node), ...inTemplates(node)]
  if (node.type === 'Comment') return []
  return below(node).flatMap((each) => (isMarkup(each) ? inMarkup(each) : inScript(each)))
}

/** Of what is said for sure, every word counts, but not those that it is compared with. */
function inValue(value: unknown): string[] {
  const walk = (node: Node): string[] => {
    if (node.type === 'BinaryExpression') return []
    if (node.type === 'Text') return said(node.data as string)
    if (node.type === 'Literal' && typeof node.value === 'string') return said(node.value)
    if (node.type === 'TemplateElement') return said((node.value as { cooked: string }).cooked)
    if (node.type === 'CallExpression' || node.type === 'MemberExpression') return []
    return below(node).flatMap(walk)
  }
  return (Array.isArray(value) ? value : [value]).filter(isNode).flatMap(walk)
}

/** In what is put into text, every word of a template is read. */
function inTemplates(node: Node): string[] {
  if (node.type === 'TemplateElement') return said((node.value as { cooked: string }).cooked)
  if (node.type === 'CallExpression' || node.type === 'ArrowFunctionExpression') return []
  return below(node).flatMap(inTemplates)
}

/** In a script, whatever looks like a word at the beginning of a sentence. */
function inScript(node: Node): string[] {
  if (node.type === 'NewExpression' && THROWN.has(nameOf(node.callee))) return []
  if (node.type === 'CallExpression' && SHAPES.has(nameOf(node.callee))) return []
  if (node.type.startsWith('TS') && node.type !== 'TSAsExpression' && node.type !== 'TSSatisfiesExpression') return []
  if (node.type === 'ImportDeclaration') return []
  const text = node.type === 'Literal' ? node.value : node.type === 'TemplateElement' ? (node.value as { cooked: string }).cooked : ''
  if (typeof text === 'string' && /^\s*\p{Lu}\p{Ll}+(?:[\s,.…’]|$)|\p{Ll}{2} \p{Ll}{2,} \p{Ll}{2}/u.test(text)) return said(text)
  return below(node).flatMap(inScript)
}

function said(text: string): string[] {
  const trimmed = text.trim()
  const letters = trimmed.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return /\p{L}{2}/u.test(letters) && !NAMES.has(letters) && !ADDRESS.test(trimmed) ? [trimmed] : []
}

const PHYSICAL = /^(?:left|right|(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right).*|border-(?:top|bottom)-(?:left|right)-radius)$/
const SIDED = /^(?:text-align|float|clear)$/
const FOUR = /^(?:margin|padding|inset|border-width)$/

function physical({ css }: Node): string[] {
  return css === null ? [] : declarations(css as Node).flatMap(([property, value]) => {
    const four = value.match(/(?:[^\s(]|\([^()]*(?:\([^()]*\)[^()]*)*\))+/g) ?? []
    const [first, second = first, third = first, fourth = second] = four
    const uneven = property === 'border-radius' ? first !== second || third !== fourth : FOUR.test(property) && second !== fourth
    const sided = SIDED.test(property) && /\b(?:left|right)\b/.test(value)
    return PHYSICAL.test(property) || sided || uneven ? [`${property}: ${value}`] : []
  })
}

function declarations(node: Node): [string, string][] {
  if (node.type === 'Declaration') return [[node.property as string, node.value as string]]
  return below(node).flatMap(declarations)
}

function isMarkup(node: Node): boolean {
  return /^(?:Fragment|Text|Comment|ExpressionTag|RegularElement|Component|Attribute|Svelte|Title|[A-Z]\w+Block|Render|Html)/.test(node.type)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function below(node: Node): Node[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isNode)
}

function nameOf(callee: unknown): string {
  const node = callee as Node
  return String(node.type === 'MemberExpression' ? (node.property as Node).name : node.name)
}
