import { en } from './en'

/** What every language has to say. */
export type Words = typeof en

interface Spoken {
  /** How the language calls itself. */
  name: string
  direction: 'ltr' | 'rtl'
  /** English is there from the beginning; every other is fetched by those who read it. */
  words: () => Words | Promise<Words>
}

export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr', words: () => en },
  de: { name: 'Deutsch', direction: 'ltr', words: async () => (await import('./de')).de },
} satisfies Record<string, Spoken>

export type Language = keyof typeof LANGUAGES
