// Every word that the page says, in English. A sentence with a gap is a function; what is counted goes through `count`.
// The other languages have the same shape: the type checker finds what one of them lacks.
//
// Long, because it is one language: who translates it reads it from top to bottom. A part is named after its folder.

import { figures, plurals } from './plural'

const count = plurals('en')
const figure = figures('en')

export const en = {
  sessions: {
    untitled: 'Untitled',
    deleted: (title: string) => `“${title}” is deleted.`,
    undo: 'Undo',
    many: (number: number) => count(number, { one: '# session', other: '# sessions' }),
  },
  settings: {
    language: {
      legend: 'Language',
      browser: 'As the browser has it',
    },
  },
  find: {
    title: 'Find in this session',
    entry: 'Find in it',
    field: 'Find in this session',
    where: 'Looks through what was said, not through what steps printed.',
    place: (at: number, of: number) => `${figure(at)} of ${figure(of)}`,
    looking: 'Looking…',
    nothing: 'Not found',
    failed: 'No answer',
    previous: 'The one before',
    next: 'The next one',
    close: 'Close the search',
    between: 'Loading what lies between…',
  },
}
