// What can be chosen for a session, and how what is chosen is called.

import type { AgentList, Description, Option, SlashCommand, Surveyed } from '../api/shapes.gen'
import { words } from '../words'

/** What a session is given. An empty value leaves it to the agent, or to what was chosen for all sessions. */
export interface Given {
  agent: string
  model: string
  mode: string
  workspace: string
}

export type Part = keyof Given

/** One line of a list. One that has a `reason` is shown and can't be chosen; one that is `missing` is shown to who looks for it. */
export interface Offer {
  value: string
  words: string
  about: string
  reason: string
  missing?: boolean
}

export interface Offered {
  models: readonly Option[]
  modes: readonly Option[]
  commands: readonly SlashCommand[]
  /** What the agent works with if nothing is chosen. */
  model: string
  mode: string
}

/** What an agent offers: what it said itself when it was opened, if it is that one, else what is known beforehand. */
export function offered(agent: string, described: Description | null, surveyed: Surveyed | undefined): Offered {
  const own = described !== null && described.agent === agent ? described : null
  return {
    models: own !== null && own.models.length > 0 ? own.models : (surveyed?.models ?? []),
    modes: own !== null && own.modes.length > 0 ? own.modes : (surveyed?.modes ?? []),
    commands: own?.commands ?? [],
    model: own?.model || surveyed?.model || '',
    mode: own?.mode || '',
  }
}

/** A sentence of the server's, without the marks of its commands. */
export function plain(sentence: string): string {
  return sentence.replaceAll('`', '')
}

/** Those that work come first. */
export function agentOffers(agents: readonly Surveyed[]): Offer[] {
  const lines = agents.map(({ name, title, version, ready, reason, installed }) => ({
    value: name,
    words: title,
    about: version,
    reason: ready ? '' : plain(reason) || words.agents.notReady,
    missing: !installed,
  }))
  return [...lines.filter(({ reason }) => reason === ''), ...lines.filter(({ reason }) => reason !== '')]
}

export function optionOffers(options: readonly Option[]): Offer[] {
  return options.map(({ id, name, description }) => ({ value: id, words: name || id, about: description, reason: '' }))
}

/** The lines that hold what is typed, wherever it is. */
export function matching(offers: readonly Offer[], typed: string): Offer[] {
  const wanted = typed.trim().toLowerCase()
  return offers.filter(({ value, words: name, about }) => `${value} ${name} ${about}`.toLowerCase().includes(wanted))
}

/** How a model or a mode is called. */
export function nameOf(options: readonly Option[], id: string): string {
  return options.find((option) => option.id === id)?.name || id
}

/** What a new session gets if nothing is chosen. A model or a mode counts for the agent that it was chosen for. */
export function givenBy(list: AgentList | null, chosen: Partial<Given>): Given {
  const { defaults } = list ?? { defaults: { agent: '', model: '', mode: '', workspace: '' } }
  const agent = chosen.agent || (list?.default ?? '')
  const same = agent === (defaults.agent || agent)
  return {
    agent,
    model: chosen.model || (same ? defaults.model : ''),
    mode: chosen.mode || (same ? defaults.mode : ''),
    workspace: chosen.workspace || defaults.workspace,
  }
}

/** A folder as short as it can be said: the last of its names. */
export function folderName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) || path
}

/** What changes along: another agent has other models and modes. */
export function changed(part: Part, value: string): Partial<Given> {
  return part === 'agent' ? { agent: value, model: '', mode: '' } : { [part]: value }
}

const BELIEVED_MS = 60_000

/** When an opening began by this clock. The server's clock is believed as far as it can agree with ours. */
export function startingSince(since: number, now: number): number {
  return since <= now && now - since < BELIEVED_MS ? since : now
}
