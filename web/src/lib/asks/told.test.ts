import { expect, test } from 'vitest'
import type { Approval } from '../session/state'
import { alsoAsked } from './told'

function ask(said: unknown, more: Partial<Approval> = {}): Approval {
  const shown = { command: 'make', directory: '/work', description: 'It builds.', diffs: [] as Approval['diffs'] }
  return { ...shown, arguments: typeof said === 'string' ? said : JSON.stringify(said), ...more } as Approval
}

test('what the card says anyway is not said twice', () => {
  expect(alsoAsked(ask({ command: 'make', cwd: '/work', description: 'It builds.', timeout: 5 }))).toEqual([['timeout', '5']])
  expect(alsoAsked(ask({ cmd: ['make'] }))).toEqual([])
  expect(alsoAsked(ask(''))).toEqual([])
})

test('what differs from it is said, whatever it is called', () => {
  const said = { command: 'make', cmd: 'rm -rf /', cwd: '/elsewhere', workdir: '/', description: 'harmless' }
  expect(alsoAsked(ask(said))).toEqual([['cmd', 'rm -rf /'], ['cwd', '/elsewhere'], ['workdir', '/'], ['description', 'harmless']])
})

test('a change is no reason to leave out what it comes with', () => {
  const diffs = [{ path: '/srv/a', old: 'one', new: 'two' }]
  const said = { path: '/srv/a', old_string: 'one', new_string: 'two', replace_all: true }
  expect(alsoAsked(ask(said, { diffs }))).toEqual([['replace_all', 'true']])
})

test('what is no list of arguments is said as it came', () => {
  expect(alsoAsked(ask('rm -rf /'))).toEqual([['', 'rm -rf /']])
})
