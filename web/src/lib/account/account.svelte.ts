// Who is signed in here. A link's code is exchanged once; after that the credential lies in this browser.

import { forgetToken, signIn, storedToken, takeCode } from '../api/account'

/** `out`: nobody yet. `refused`: the link or the credential is not valid any more. */
export type Standing = 'asking' | 'out' | 'refused' | 'in'

export class Account {
  #standing = $state<Standing>('asking')

  get standing(): Standing {
    return this.#standing
  }

  /** Sign in by the address's code, if it has one, and by every later link that is opened in this tab. */
  watch(): () => void {
    const begin = () => void this.#begin()
    begin()
    addEventListener('hashchange', begin)
    return () => removeEventListener('hashchange', begin)
  }

  /** The server does not take the credential. */
  refuse(): void {
    forgetToken()
    this.#standing = 'refused'
  }

  async #begin(): Promise<void> {
    const code = takeCode()
    if (code !== null && !(await signIn(code).catch(() => false))) {
      this.#standing = storedToken() === null ? 'refused' : 'in'
      return
    }
    this.#standing = storedToken() === null ? 'out' : 'in'
  }
}
