// What a person wants of projects and tags: of those of some sessions, and of those that the list is narrowed to.

import type { SessionChange, SessionRow } from '../api/shapes.gen'
import type { Filed } from './filter.svelte'

type Labelled = Pick<SessionRow, 'project' | 'tags'>

export class Wish {
  readonly #rows: readonly Labelled[]
  /** The project that all are to have; null leaves each in its own. */
  readonly project: string | null
  readonly #chosen: ReadonlyMap<string, boolean>

  constructor(rows: readonly Labelled[], project: string | null = common(rows), chosen = new Map<string, boolean>()) {
    this.#rows = rows
    this.project = project
    this.#chosen = chosen
  }

  /** Every tag that one of them has or is to have. */
  get tags(): readonly string[] {
    return [...new Set([...this.#rows.flatMap((row) => row.tags), ...this.#chosen.keys()])]
  }

  has(tag: string): boolean | 'mixed' {
    const chosen = this.#chosen.get(tag)
    if (chosen !== undefined) return chosen
    const having = this.#rows.filter((row) => row.tags.includes(tag)).length
    return having === 0 ? false : having === this.#rows.length ? true : 'mixed'
  }

  within(project: string | null): Wish {
    return new Wish(this.#rows, project, new Map(this.#chosen))
  }

  with(tag: string, on: boolean): Wish {
    return new Wish(this.#rows, this.project, new Map(this.#chosen).set(tag, on))
  }

  /** What has to be said about one of them; null if it is so already. */
  change(row: Labelled): SessionChange | null {
    const change: SessionChange = {}
    const project = this.project?.trim() ?? row.project
    if (project !== row.project) change.project = project
    const added = [...this.#chosen].filter(([tag, on]) => on && !row.tags.includes(tag)).map(([tag]) => tag)
    const removed = [...this.#chosen].filter(([tag, on]) => !on && row.tags.includes(tag)).map(([tag]) => tag)
    if (added.length > 0) change.add_tags = added
    if (removed.length > 0) change.remove_tags = removed
    return Object.keys(change).length === 0 ? null : change
  }
}

/** A row as it will come when that was heard. */
export function become({ project, tags }: Labelled, change: SessionChange): Labelled {
  const kept = tags.filter((tag) => !change.remove_tags?.includes(tag))
  return { project: change.project ?? project, tags: [...new Set([...kept, ...(change.add_tags ?? [])])] }
}

/** The project that all have; null if they differ. */
function common(rows: readonly Labelled[]): string | null {
  const first = rows[0]?.project ?? ''
  return rows.every(({ project }) => project === first) ? first : null
}

/** Of these names those that hold what is typed, whatever its case; the shortest way there first. */
export function fitting(names: readonly string[], typed: string, limit: number): string[] {
  const text = typed.trim().toLowerCase()
  const begins = (name: string) => Number(!name.toLowerCase().startsWith(text))
  return names
    .filter((name) => name.toLowerCase().includes(text))
    .sort((a, b) => begins(a) - begins(b))
    .slice(0, limit)
}

/** The name that is meant: one that is there already, if only its case differs. */
export function meant(names: readonly string[], typed: string): string {
  const text = typed.trim()
  return names.includes(text) ? text : (names.find((name) => name.toLowerCase() === text.toLowerCase()) ?? text)
}

/** The filter with that project, or without if it had it. */
export function withProject(filed: Filed, project: string): Filed {
  return { ...filed, project: filed.project === project ? '' : project }
}

/** The filter with one more tag, or without if it had it. */
export function withTag({ project, tags }: Filed, tag: string): Filed {
  return { project, tags: tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag] }
}
