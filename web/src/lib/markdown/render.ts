// Markdown to HTML that can do no harm: rendered, then sanitised. A model's words are anybody's words.

import DOMPurify from 'dompurify'
import { Marked, Renderer, type Token, type TokensList } from 'marked'
import { words } from '../words'
import { blockMath, inlineMath } from './math'

const marked = new Marked({ gfm: true, breaks: false, extensions: [inlineMath, blockMath] })

const TAGS = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'span'],
  ...['strong', 'em', 'b', 'i', 'u', 's', 'del', 'ins', 'sub', 'sup', 'kbd', 'mark', 'small', 'a', 'input'],
  ...['div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary', 'dl', 'dt', 'dd'],
]
const ATTRIBUTES = ['href', 'title', 'class', 'start', 'align', 'type', 'checked', 'disabled', 'open', 'colspan', 'rowspan']
/** Out of the house, or to a mailbox; a model can't lead to a place within it. */
const ADDRESS = /^(?:https?:\/\/|mailto:)/i
const CLASSES = new Set(['math', 'display', 'wide'])

const purify = typeof window === 'undefined' ? null : DOMPurify(window)

purify?.addHook('afterSanitizeAttributes', (node) => {
  // What is left of classes is ours: a model can't dress its words as our buttons.
  for (const name of [...node.classList]) if (!CLASSES.has(name) && !name.startsWith('hljs')) node.classList.remove(name)
  if (node.tagName === 'INPUT' && node.getAttribute('type') !== 'checkbox') node.remove()
  if (node.tagName === 'INPUT') {
    node.setAttribute('disabled', '')
    node.setAttribute('aria-label', node.hasAttribute('checked') ? words.markdown.done : words.markdown.open)
  }
  if (node.tagName === 'A') {
    if (!ADDRESS.test(node.getAttribute('href') ?? '')) node.removeAttribute('href')
    node.setAttribute('target', '_blank')
    node.setAttribute('rel', 'noopener noreferrer')
  }
  if (node.tagName === 'PRE') scrolls(node, words.markdown.code).setAttribute('dir', 'ltr')
  if (node.tagName === 'DIV') scrolls(node, words.markdown.table).setAttribute('dir', 'auto')
})

/** What is wide scrolls in its own place, wherever it stands, and is reachable by the keyboard. */
function scrolls(node: Element, label: string): Element {
  node.setAttribute('tabindex', '0')
  node.setAttribute('role', 'region')
  node.setAttribute('aria-label', label)
  return node
}

export function sanitise(html: string): string {
  if (purify === null) throw new Error('There is no document to sanitise for.')
  return purify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    // The sanitiser tries this on other values too, which have no scheme at all; addresses are looked at once more above.
    ALLOWED_URI_REGEXP: /^(?:(?:https?|mailto):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}

// Tags that only shape words may stand as they are; all other HTML is shown as what it is, text. So nothing with an
// attribute ever reaches the parser of a document.
const PLAIN = /^<\/?(?:b|i|u|s|br|sub|sup|kbd|mark|small|ins|del|details|summary)\s*\/?>$/i

// A picture would be a request to wherever a model points: it is shown as a link instead.
marked.use({
  renderer: {
    html({ text }) {
      return text.replace(/<[^>]*>?|&|>/g, (part) => (PLAIN.test(part) ? part : attribute(part)))
    },
    table(token) {
      return `<div class="wide">${Renderer.prototype.table.call(this, token)}</div>`
    },
    image({ href, text }) {
      return `<a href="${attribute(href)}">${attribute(text) || attribute(words.markdown.picture)}</a>`
    },
  },
})

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

export function lex(text: string): TokensList {
  return marked.lexer(text)
}

export function render(token: Token): string {
  return sanitise(marked.parser([token]))
}
