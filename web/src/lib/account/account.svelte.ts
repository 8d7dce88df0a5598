// Who is signed in here. A link's code is exchanged once; after that the credential lies in this browser.

import { forgetToken, isToken, keepToken, signIn, signInByPassword, storedToken, takeCode } from '../api/account'
import { words } from '../words'

/** `out`: nobody yet. `refused`: the link or the credential is not valid any more. */
export type Standing = 'asking' | 'out' | 'refused' | 'in'

export class Account {
  #standing = $state<Standing>('asking')
  #renewing = false

  get standing(): Standing {
    return this.#standing
  }

  /** Sign in by the address's code, if it has one, and by every later link that is opened in this tab. */
  watch(): () => void {
    const begin = () => void this.#begin()
    const another = (event: StorageEvent) => isToken(event) && begin()
    begin()
    addEventListener('hashchange', begin)
    addEventListener('storage', another)
    return () => {
      removeEventListener('hashchange', begin)
      removeEventListener('storage', another)
    }
  }

  /** The server does not take this credential. There may be a newer one: here, in another tab, or on its way. */
  refuse(token: string | null): void {
    if (this.#renewing || token !== storedToken()) return
    forgetToken()
    this.#standing = 'refused'
  }

  /** Do what ends every sign-in, and go on with the new one. */
  async renew(change: () => Promise<{ token: string }>): Promise<void> {
    this.#renewing = true
    try {
      keepToken((await change()).token)
    } finally {
      this.#renewing = false
    }
  }

  /** Sign in by the password; otherwise the sentence that says why not. */
  async enter(password: string): Promise<string> {
    const refused = await signInByPassword(password).catch(() => words.account.silent)
    if (refused === '') this.#standing = 'in'
    return refused
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
