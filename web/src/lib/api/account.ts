// The credential of this browser. It lies in the origin's own storage, which another port can't read, and goes out in a
// header; there is no cookie.

import { base } from './base'

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

/** Exchange a code for the credential and keep it. False if the link was used before or is too old. */
export async function signIn(code: string): Promise<boolean> {
  const response = await fetch(`${base}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  if (!response.ok) return false
  const answer: { token: string } = await response.json()
  localStorage.setItem(KEY, answer.token)
  return true
}
