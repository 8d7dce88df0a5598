// Draws diagrams in a frame of its own. Mermaid writes styles into what it draws, which the page's content policy forbids,
// for good reason; this document may have such styles, and nothing else: no request, no picture, no credential is used
// here, and what is drawn leaves it as text, to be shown as a picture.

import address from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'
import type { Drawn, Fault, Order, Result } from './messages'

interface Mermaid {
  initialize(options: unknown): void
  render(id: string, text: string): Promise<{ svg: string }>
}

class Faulty extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault)
    this.fault = fault
  }
}

const loaded = new Promise<Mermaid>((resolve, reject) => {
  const script = document.createElement('script')
  script.src = address
  script.onload = () => resolve((globalThis as unknown as { mermaid: Mermaid }).mermaid) // its script leaves it there
  script.onerror = () => reject(new Faulty('unloaded'))
  document.head.append(script)
})
let last: Promise<unknown> = Promise.resolve()
let count = 0

addEventListener('message', ({ source, origin, data }: MessageEvent<Order>) => {
  if (source !== parent || origin !== location.origin) return
  // One after the other: a theme holds for everything that is drawn after it.
  last = last.then(() => draw(data)).then((drawn) => tell({ id: data.id, ...drawn }))
})
tell({ id: '', ready: true })

function tell(drawn: Drawn): void {
  parent.postMessage(drawn, location.origin)
}

async function draw({ text, theme }: Order): Promise<Result> {
  try {
    const mermaid = await loaded
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      suppressErrorRendering: true,
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      look: 'classic',
      theme: 'base',
      themeVariables: theme,
      fontFamily: theme.fontFamily,
    })
    count += 1
    return { svg: sized((await mermaid.render(`diagram-${count}`, text)).svg) }
  } catch (error) {
    document.body.replaceChildren()
    if (error instanceof Faulty) return { fault: error.fault }
    return { error: (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '' }
  }
}

/** A picture has a size of its own; mermaid leaves it to the document. */
function sized(svg: string): string {
  const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  if (root === null) throw new Faulty('empty')
  const { width, height } = root.viewBox.baseVal
  root.setAttribute('width', String(Math.ceil(width)))
  root.setAttribute('height', String(Math.ceil(height)))
  root.removeAttribute('style')
  return new XMLSerializer().serializeToString(root)
}
