// How large the words are. Every size and line of tokens.css is multiplied by one number; which, is said once, here.

import { keep, kept } from './kept'

const SCALES = { small: 0.9, normal: 1, large: 1.15, larger: 1.3 } as const

export type Size = keyof typeof SCALES
export const SIZES = Object.keys(SCALES) as Size[]

class TextSize {
  #choice = $state<Size>(known(kept<string>('size', 'normal')))

  get choice(): Size {
    return this.#choice
  }

  choose(choice: Size): void {
    this.#choice = choice
    keep('size', choice === 'normal' ? null : choice)
    this.apply()
  }

  apply(): void {
    document.documentElement.style.setProperty('--scale', String(SCALES[this.#choice]))
  }
}

function known(choice: string): Size {
  return choice in SCALES ? (choice as Size) : 'normal'
}

export const textSize = new TextSize()
