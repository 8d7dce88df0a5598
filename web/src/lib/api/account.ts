// The credential of this browser. It lies in the origin's own storage, which another port can't read, and goes out in a
// header; there is no cookie.

import { words } from '../words'
import { base } from './base'
import { told } from './told'

const KEY = 'holdfast.token'
const CODE = /^#code=(.+)$/

export function storedToken(): string | null {
  return localStorage.getItem(KEY)
}

export function forgetToken(): void {
  localStorage.removeItem(KEY)
}

/** The code of a one-time link, taken out of the address bar and out of the history. */
export function takeCode(): string | null {
  const code = CODE.exec(location.hash)?.[1] ?? null
  if (code !== null) history.replaceState(history.state, '', location.pathname + location.search)
  return code
}

export function keepToken(token: string): void {
  localStorage.setItem(KEY, token)
}

/** The credential lies elsewhere in this browser's tabs too: whether this is about it. */
export function isToken(event: StorageEvent): boolean {
  return event.key === KEY && event.newValue !== null
}

/** Exchange a code for the credential and keep it. False if the link was used before or is too old. */
export async function signIn(code: string): Promise<boolean> {
  return (await exchange({ code })) === ''
}

/** Exchange the password for the credential and keep it. Otherwise the sentence that says why not. */
export function signInByPassword(password: string): Promise<string> {
  return exchange({ password })
}

async function exchange(body: { code: string } | { password: string }): Promise<string> {
  const response = await fetch(`${base}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer: { token?: string; error?: string; code?: string } = await response.json().catch(() => ({}))
  if (!response.ok || answer.token === undefined)
    return told(answer.code ?? '', answer.error ?? words.api.answered(response.status))
  keepToken(answer.token)
  return ''
}
