// Every word that the page says, in English. A sentence with a gap is a function; what is counted goes through `count`.
// The other languages have the same shape: the type checker finds what one of them lacks.
//
// Long, because it is one language: who translates it reads it from top to bottom. A part is named after its folder.

import { plurals } from './plural'

const count = plurals('en')

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
}
