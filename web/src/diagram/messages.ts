// What the page and the frame that draws diagrams say to each other.

/** Colours and type of the page, as mermaid calls them. */
export type Theme = Record<string, string | boolean>

export interface Order {
  id: string
  text: string
  theme: Theme
}

export type Drawn = { id: string; svg: string } | { id: string; error: string } | { id: ''; ready: true }
