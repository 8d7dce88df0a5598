// How a turn is laid out: steps in a row hang together, and what a sub-agent did hangs under the call that began it.

import { words } from '../words'
import type { Entry } from './entries'
import type { ToolCall } from './state'

export type Block = { kind: 'item'; entry: Entry } | { kind: 'steps'; entries: Entry[] }

/** The blocks of one speaker: the agent itself, or a sub-agent named by its call. */
export function laidOut(entries: readonly Entry[], parent: string | null, calls: ReadonlySet<string>): Block[] {
  const blocks: Block[] = []
  for (const entry of entries) {
    // What hangs under a call that is not here (its page is not loaded yet) stands for itself.
    const above = entry.parent !== null && calls.has(entry.parent) ? entry.parent : null
    if (above !== parent || entry.type === 'user' || entry.type === 'end') continue
    const last = blocks.at(-1)
    if (entry.type !== 'tool') blocks.push({ kind: 'item', entry })
    else if (last?.kind === 'steps') last.entries.push(entry)
    else blocks.push({ kind: 'steps', entries: [entry] })
  }
  return blocks
}

/** Whether a step may be folded away among others once its turn is over. */
export function foldable(call: ToolCall): boolean {
  return call.status === 'completed' && call.diffs.length === 0
}

const ACTIONS = ['read', 'edit', 'delete', 'move', 'search', 'list', 'execute', 'think', 'fetch'] as const

export function verb(call: ToolCall): string {
  return action(call.action) ?? verbOf(call.name || call.title || words.session.steps.step)
}

/** `list_files` is said as List. */
export function verbOf(name: string): string {
  const word = name.split(/[^\p{L}\p{N}]+/u).find((part) => part !== '') ?? name
  return action(word.toLowerCase()) ?? word.charAt(0).toUpperCase() + word.slice(1)
}

function action(kind: string): string | undefined {
  const known = ACTIONS.find((each) => each === kind)
  return known && words.session.steps[known]
}

const TARGETS = ['command', 'cmd', 'path', 'file_path', 'file', 'pattern', 'query', 'url']

/** What the step is about: its most telling argument, else what the agent calls it. */
export function target(call: ToolCall): string {
  const said = argumentsOf(call)
  for (const name of TARGETS) {
    const value = said.get(name)
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value)) return value.join(' ')
  }
  return call.title && call.title !== call.name ? call.title : (call.diffs[0]?.path ?? '')
}

/** The arguments by name; empty if they are no such thing. */
export function argumentsOf(call: { arguments: string }): Map<string, unknown> {
  try {
    const value: unknown = JSON.parse(call.arguments)
    return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
  } catch {
    return new Map()
  }
}
