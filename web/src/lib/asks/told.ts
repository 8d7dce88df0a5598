// What an approval asks for beside what stands on its card anyway. Nothing of it is left out: only what is there already.

import { argumentsOf } from '../session/layout'
import type { Approval } from '../session/state'

/** The arguments that are not on the card as they are, by name; under no name if they are no such thing. */
export function alsoAsked(ask: Approval): [string, string][] {
  const named = [...argumentsOf(ask)]
  if (named.length === 0) return ['', '{}'].includes(ask.arguments.trim()) ? [] : [['', ask.arguments]]
  return named.filter(([name, value]) => !isShown(ask, name, value)).map(([name, value]) => [name, written(value)])
}

/** Where on the card an argument of this name stands, if it is the same. */
function isShown(ask: Approval, name: string, value: unknown): boolean {
  switch (name) {
    case 'command':
    case 'cmd':
      return (Array.isArray(value) ? value.join(' ') : value) === ask.command
    case 'cwd':
    case 'workdir':
      return value === ask.directory
    case 'description':
      return value === ask.description
    default:
      return ask.diffs.some((diff) => value === diff.path || value === diff.old || value === diff.new)
  }
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
