// Slash commands of the page itself. What is none of them goes to the agent as it was written: agents have their own.

import { words } from '../words'

export interface Command {
  name: string
  /** What follows the name, if anything does. */
  takes: string
  does: string
  /** Whether it is the agent's, and so goes to it. */
  sent?: boolean
}

/** What they do is seen to be wrong only when it is done. */
const GRAVE: readonly string[] = ['archive', 'delete']
const NAMES = ['archive', 'delete', 'new', 'pin', 'rename', 'stop'] as const

function own(): Command[] {
  const said = words.composer.commands
  return NAMES.map((name) => ({ name, takes: name === 'rename' ? said.title : '', does: said[name] }))
}

/** One that the agent has; it is sent to it like any other words. */
export interface Offered {
  name: string
  description: string
  hint: string
}

/** The commands that what is written may become: the page's own, then those of the agent that have another name. */
export function completions(text: string, agent: readonly Offered[] = []): readonly Command[] {
  const found = /^\/([\w.:-]*)$/.exec(text)
  if (found === null) return []
  const ours = own()
  const others = agent.filter(({ name }) => !ours.some((each) => each.name === name))
  const all = [...ours, ...others.map(({ name, description, hint }) => ({ name, takes: hint, does: description, sent: true }))]
  return all.filter(({ name }) => name.toLowerCase().startsWith((found[1] ?? '').toLowerCase()))
}

/** What this key makes of what is written when it takes this command; null if it is to be obeyed. No key: it was pressed itself. */
export function completed(text: string, { name, takes, sent = false }: Command, key = ''): string | null {
  if (takes !== '' || sent) return `/${name} `
  if (!GRAVE.includes(name) || key === '') return null
  return key === 'Enter' && text === `/${name}` ? null : `/${name}`
}

/** The command that is written, with what follows its name; null if it is none, or lacks what it takes. */
export function parse(text: string): { name: string; rest: string } | null {
  const found = /^\/([a-z]+)(?:\s+(.*))?$/.exec(text.trim())
  const command = own().find(({ name }) => name === found?.[1])
  const rest = found?.[2]?.trim() ?? ''
  if (command === undefined || (command.takes === '') !== (rest === '')) return null
  return { name: command.name, rest }
}
