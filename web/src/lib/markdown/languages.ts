// The languages that agents write most, each fetched when the first block of it is there, with those that it may hold.

import type { LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'

interface Offer {
  /** What people call it besides. */
  also?: readonly string[]
  needs?: readonly string[]
  load: () => Promise<{ default: LanguageFn }>
}

const OFFERS: Record<string, Offer> = {
  bash: { also: ['sh', 'zsh'], load: () => import('highlight.js/lib/languages/bash') },
  c: { also: ['h'], load: () => import('highlight.js/lib/languages/c') },
  css: { load: () => import('highlight.js/lib/languages/css') },
  diff: { also: ['patch'], load: () => import('highlight.js/lib/languages/diff') },
  dockerfile: { also: ['docker'], needs: ['bash'], load: () => import('highlight.js/lib/languages/dockerfile') },
  go: { also: ['golang'], load: () => import('highlight.js/lib/languages/go') },
  ini: { also: ['toml'], load: () => import('highlight.js/lib/languages/ini') },
  java: { load: () => import('highlight.js/lib/languages/java') },
  javascript: { also: ['js', 'jsx', 'mjs', 'cjs'], load: () => import('highlight.js/lib/languages/javascript') },
  json: { also: ['jsonc', 'json5'], load: () => import('highlight.js/lib/languages/json') },
  markdown: { also: ['md'], load: () => import('highlight.js/lib/languages/markdown') },
  python: { also: ['py', 'ipython'], load: () => import('highlight.js/lib/languages/python') },
  rust: { also: ['rs'], load: () => import('highlight.js/lib/languages/rust') },
  shell: { also: ['console', 'shellsession'], needs: ['bash'], load: () => import('highlight.js/lib/languages/shell') },
  sql: { load: () => import('highlight.js/lib/languages/sql') },
  typescript: { also: ['ts', 'tsx', 'mts', 'cts'], load: () => import('highlight.js/lib/languages/typescript') },
  xml: {
    also: ['html', 'xhtml', 'svg', 'vue', 'svelte', 'plist'],
    needs: ['css', 'javascript'],
    load: () => import('highlight.js/lib/languages/xml'),
  },
  yaml: { also: ['yml'], load: () => import('highlight.js/lib/languages/yaml') },
}

/** The name under which we know a language, '' if we don't. */
export function known(language: string): string {
  const wanted = language.toLowerCase()
  const found = Object.entries(OFFERS).find(([name, { also = [] }]) => name === wanted || also.includes(wanted))
  return found?.[0] ?? ''
}

/** The code as HTML, or null if nobody knows the language. */
export async function colour(code: string, language: string): Promise<string | null> {
  const name = known(language)
  if (name === '') return null
  await Promise.all([name, ...(OFFERS[name]?.needs ?? [])].map(fetched))
  return hljs.highlight(code, { language: name, ignoreIllegals: true }).value
}

async function fetched(name: string): Promise<void> {
  const offer = OFFERS[name]
  if (offer === undefined || hljs.getLanguage(name) !== undefined) return
  const { default: language } = await offer.load()
  hljs.registerLanguage(name, language)
}
