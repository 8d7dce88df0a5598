// One request to the server, with the credential and the name of this device. Other files say what is asked.

import { words } from '../words'
import { storedToken } from './account'
import { base } from './base'
import { told } from './told'
import { values, type Values } from './values'

/** The server said no, in a sentence for people. `token` is the credential that it was asked with. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly token: string | null

  constructor(status: number, code: string, sentence: string, token: string | null = null) {
    super(told(code, sentence))
    this.status = status
    this.code = code
    this.token = token
  }

  /** Whether the server has no room just now: asked again, it may have. */
  get passes(): boolean {
    return this.status === 503
  }
}

/** Nobody answered: it may or may not have been heard. */
export class Unreached extends Error {
  constructor() {
    super(words.api.unanswered)
  }
}

export interface Asked {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body?: unknown
  signal?: AbortSignal
}

/** Throws `Refused` or `Unreached`. */
export async function request<N extends keyof Values & string>(
  name: N,
  path: string,
  asked: Asked = {},
): Promise<Values[N]> {
  const response = await send(path, asked)
  return values.read(name, await parsed(response))
}

export async function send(path: string, { method = 'GET', body, signal }: Asked): Promise<Response> {
  const headers = new Headers({ 'holdfast-client': deviceName() })
  const token = storedToken()
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  const raw = body instanceof Blob
  if (body !== undefined && !raw) headers.set('content-type', 'application/json')
  const content = body === undefined ? null : raw ? body : JSON.stringify(body)
  let response: Response
  try {
    response = await fetch(base + path, { method, headers, body: content, cache: 'no-store', ...(signal && { signal }) })
  } catch {
    throw new Unreached()
  }
  if (!response.ok) throw await refusal(response, token)
  return response
}

export async function parsed(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    throw new Unreached() // it broke off in the middle
  }
}

async function refusal(response: Response, token: string | null): Promise<Error> {
  try {
    const { error, code } = values.read('Failure', await response.json())
    return new Refused(response.status, code, error, token)
  } catch {
    // A proxy in front of a server that is away answers for it, in words of its own.
    if ([502, 503, 504].includes(response.status)) return new Unreached()
    return new Refused(response.status, '', words.api.answered(response.status), token)
  }
}

const DEVICES = [/iPhone/, /iPad/, /Android/, /Macintosh|Mac OS/, /Windows/, /CrOS/, /Linux/]
const NAMES = ['iPhone', 'iPad', 'Android', 'Mac', 'Windows', 'Chromebook', 'Linux']

/** How the log names this device: what a person would call it. */
export function deviceName(agent: string = navigator.userAgent): string {
  return NAMES[DEVICES.findIndex((device) => device.test(agent))] ?? 'browser'
}
