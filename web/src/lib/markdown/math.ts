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

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** Replace the formulas in `node` by what they mean. What KaTeX can't read stays as it was written. */
export async function typeset(node: HTMLElement): Promise<void> {
  const formulas = [...node.querySelectorAll<HTMLElement>('.math:not(:has(math))')]
  if (formulas.length === 0) return
  const { default: katex } = await import('katex')
  for (const formula of formulas) {
    const tex = formula.textContent ?? ''
    const displayMode = formula.classList.contains('display')
    // What a model writes need not be what LaTeX would take; nobody reads a console about it.
    const options = { output: 'mathml', displayMode, maxExpand: 200, strict: 'ignore' } as const
    try {
      katex.render(tex, formula, options)
    } catch {
      formula.textContent = tex
    }
  }
}
