// Diagrams, drawn on demand in a frame (src/diagram/frame.ts) that is made when the first one is wanted.

import type { Drawn, Order, Theme } from '../../diagram/messages'
import { base } from '../api/base'
import { newId } from '../api/ids'
import { words } from '../words'

const PATIENCE_MS = 30_000
const LONGEST = 50_000

type Resolve = (drawn: Exclude<Drawn, { id: '' }>) => void

let frame: Promise<Window> | null = null
const waiting = new Map<string, Resolve>()

/** The diagram as a picture, or a sentence that says why there is none. */
export async function draw(text: string): Promise<{ picture: Blob } | { error: string }> {
  if (text.length > LONGEST) return { error: words.markdown.long }
  const order: Order = { id: newId(), text, theme: theme() }
  const drawn = await Promise.race([ordered(order), late(order.id)])
  waiting.delete(order.id)
  if ('svg' in drawn) return { picture: new Blob([drawn.svg], { type: 'image/svg+xml' }) }
  return { error: 'fault' in drawn ? words.markdown[drawn.fault] : drawn.error }
}

async function ordered(order: Order): Promise<Exclude<Drawn, { id: '' }>> {
  frame ??= opened()
  const target = await frame
  return new Promise((resolve) => {
    waiting.set(order.id, resolve)
    target.postMessage(order, location.origin)
  })
}

function late(id: string): Promise<{ id: string; error: string }> {
  return new Promise((resolve) => setTimeout(() => resolve({ id, error: words.markdown.slow }), PATIENCE_MS))
}

function opened(): Promise<Window> {
  const node = document.createElement('iframe')
  node.src = `${base}/diagram.html`
  node.className = 'hidden-frame'
  node.title = words.markdown.frame
  node.tabIndex = -1
  node.ariaHidden = 'true'
  return new Promise((resolve) => {
    addEventListener('message', ({ source, origin, data }: MessageEvent<Drawn>) => {
      if (node.contentWindow === null || source !== node.contentWindow || origin !== location.origin) return
      if ('ready' in data) resolve(node.contentWindow)
      else waiting.get(data.id)?.(data)
    })
    document.body.append(node)
  })
}

/** The page's own colours, as they are now. */
function theme(): Theme {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    darkMode: style.colorScheme === 'dark',
    background: token('card'),
    primaryColor: token('well'),
    primaryTextColor: token('ink'),
    primaryBorderColor: token('ink-3'),
    secondaryColor: token('kelp-wash'),
    secondaryTextColor: token('ink'),
    secondaryBorderColor: token('kelp'),
    tertiaryColor: token('ground'),
    tertiaryTextColor: token('ink'),
    tertiaryBorderColor: token('line'),
    lineColor: token('ink-2'),
    textColor: token('ink'),
    noteBkgColor: token('kelp-wash'),
    noteTextColor: token('ink'),
    noteBorderColor: token('line'),
    edgeLabelBackground: token('card'),
    useGradient: false,
    dropShadow: 'none',
    fontFamily: token('sans'),
    fontSize: '14px',
  }
}
