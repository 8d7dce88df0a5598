// Who is signed in here, and which sessions that shows: read again after every pause.

import { forgetToken, signIn, storedToken, takeCode } from '../api/account'
import { listSessions, type Row } from '../api/sessions'

export type Standing = 'out' | 'refused' | 'in'

const PAUSE_MS = 5_000

export class Account {
  #standing = $state<Standing>('out')
  #sessions = $state<Row[]>([])

  get standing(): Standing {
    return this.#standing
  }

  get sessions(): Row[] {
    return this.#sessions
  }

  /** Sign in by the address's code, if it has one, then list for as long as somebody watches. */
  watch(): () => void {
    let watched = true
    let pause: ReturnType<typeof setTimeout> | undefined
    const readAgain = async () => {
      await this.#read().catch(() => {}) // no answer: what was listed stays, and is asked for again
      if (watched) pause = setTimeout(readAgain, PAUSE_MS)
    }
    const begin = async () => {
      clearTimeout(pause)
      const code = takeCode()
      const refused = code !== null && !(await signIn(code).catch(() => false))
      if (refused) this.#standing = 'refused'
      if (watched) await readAgain()
    }
    void begin()
    addEventListener('hashchange', begin) // a link that is opened in a tab which is here already
    return () => {
      watched = false
      removeEventListener('hashchange', begin)
      clearTimeout(pause)
    }
  }

  async #read(): Promise<void> {
    const token = storedToken()
    if (token === null) return
    const rows = await listSessions(token)
    if (rows === null) forgetToken()
    this.#standing = rows === null ? 'refused' : 'in'
    this.#sessions = rows ?? []
  }
}
