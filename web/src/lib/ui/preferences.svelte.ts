// How a person likes the page to behave, kept in this browser.

import { keep, kept } from './kept'

export type Enter = 'sends' | 'breaks'

class Preferences {
  #enter = $state<Enter | null>(kept<Enter | null>('enter', null))

  /** What Enter does in a message. Unless it was chosen, it sends where there is a keyboard. */
  get enter(): Enter {
    return this.#enter ?? (matchMedia('(pointer: coarse)').matches ? 'breaks' : 'sends')
  }

  set enter(enter: Enter) {
    this.#enter = enter
    keep('enter', enter)
  }
}

export const preferences = new Preferences()
