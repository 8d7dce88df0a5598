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
  keeping: {
    keep: 'Keep',
    size: {
      legend: 'Text size',
      small: 'Small',
      normal: 'Normal',
      large: 'Large',
      larger: 'Larger',
    },
    rules: {
      revoke: 'Revoke',
      sure: 'Ask me again from now on',
      used: (day: string) => `Last used on ${day}`,
      unused: 'No use is known',
    },
    backup: {
      title: 'Backup',
      about: 'One file with every session, every file and the settings, of one moment, taken while everything runs. Sign-ins and the keys of models are not in it.',
      act: 'Back up now',
      busy: 'Backing up…',
      back: 'It is put into an empty home with',
    },
    storage: {
      section: 'Storage',
      about: 'What takes room, and what may go.',
      room: 'Room',
      title: 'What may go',
      deleted: 'Deleted sessions',
      archived: 'Archived sessions, not active for',
      since: 'Not active for',
      days: (number: number) => count(number, { one: '# day', other: '# days' }),
      loose: 'Files of which no session speaks any more',
      sessions: (number: number, more: boolean) =>
        more ? `the ${figure(number)} largest sessions` : count(number, { one: '# session', other: '# sessions' }),
      files: (number: number) => count(number, { one: '# file', other: '# files' }),
      nothing: 'Nothing',
      act: 'Remove…',
      sure: (what: string) => `Remove ${what} for good`,
      gone: (gone: number, left: number) =>
        count(gone, { one: '# session is gone for good.', other: '# sessions are gone for good.' }) +
        (left === 0 ? '' : ` ${count(left, { one: '# had changed meanwhile and stays.', other: '# had changed meanwhile and stay.' })}`),
      collected: (number: number) => count(number, { one: '# file is gone for good.', other: '# files are gone for good.' }),
      stays: 'Nothing goes by itself. What becomes free inside the store is used again; its file does not become smaller.',
    },
    about: {
      section: 'About',
      about: 'What this is, and whether it is well.',
      version: 'Version',
      format: 'Format of the store',
      home: 'Folder',
      agents: 'Agents found',
      none: 'None yet',
      licence: 'Licence',
      manual: 'Manual',
      where: 'With the source, in',
      look: 'Look at everything it stands on',
      looking: 'Looking…',
      result: (wrong: number) =>
        wrong === 0 ? 'All is well.' : count(wrong, { one: '# thing to mend.', other: '# things to mend.' }),
    },
  },
}
