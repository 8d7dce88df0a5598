// What the page and the frame that draws diagrams say to each other.

/** Colours and type of the page, as mermaid calls them. */
export type Theme = Record<string, string | boolean>

export interface Order {
  id: string
  text: string
  theme: Theme
}

/** What the frame itself finds wrong; the page says it in its language. Mermaid's own errors are in its words. */
export type Fault = 'unloaded' | 'empty'

export type Result = { svg: string } | { error: string } | { fault: Fault }
export type Drawn = ({ id: string } & Result) | { id: ''; ready: true }
