// A text that grows word by word gives, at its end, what it gives when it is read as a whole; and what is behind is not
// read again.

import { Marked, type Token } from 'marked'
import { describe, expect, test } from 'vitest'
import { Blocks, type Reading } from './blocks'
import { blockMath, inlineMath } from './math'

const marked = new Marked({ gfm: true, extensions: [inlineMath, blockMath] })
const reading: Reading = { lex: (text) => marked.lexer(text), render: (token) => marked.parser([token]) }

const texts = {
  prose: 'One *two* three.\n\nFour `five`\nsix.\n\n## Seven\n\nEight.',
  lists: '- a\n- b\n  - c\n\n- d\n\nText.\n\n1. x\n2. y\n',
  code: 'Before\n\n```python\nprint("a")\n\nprint("b")\n```\n\nAfter\n\n~~~\nopen',
  table: '| a | b |\n|---|---|\n| 1 | 2 |\n\nafter',
  math: 'Let $x^2$ be.\n\n$$\n\\int_0^1 x\n$$\n\nIt costs $5 and $6.',
  quote: '> a\n> b\n\nc\r\n\r\nd',
}

describe.each(Object.entries(texts))('%s', (_name, text) => {
  test('gives the same in pieces as at once', () => {
    const blocks = new Blocks(reading)
    for (let end = 1; end <= text.length; end += 1) blocks.read(text.slice(0, end), true)
    const grown = blocks.read(text, true)
    const whole = new Blocks(reading).read(text, false)
    expect(grown.map((block) => ({ ...block, closed: true }))).toEqual(whole.map((block) => ({ ...block, closed: true })))
    expect(blocks.read(text, false)).toEqual(whole)
  })
})

test('what is behind the last block is not read again', () => {
  let read = 0
  const counting: Reading = {
    lex: (text) => {
      read += text.length
      return marked.lexer(text)
    },
    render: (token: Token) => marked.parser([token]),
  }
  const paragraph = 'Some words that fill a line.\n\n'
  const blocks = new Blocks(counting)
  const text = paragraph.repeat(500)
  for (let end = 20; end <= text.length; end += 20) blocks.read(text.slice(0, end), true)
  expect(read).toBeLessThan(text.length * 10)
})

test('a fence that is not closed yet is not closed', () => {
  const [open] = new Blocks(reading).read('```js\nlet a', true)
  const [closed] = new Blocks(reading).read('```js\nlet a\n```', true)
  expect(open).toMatchObject({ kind: 'code', text: 'let a', language: 'js', closed: false })
  expect(closed).toMatchObject({ closed: true })
})

test('money is not math', () => {
  const [block] = new Blocks(reading).read('It costs $5 and $6 today.', false)
  expect(block).toMatchObject({ html: expect.not.stringContaining('math') })
})
