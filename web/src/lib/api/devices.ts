// Who is signed in where, the password, and links for another device.

import { request, send } from './client'
import type { AccountState, OneTimeLink, PasswordChange, Token } from './shapes.gen'

export function readAccount(): Promise<AccountState> {
  return request('AccountState', '/api/account')
}

/** Every sign-in ends; the answer is a new one for who asked. */
export function changePassword(body: PasswordChange): Promise<Token> {
  return request('Token', '/api/account/password', { method: 'PUT', body })
}

export async function signOut(device: string): Promise<void> {
  await send(`/api/account/devices/${encodeURIComponent(device)}`, { method: 'DELETE' })
}

/** Every device but this one. */
export async function signOutOthers(): Promise<void> {
  await send('/api/account/devices?others=true', { method: 'DELETE' })
}

export function makeLink(): Promise<OneTimeLink> {
  return request('OneTimeLink', '/api/account/links', { method: 'POST' })
}
