// Every word that the page says, in German. See en.ts.

import type { Words } from './index'
import { figures, plurals } from './plural'

const count = plurals('de')
const figure = figures('de')

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
  find: {
    title: 'In dieser Sitzung suchen',
    entry: 'Darin suchen',
    field: 'In dieser Sitzung suchen',
    where: 'Sucht in dem, was gesagt wurde, nicht in dem, was Schritte ausgaben.',
    place: (at, of) => `${figure(at)} von ${figure(of)}`,
    looking: 'Sucht…',
    nothing: 'Nicht gefunden',
    failed: 'Keine Antwort',
    previous: 'Vorige Stelle',
    next: 'Nächste Stelle',
    close: 'Suche schließen',
    between: 'Lädt, was dazwischen liegt…',
  },
}
