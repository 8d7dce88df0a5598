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
  keeping: {
    keep: 'Behalten',
    size: {
      legend: 'Schriftgröße',
      small: 'Klein',
      normal: 'Normal',
      large: 'Groß',
      larger: 'Größer',
    },
    rules: {
      revoke: 'Widerrufen',
      sure: 'Ab jetzt wieder fragen',
      used: (day) => `Zuletzt benutzt am ${day}`,
      unused: 'Keine Benutzung bekannt',
    },
    backup: {
      title: 'Sicherung',
      about: 'Eine Datei mit allen Sitzungen, allen Dateien und den Einstellungen, von einem Augenblick, während alles läuft. Anmeldungen und die Schlüssel von Modellen sind nicht darin.',
      act: 'Jetzt sichern',
      busy: 'Sichert…',
      back: 'Zurück in einen leeren Ordner kommt sie mit',
    },
    storage: {
      section: 'Speicher',
      about: 'Was Platz braucht, und was gehen darf.',
      room: 'Platz',
      title: 'Was gehen darf',
      deleted: 'Gelöschte Sitzungen',
      archived: 'Archivierte Sitzungen, nicht aktiv seit',
      since: 'Nicht aktiv seit',
      days: (number) => count(number, { one: '# Tag', other: '# Tagen' }),
      loose: 'Dateien, von denen keine Sitzung mehr spricht',
      sessions: (number, more) =>
        more ? `die ${figure(number)} größten Sitzungen` : count(number, { one: '# Sitzung', other: '# Sitzungen' }),
      files: (number) => count(number, { one: '# Datei', other: '# Dateien' }),
      nothing: 'Nichts',
      act: 'Entfernen…',
      sure: (what) => `${what} endgültig entfernen`,
      gone: (gone, left) =>
        count(gone, { one: '# Sitzung ist endgültig entfernt.', other: '# Sitzungen sind endgültig entfernt.' }) +
        (left === 0 ? '' : ` ${count(left, { one: '# hat sich inzwischen geändert und bleibt.', other: '# haben sich inzwischen geändert und bleiben.' })}`),
      collected: (number) => count(number, { one: '# Datei ist endgültig entfernt.', other: '# Dateien sind endgültig entfernt.' }),
      stays: 'Nichts geht von selbst. Was im Speicher frei wird, wird wieder benutzt; seine Datei wird nicht kleiner.',
    },
    about: {
      section: 'Über Holdfast',
      about: 'Was dies ist, und ob es ihm gut geht.',
      version: 'Version',
      format: 'Format des Speichers',
      home: 'Ordner',
      agents: 'Gefundene Agenten',
      none: 'Noch keine',
      licence: 'Lizenz',
      manual: 'Handbuch',
      where: 'Beim Quelltext, in',
      look: 'Alles ansehen, worauf es steht',
      looking: 'Sieht nach…',
      result: (wrong) => (wrong === 0 ? 'Alles ist gut.' : count(wrong, { one: '# Sache zu beheben.', other: '# Sachen zu beheben.' })),
    },
  },
}
