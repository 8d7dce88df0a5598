// Many tabs, one connection: what all of them want together is followed, and each hears what it asked for.

import { Connection, type Wanted, type World } from './connection'
import type { FromTab, Heard, Reach, ToTab, Wish } from './messages'

/** As many sessions as the server lets one connection follow. */
const FOLLOWS = 16
const WATCH_MS = 5_000

export class Tab {
  wish: Wish | null = null
  readonly send: (message: ToTab) => void

  constructor(send: (message: ToTab) => void) {
    this.send = send
  }
}

export class Exchange {
  readonly #connection: Connection
  readonly #tabs = new Set<Tab>()
  readonly #watch: ReturnType<typeof setInterval>
  #lineage = ''
  #open: Wanted | null = null
  #due = false
  readonly #told = new WeakMap<Tab, string>()

  constructor(world: World) {
    this.#connection = new Connection(world, {
      heard: (heard) => this.#hear(heard),
      reach: (reach) => this.#tell(this.#reach(reach)),
      lineage: (lineage) => this.#ready(lineage),
    })
    this.#watch = setInterval(() => this.#connection.watch(), WATCH_MS)
  }

  join(send: (message: ToTab) => void): Tab {
    const tab = new Tab(send)
    this.#tabs.add(tab)
    return tab
  }

  leave(tab: Tab): void {
    this.#tabs.delete(tab)
    this.#settle()
  }

  close(): void {
    clearInterval(this.#watch)
    this.#connection.want(null)
  }

  take(tab: Tab, message: FromTab): void {
    switch (message.type) {
      case 'wish':
        this.#tabs.add(tab) // a tab that came back from the browser's memory has said goodbye before
        tab.wish = message.wish
        if (message.wish.lineage !== '') this.#lineage = message.wish.lineage
        tab.send(this.#reach(this.#connection.reach))
        this.#settle()
        return
      case 'probe':
        this.#connection.probe()
        return
      case 'bye':
        this.leave(tab)
        return
      default:
        message satisfies never
    }
  }

  /** Tabs often change their minds together: what they want is put together once for all of them. */
  #settle(): void {
    if (this.#due) return
    this.#due = true
    queueMicrotask(() => {
      this.#due = false
      this.#connect()
      this.#tellWatched()
    })
  }

  #connect(): void {
    const wanted = this.#wanted()
    if (wanted === null) this.#connection.want(null)
    else if (this.#open === null || this.#differs(this.#open, wanted)) this.#connection.want(wanted)
    else return
    this.#open = wanted
  }

  #wanted(): Wanted | null {
    const wishes = [...this.#tabs].map((tab) => tab.wish).filter((wish) => wish !== null)
    const fitting = wishes.filter((wish) => wish.lineage === this.#lineage)
    const token = wishes.at(-1)?.token
    if (token === undefined || fitting.length === 0) return null
    const list = Math.min(...fitting.map((wish) => wish.list))
    const visible = wishes.some((wish) => wish.visible)
    return { token, lineage: this.#lineage, list, follows: follows(fitting), visible }
  }

  /** Whether the open connection does not give what is wanted, from where it is wanted. */
  #differs(open: Wanted, wanted: Wanted): boolean {
    const { list, follows } = this.#connection.cursors
    if (open.token !== wanted.token || open.lineage !== wanted.lineage || wanted.list < list) return true
    if (open.visible !== wanted.visible) return true // who looks away is notified of what waits
    if (this.#connection.reach === 'refused') return true
    if ([...follows.keys()].some((session) => !wanted.follows.has(session))) return true
    return [...wanted.follows].some(([session, after]) => after < (follows.get(session) ?? Infinity))
  }

  #reach(reach: Reach): ToTab {
    return { type: 'reach', reach, token: this.#open?.token ?? null }
  }

  #ready(lineage: string): void {
    this.#tell({ type: 'lineage', lineage })
  }

  #hear(heard: Heard[]): void {
    for (const tab of this.#tabs) {
      const fitting = heard.filter((each) => concerns(tab, each))
      if (fitting.length > 0) tab.send({ type: 'heard', heard: fitting })
      follow(tab, fitting)
    }
  }

  #tell(message: ToTab): void {
    for (const tab of this.#tabs) tab.send(message)
  }

  #tellWatched(): void {
    const tabs = [...this.#tabs].filter((tab) => tab.wish !== null)
    const sessions = opened(tabs.filter((tab) => tab.wish?.visible === true))
    tabs.forEach((tab, place) => {
      // Of tabs that have the same session open, the first one tells of it.
      const others = opened(tabs.filter((other, i) => other.wish?.session !== tab.wish?.session || i < place))
      const told: ToTab = { type: 'watched', sessions, others, first: place === 0 }
      if (this.#told.get(tab) === JSON.stringify(told)) return
      this.#told.set(tab, JSON.stringify(told))
      tab.send(told)
    })
  }
}

function opened(tabs: readonly Tab[]): string[] {
  const found = tabs.map((tab) => tab.wish?.session).filter((session) => session != null)
  return [...new Set(found)].sort()
}

/** From the earliest cursor of each session; those that somebody looks at first, then the latest comers. */
function follows(wishes: Wish[]): Map<string, number> {
  const found = new Map<string, number>()
  for (const wish of [...wishes].reverse().sort((a, b) => Number(b.visible) - Number(a.visible))) {
    if (wish.session === null) continue
    const after = Math.min(wish.after, found.get(wish.session) ?? Infinity)
    if (found.has(wish.session) || found.size < FOLLOWS) found.set(wish.session, after)
  }
  return found
}

function concerns(tab: Tab, heard: Heard): boolean {
  if (tab.wish === null) return false
  if (heard.type === 'record' || heard.type === 'gone') return heard.session === tab.wish.session
  return heard.type !== 'reset' || heard.session === null || heard.session === tab.wish.session
}

/** A tab that was told has come that far: its wish, if it is ever needed again, starts there. */
function follow(tab: Tab, heard: Heard[]): void {
  if (tab.wish === null) return
  for (const each of heard) {
    if (each.type === 'record' && each.after <= tab.wish.after) tab.wish.after = Math.max(tab.wish.after, each.seq)
    if (each.type === 'row' || each.type === 'left') tab.wish.list = Math.max(tab.wish.list, each.change)
  }
}
