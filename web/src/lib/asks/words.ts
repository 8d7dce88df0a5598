// What an ask says of itself, in sentences.

import type { Approval, Question } from '../session/state'
import { clockTime } from '../ui/words'
import { words } from '../words'

const ACTIONS = ['execute', 'edit', 'delete', 'move', 'read', 'search', 'fetch'] as const
/** Why nobody answered, as the log says it. */
const REASONS: Record<string, 'ended' | 'late'> = {
  '': 'ended',
  'the run ended first': 'ended',
  'nobody answered in time': 'late',
}

/** How the agent is called in a sentence. */
export function agentName(agent: string): string {
  if (agent === '') return words.asks.agent
  return agent.charAt(0).toUpperCase() + agent.slice(1)
}

export function wish(name: string, ask: Approval): string {
  const { wants } = words.asks
  if (ask.diffs.length > 0) {
    const fresh = ask.diffs.every((diff) => diff.old === null)
    return wants[fresh ? 'write' : 'change'](name, new Set(ask.diffs.map((diff) => diff.path)).size)
  }
  const action = ACTIONS.find((each) => each === ask.action)
  if (action !== undefined) return wants[action](name)
  return ask.tool ? wants.use(name, ask.tool) : wants.other(name)
}

/** What came of it, in one line. */
export function settledWords(ask: Approval | Question): string {
  if (ask.state === 'expired') {
    if (ask.type === 'approval') return words.asks.expired
    const reason = REASONS[ask.expired_because]
    return reason === undefined ? words.asks.unanswered.other(ask.expired_because) : words.asks.unanswered[reason]
  }
  if (ask.state === 'undelivered') {
    return words.asks[ask.type === 'approval' ? 'unheardNothing' : 'unheard'](given(ask))
  }
  return given(ask)
}

function given(ask: Approval | Question): string {
  const when = clockTime(ask.answered_at)
  const { said, by, because } = words.asks
  const choice = said[(ask.type === 'approval' && ask.choice) || 'answered']
  if (ask.type === 'approval' && ask.by === 'rule') return by.rule(choice, when)
  if (ask.type === 'approval' && ask.by === 'agent') return by.agent(choice, when)
  const given = ask.answered_from ? by.device(choice, ask.answered_from, when) : by.you(choice, when)
  return ask.type === 'approval' && ask.reason ? because(given, ask.reason) : given
}
