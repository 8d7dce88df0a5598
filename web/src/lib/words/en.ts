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
  replay: {
    open: 'Replay this turn',
    title: 'Replay',
    back: 'Back to the session',
    loading: 'Opening the replay…',
    gone: 'There is no such turn. It may not have begun yet.',
    shorter: 'The log is shorter than it was. Open the replay again.',
    again: 'Try again',
    scene: 'What was on screen',
    line: 'Time line',
    moment: (at: string, all: string, time: string, long: string) => `Event ${at} of ${all}, ${time} of ${long}`,
    event: (at: string, all: string) => `Event ${at} of ${all}`,
    play: 'Play',
    pause: 'Pause',
    speed: 'Speed',
    previous: 'To the ask or failure before',
    next: 'To the next ask or failure',
    wait: (long: string) => `A wait of ${long}, shortened`,
    shortened: (long: string) => `Waits shortened by ${long}`,
    coming: 'This moment is being loaded…',
    cut: 'This turn is longer than can be replayed: its end is missing here.',
    earlier: (number: number) => count(number, { one: 'Show # earlier part', other: 'Show # earlier parts' }),
    asks: 'Who approved what',
    asked: (time: string) => `Asked at ${time}`,
    open_ask: 'Waits for an answer',
    share: 'Share as a file',
    shareTurn: 'Share this turn as a file',
  },
  settings: {
    language: {
      legend: 'Language',
      browser: 'As the browser has it',
    },
  },
}
