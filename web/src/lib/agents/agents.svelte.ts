// The agents of this machine, as the server found them. They are asked for when something is shown that depends on them,
// and again every half a second while the server still looks around.

import { untrack } from 'svelte'
import { listAgents } from '../api/agents'
import type { AgentList, Surveyed } from '../api/shapes.gen'
import { agentName } from '../asks/words'

const AGAIN_MS = 500
/** How many folders are offered. */
const FOLDERS = 8

export class Agents {
  #list = $state.raw<AgentList | null>(null)
  #asking = false

  /** Null until the server has answered. */
  get list(): AgentList | null {
    return this.#list
  }

  named(name: string): Surveyed | undefined {
    return this.#list?.agents.find((agent) => agent.name === name)
  }

  /** How an agent is called in a sentence: by its own title, as soon as that is known, without what explains it. */
  title(name: string): string {
    return this.named(name)?.title.replace(/ \(.*\)$/, '') ?? agentName(name)
  }

  take(list: AgentList): void {
    this.#list = list
  }

  /** Ask, unless that is under way. What can't be asked now is asked by whoever shows it next. */
  async load(): Promise<void> {
    if (this.#asking) return
    this.#asking = true
    let looking = untrack(() => this.#list?.looking ?? false) // who asks is not to ask again at every answer
    try {
      do {
        if (looking) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
        const list = await listAgents()
        this.#list = list
        looking = list.looking
      } while (looking)
    } catch {
      // The page works without: names stand for titles, and nothing is offered.
    } finally {
      this.#asking = false
    }
  }
}

/** The folders that sessions work in, those of the latest first, each once. */
export function recentFolders(rows: readonly { workspace: string; active_at: number }[]): string[] {
  const latest = [...rows].sort((a, b) => b.active_at - a.active_at).map(({ workspace }) => workspace)
  return [...new Set(latest)].filter((folder) => folder !== '').slice(0, FOLDERS)
}
