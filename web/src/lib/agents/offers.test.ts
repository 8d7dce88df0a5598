import { expect, test } from 'vitest'
import type { AgentList, Surveyed } from '../api/shapes.gen'
import { recentFolders } from './agents.svelte'
import { agentOffers, changed, folderName, givenBy, matching, nameOf, offered, optionOffers, startingSince } from './offers'

const SMALL = { id: 'small', name: 'Small', description: 'Quick.' }
const LARGE = { id: 'large', name: 'Large', description: '' }

function agent(name: string, more: Partial<Surveyed> = {}): Surveyed {
  const rest = { family: 'acp' as const, installed: true, version: '1.0', ready: true, reason: '', model: '', models: [], modes: [] }
  return { name, title: name, ...rest, ...more }
}

function list(defaults: Partial<AgentList['defaults']> = {}): AgentList {
  const none = { agent: '', model: '', mode: '', workspace: '' }
  return { agents: [agent('one')], default: 'one', defaults: { ...none, ...defaults }, hints: [], looking: false }
}

test('what the agent said itself counts, as long as it is the agent of the session', () => {
  const described = { agent: 'one', model: 'small', mode: '', models: [SMALL], modes: [], commands: [] }
  const surveyed = agent('two', { models: [LARGE] })
  expect(offered('one', described, undefined).models).toEqual([SMALL])
  expect(offered('two', described, surveyed)).toMatchObject({ models: [LARGE], model: '' })
  expect(offered('two', null, undefined).models).toEqual([])
})

test('agents that are not ready come last, with the reason', () => {
  const found = agentOffers([agent('one', { ready: false, reason: 'Sign in first.' }), agent('two')])
  expect(found.map(({ value, reason }) => [value, reason])).toEqual([['two', ''], ['one', 'Sign in first.']])
})

test('a list is filtered by what is typed, in names and descriptions', () => {
  const lines = optionOffers([SMALL, LARGE])
  expect(matching(lines, 'QUICK').map(({ value }) => value)).toEqual(['small'])
  expect(matching(lines, '')).toHaveLength(2)
  expect(nameOf([SMALL], 'small')).toBe('Small')
  expect(nameOf([SMALL], 'other')).toBe('other')
})

test('a model that was chosen for all sessions counts only for its agent', () => {
  const chosen = list({ agent: 'one', model: 'small' })
  expect(givenBy(chosen, {})).toMatchObject({ agent: 'one', model: 'small' })
  expect(givenBy(chosen, { agent: 'two' })).toMatchObject({ agent: 'two', model: '' })
  expect(givenBy(null, {})).toMatchObject({ agent: '', model: '' })
})

test('another agent takes neither model nor mode along', () => {
  expect(changed('agent', 'two')).toEqual({ agent: 'two', model: '', mode: '' })
  expect(changed('model', 'large')).toEqual({ model: 'large' })
})

test('folders are offered once, those of the latest sessions first', () => {
  const rows = [
    { workspace: '/a', active_at: 1 },
    { workspace: '/b', active_at: 3 },
    { workspace: '/a', active_at: 2 },
    { workspace: '', active_at: 9 },
  ]
  expect(recentFolders(rows)).toEqual(['/b', '/a'])
  expect(folderName('/home/me/src/app/')).toBe('app')
})

test('an opening is counted from when it began, unless the clocks disagree', () => {
  expect(startingSince(1_000, 3_000)).toBe(1_000)
  expect(startingSince(9_000, 3_000)).toBe(3_000)
  expect(startingSince(1_000, 9_000_000)).toBe(9_000_000)
})
