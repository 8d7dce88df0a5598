// One thing at a time that a person asked for: whether it goes on, and the sentence that says why it did not work.

import { sentence } from './words'

export class Attempt {
  #busy = $state(false)
  #error = $state('')

  get busy(): boolean {
    return this.#busy
  }

  get error(): string {
    return this.#error
  }

  /** Whether it worked. */
  async at(act: () => Promise<void>): Promise<boolean> {
    this.#busy = true
    this.#error = ''
    try {
      await act()
    } catch (refused) {
      this.#error = sentence(refused)
    } finally {
      this.#busy = false
    }
    return this.#error === ''
  }
}
