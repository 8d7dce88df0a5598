// Which session the page shows: its address says so, and nothing else does.

import { base } from './api/base'

const SESSION = /^\/session\/([A-Za-z0-9][A-Za-z0-9_-]{0,63})(?:\/replay\/([A-Za-z0-9][A-Za-z0-9_-]{0,63}))?$/

/** An item: `k` is its number in its turn, or `end`. */
export interface Target {
  readonly turn: string
  readonly k: string
}

export class Route {
  #path = $state(location.pathname)
  #hash = $state(location.hash)
  #target = $state.raw(targetIn(location.hash))

  get session(): string | null {
    return SESSION.exec(this.#path.slice(base.length))?.[1] ?? null
  }

  /** The turn of the session that is to be played again. */
  get replay(): string | null {
    return SESSION.exec(this.#path.slice(base.length))?.[2] ?? null
  }

  goReplay(session: string, turn: string): void {
    history.pushState(null, '', `${base}/session/${session}/replay/${turn}`)
    this.#read()
  }

  /** The item that the address points at. Who goes there again is led there again: then it is another object. */
  get target(): Target | null {
    return this.#target
  }

  /** Show this session, or none, at an address of its own. */
  go(session: string | null, target: string | null = null): void {
    const path = session === null ? `${base}/` : `${base}/session/${session}`
    const hash = target === null ? '' : `#at=${target}`
    if (path !== location.pathname || hash !== location.hash) history.pushState(null, '', path + hash)
    this.#read()
  }

  /** The session of this address is called otherwise here: the address becomes its own. */
  correct(session: string): void {
    history.replaceState(null, '', `${base}/session/${session}${location.hash}`)
    this.#read()
  }

  /** Whether the address is that of the list; a wide screen shows it beside everything. */
  get isList(): boolean {
    return this.session === null && !this.isSettings && !this.isInsights && !this.isNew
  }

  get isSettings(): boolean {
    return this.#path === `${base}/settings`
  }

  goSettings(section = ''): void {
    const hash = section === '' ? '' : `#${section}`
    if (!this.isSettings || hash !== location.hash) history.pushState(null, '', `${base}/settings${hash}`)
    this.#read()
  }

  /** The section of the settings that the address leads to. */
  get section(): string {
    return this.isSettings ? this.#hash.slice(1) : ''
  }

  get isInsights(): boolean {
    return this.#path === `${base}/insights`
  }

  goInsights(): void {
    if (!this.isInsights) history.pushState(null, '', `${base}/insights`)
    this.#read()
  }

  /** Whether the address asks for a new session; a wide screen shows it beside the list anyway. */
  get isNew(): boolean {
    return this.#path === `${base}/` && this.#hash === '#new'
  }

  goNew(): void {
    if (location.pathname !== `${base}/` || location.hash !== '#new') history.pushState(null, '', `${base}/#new`)
    this.#read()
  }

  watch(): () => void {
    const read = () => this.#read()
    addEventListener('popstate', read)
    addEventListener('hashchange', read)
    return () => {
      removeEventListener('popstate', read)
      removeEventListener('hashchange', read)
    }
  }

  #read(): void {
    this.#path = location.pathname
    this.#hash = location.hash
    this.#target = targetIn(location.hash)
  }
}

function targetIn(hash: string): Target | null {
  const [, turn, k] = /^#at=(.+)-(\d+|end)$/.exec(hash) ?? []
  return turn === undefined || k === undefined ? null : { turn, k }
}
