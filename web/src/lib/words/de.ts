// Every word that the page says, in German. See en.ts.

import type { Words } from './index'
import { plurals } from './plural'

const count = plurals('de')

export const de: Words = {
  sessions: {
    untitled: 'Ohne Titel',
    deleted: (title) => `„${title}“ ist gelöscht.`,
    undo: 'Rückgängig',
    many: (number) => count(number, { one: '# Sitzung', other: '# Sitzungen' }),
  },
  settings: {
    language: {
      legend: 'Sprache',
      browser: 'Wie im Browser',
    },
  },
}
