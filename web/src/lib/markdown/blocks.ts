// A growing text as blocks: while it grows only the last one is read again; when it is whole, all are, once.

import type { Token, Tokens, TokensList } from 'marked'

export type Block =
  | { kind: 'html'; html: string }
  | { kind: 'code'; text: string; language: string; closed: boolean }

export interface Reading {
  lex(text: string): TokensList
  render(token: Token): string
}

export class Blocks {
  readonly #reading: Reading
  #text = ''
  #settled: Block[] = []
  #length = 0

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** The blocks of the text. `live`: more of it may come. */
  read(whole: string, live: boolean): Block[] {
    const text = whole.includes('\r') ? whole.replace(/\r\n?/g, '\n') : whole
    if (!live || !text.startsWith(this.#text)) this.#restart()
    this.#text = live ? text : ''
    const tokens = this.#reading.lex(text.slice(this.#length))
    const last = tokens.findLastIndex(isBlock)
    const start = this.#length + length(tokens.slice(0, last))
    const open = tokens.filter(isBlock)
    // Only what is found again where it should lie may be left behind.
    if (live && last > 0 && text.startsWith(tokens[last]?.raw ?? '\0', start)) {
      this.#settled.push(...open.splice(0, open.length - 1).map((token) => this.#block(token, true)))
      this.#length = start
    }
    return [...this.#settled, ...open.map((token, i) => this.#block(token, !live || i < open.length - 1))]
  }

  #restart(): void {
    this.#settled = []
    this.#length = 0
  }

  #block(token: Token, whole: boolean): Block {
    if (token.type !== 'code') return { kind: 'html', html: this.#reading.render(token) }
    const { text, lang, raw } = token as Tokens.Code
    const closed = whole || /\n *(`{3,}|~{3,})\s*$/.test(raw)
    return { kind: 'code', text, language: lang?.split(/\s/)[0] ?? '', closed }
  }
}

function isBlock(token: Token): boolean {
  return token.type !== 'space' && token.type !== 'def'
}

function length(tokens: Token[]): number {
  return tokens.reduce((sum, token) => sum + token.raw.length, 0)
}
