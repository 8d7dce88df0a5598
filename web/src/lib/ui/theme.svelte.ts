// Light, dark, or as the system has it. A theme is a set of values in tokens.css; which set holds is said once, here.

import { keep, kept } from './kept'
import { media } from './media.svelte'

export type Choice = 'system' | 'light' | 'dark'

const DARK = '(prefers-color-scheme: dark)'
// Paper is white.
const MEDIA: Record<Choice, string> = { system: `screen and ${DARK}`, light: 'not all', dark: 'screen' }

class Theme {
  readonly #system = media(DARK)
  #choice = $state<Choice>(kept<Choice>('theme', 'system'))

  get choice(): Choice {
    return this.#choice
  }

  get dark(): boolean {
    return this.#choice === 'system' ? this.#system.matches : this.#choice === 'dark'
  }

  /** What the browser's own frame around the page is painted with. */
  get ground(): string {
    void this.dark // with it the values change
    return getComputedStyle(document.documentElement).getPropertyValue('--ground')
  }

  choose(choice: Choice): void {
    this.#choice = choice
    keep('theme', choice === 'system' ? null : choice)
    this.apply()
  }

  /** Let the dark values hold when they are wished for, whatever the system says. */
  apply(): void {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule && isDark(rule)) rule.media.mediaText = MEDIA[this.#choice]
    }
    document.documentElement.style.colorScheme = this.#choice === 'system' ? '' : this.#choice
  }
}

/** The rule of tokens.css that holds the dark values, whatever its condition is now. */
function isDark(rule: CSSMediaRule): boolean {
  if (rule.conditionText === MEDIA.system) marked.add(rule)
  return marked.has(rule)
}

const marked = new WeakSet<CSSMediaRule>()

export const theme = new Theme()
