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
  replay: {
    open: 'Diese Runde noch einmal abspielen',
    title: 'Wiedergabe',
    back: 'Zurück zur Sitzung',
    loading: 'Die Wiedergabe wird geöffnet …',
    gone: 'Diese Runde gibt es nicht. Vielleicht hat sie noch nicht begonnen.',
    shorter: 'Das Protokoll ist kürzer als zuvor. Bitte die Wiedergabe neu öffnen.',
    again: 'Noch einmal versuchen',
    scene: 'Was zu sehen war',
    line: 'Zeitleiste',
    moment: (at, all, time, long) => `Ereignis ${at} von ${all}, ${time} von ${long}`,
    event: (at, all) => `Ereignis ${at} von ${all}`,
    play: 'Abspielen',
    pause: 'Anhalten',
    speed: 'Tempo',
    previous: 'Zur vorigen Nachfrage oder zum vorigen Fehler',
    next: 'Zur nächsten Nachfrage oder zum nächsten Fehler',
    wait: (long) => `Eine Wartezeit von ${long}, gekürzt`,
    shortened: (long) => `Wartezeiten um ${long} gekürzt`,
    coming: 'Dieser Moment wird geladen …',
    cut: 'Diese Runde ist länger, als abgespielt werden kann: Ihr Ende fehlt hier.',
    earlier: (number) => count(number, { one: '# früheren Teil zeigen', other: '# frühere Teile zeigen' }),
    asks: 'Wer was erlaubt hat',
    asked: (time) => `Gefragt um ${time}`,
    open_ask: 'Wartet auf eine Antwort',
    share: 'Als Datei weitergeben',
    shareTurn: 'Diese Runde als Datei weitergeben',
  },
  settings: {
    language: {
      legend: 'Sprache',
      browser: 'Wie im Browser',
    },
  },
}
