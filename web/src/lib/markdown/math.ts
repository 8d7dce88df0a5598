// Math in markdown: $inline$, $$display$$, \(inline\) and \[display\], as MathML, which needs neither fonts nor styles.

import type { TokenizerAndRendererExtension } from 'marked'

const INLINE = /^(?:\$(?![\s$])((?:\\.|[^$\\\n])*?[^\s\\$])\$(?!\d)|\\\(([^\n]+?)\\\))/
const BLOCK = /^(?:\$\$\s*\n?([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])(?:\n|$)/

export const inlineMath: TokenizerAndRendererExtension = {
  name: 'inlineMath',
  level: 'inline',
  start: (text) => text.search(/\$|\\\(/),
  tokenizer(text) {
    const found = INLINE.exec(text)
    if (found === null) return undefined
    return { type: 'inlineMath', raw: found[0], text: found[1] ?? found[2] ?? '' }
  },
  renderer: (token) => `<span class="math">${escape(token.text as string)}</span>`,
}

export const blockMath: TokenizerAndRendererExtension = {
  name: 'blockMath',
  level: 'block',
  start: (text) => text.search(/\$\$|\\\[/),
  tokenizer(text) {
    const found = BLOCK.exec(text)
    if (found === null) return undefined
    return { type: 'blockMath', raw: found[0], text: (found[1] ?? found[2] ?? '').trim() }
  },
  renderer: (token) => `<p class="math display">${escape(token.text as string)}</p>`,
}

/** Longer ones among words may not fit on a phone: they scroll then. */
const LONG_PX = 200

/** A thin space. */
const THIN = '0.1667em'

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** As TeX does, around a name like `log`: as MathML, KaTeX leaves that to browsers, and they leave it out. */
function space(sign: Element) {
  if (sign.textContent !== '\u2061') return
  const [name, next] = [sign.previousElementSibling, sign.nextElementSibling]
  if (next !== null && !/^[([{|]/.test(next.textContent ?? '')) sign.setAttribute('rspace', THIN)
  if (/^m[in]$/.test(name?.previousElementSibling?.localName ?? '')) sign.parentElement?.insertBefore(gap(), name)
}

function gap(): Element {
  const space = document.createElementNS('http://www.w3.org/1998/Math/MathML', 'mspace')
  space.setAttribute('width', THIN)
  return space
}

/** Replace the formulas in `node` by what they mean. What KaTeX can't read stays as it was written. */
export async function typeset(node: HTMLElement): Promise<void> {
  const unset = () => [...node.querySelectorAll<HTMLElement>('.math:not(:has(math))')]
  if (unset().length === 0) return
  const { default: katex } = await import('katex')
  const formulas = unset() // whoever was asked for meanwhile has set some: set again, they would stand there twice
  for (const formula of formulas) {
    const tex = formula.textContent ?? ''
    const displayMode = formula.classList.contains('display')
    // What a model writes need not be what LaTeX would take; nobody reads a console about it.
    const options = { output: 'mathml', displayMode, maxExpand: 200, strict: 'ignore' } as const
    try {
      katex.render(tex, formula, options)
      formula.querySelectorAll('mo').forEach(space)
    } catch {
      formula.textContent = tex
    }
  }
  for (const formula of formulas) if (formula.getBoundingClientRect().width > LONG_PX) formula.classList.add('wide')
  // What scrolls must be reachable by the keyboard.
  const scrolls = (node: Element) => node.matches('.wide, .display') && node.scrollWidth > node.clientWidth + 1
  for (const formula of formulas) if (scrolls(formula)) formula.tabIndex = 0
}
