// What an ask says of itself, in sentences.

import type { Approval, Question } from '../session/state'
import { clockTime } from '../ui/words'

const WISHES: Record<string, string> = {
  execute: 'run a command',
  edit: 'change a file',
  delete: 'delete something',
  move: 'move something',
  read: 'read something',
  search: 'search',
  fetch: 'fetch something',
}

/** How the agent is called in a sentence. */
export function agentName(agent: string): string {
  if (agent === '') return 'The agent'
  return agent.charAt(0).toUpperCase() + agent.slice(1)
}

export function wish(name: string, ask: Approval): string {
  if (ask.diffs.length > 0) {
    const fresh = ask.diffs.every((diff) => diff.old === null)
    return `${name} wants to ${fresh ? 'write' : 'change'} ${ask.diffs.length === 1 ? 'a file' : 'files'}`
  }
  return `${name} wants to ${WISHES[ask.action] ?? (ask.tool ? `use ${ask.tool}` : 'do this')}`
}

/** What came of it, in one line. */
export function settledWords(ask: Approval | Question): string {
  if (ask.state === 'expired') {
    if (ask.type === 'question') return `Nobody answered: ${ask.expired_because || 'the run ended first'}.`
    return 'The run ended first. Nothing ran.'
  }
  if (ask.state === 'undelivered') {
    return `${given(ask)}, but the run ended before it heard.${ask.type === 'approval' ? ' Nothing ran.' : ''}`
  }
  return given(ask)
}

function given(ask: Approval | Question): string {
  const when = clockTime(ask.answered_at)
  const who = ask.answered_from ? `you on ${ask.answered_from}` : 'you'
  if (ask.type === 'question') return `Answered by ${who}, ${when}`
  const what = { once: 'Allowed once', session: 'Allowed for this session', always: 'Always allowed', deny: 'Denied' }
  const said = ask.choice === null ? 'Answered' : what[ask.choice]
  if (ask.by === 'rule') return `${said} by a rule, ${when}`
  if (ask.by === 'agent') return `${said} by the agent's own rules, ${when}`
  return `${said} by ${who}, ${when}${ask.reason ? `: “${ask.reason}”` : ''}`
}
