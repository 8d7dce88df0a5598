// The page as a whole: who is signed in, the list, the open session, and the live connection that keeps both true.

import { Account } from './account/account.svelte'
import { Agents } from './agents/agents.svelte'
import { storedToken } from './api/account'
import { changeSession } from './api/sessions'
import type { SessionChange, SessionRow } from './api/shapes.gen'
import { Refused, Unreached } from './api/client'
import { Asks } from './asks/asks.svelte'
import { Notices } from './asks/notices.svelte'
import { Drafts } from './composer/drafts.svelte'
import { Drawer } from './composer/enclosures.svelte'
import { Outbox } from './composer/outbox.svelte'
import { Live } from './live/live.svelte'
import type { Heard } from './live/messages'
import { ledTo, whenLed } from './push/worker'
import type { Filed } from './organise/filter.svelte'
import type { Picking } from './organise/picking.svelte'
import { Route } from './route.svelte'
import { Conversation } from './session/conversation.svelte'
import { Sessions } from './sessions/sessions.svelte'
import { sentence } from './ui/words'
import { words } from './words'

interface Named {
  readonly id: string
  readonly title: string
}

interface Told {
  readonly text: string
  /** Something that was asked for did not work. */
  readonly failed: boolean
}

/** An ask that a notification leads to, and the session that it waits in. */
interface Aim {
  readonly session: string
  readonly ask: string
}

function aimAt(session: string | null, ask: string | null): Aim | null {
  return session === null || ask === null ? null : { session, ask }
}

const RETRY_MS = 1_000
const BEGINNING_MS = 30
const UNDO_MS = 12_000

export class Workspace {
  readonly account = new Account()
  readonly route = new Route()
  readonly sessions = new Sessions()
  readonly agents = new Agents()
  readonly outbox = new Outbox((session) => this.#made(session))
  readonly enclosures = new Drawer()
  readonly drafts = new Drafts()
  readonly asks = new Asks()
  readonly notices = new Notices((session, ask) => this.#lead(session, ask))
  readonly live: Live
  /** The session that is being answered in the list; it stays so while it goes on and asks again. */
  answering = $state<string | null>(null)
  /** The session whose title is being written in the list. */
  renaming = $state<string | null>(null)
  /** The session in which something is being looked for. */
  finding = $state<string | null>(null)
  #conversation = $state.raw<Conversation | null>(null)
  /** The hand that holds several sessions of the list, while there is one. */
  picking = $state.raw<Picking | null>(null)
  /** What is open to put sessions in order: the filter, or the labels of some. */
  sheet = $state.raw<'filter' | readonly SessionRow[] | null>(null)
  #deleted = $state.raw<readonly Named[]>([])
  #told = $state.raw<Told | null>(null)
  #unfiltered: () => void = () => undefined
  #aimed = $state.raw<Aim | null>(aimAt(this.route.session, ledTo(location.hash)))
  #predecessor: string | null = null
  #seen = 0
  #token: string | null = null

  constructor() {
    this.live = new Live({
      heard: (heard) => this.#hear(heard),
      lineage: (lineage) => this.#belongTo(lineage),
      refused: (token) => this.#refused(token),
      again: () => this.#wish(),
    })
  }

  get conversation(): Conversation | null {
    return this.#conversation
  }

  /** The session that a new one takes over from: the one that was open when it was begun. */
  get predecessor(): string | null {
    return this.#predecessor
  }

  /** What was deleted last and can still be brought back here. */
  get deleted(): readonly Named[] {
    return this.#deleted
  }

  /** The ask that a notification has led to, until its card is reached. */
  get aimed(): string | null {
    return this.#aimed?.ask ?? null
  }

  reached(): void {
    this.#aimed = null
  }

  #lead(session: string, ask: string): void {
    this.#aimed = aimAt(session, ask)
    this.route.go(session)
  }

  /** Turn to a new session. */
  beginNew(): void {
    this.#predecessor = this.route.session
    this.route.goNew()
  }

  /** What the page has to say where nothing else can say it, for a while. */
  get told(): Told | null {
    return this.#told
  }

  tell(text: string, failed = false): void {
    const told = (this.#told = { text, failed })
    setTimeout(() => {
      if (this.#told === told) this.#told = null
    }, UNDO_MS)
  }

  /** Do what a person asked for where there is no place to say that it did not work: then the page says it. */
  async attempt(act: () => unknown): Promise<void> {
    this.#told = null
    try {
      await act()
    } catch (error) {
      this.tell(words.sessions.undone(sentence(error)), true)
    }
  }

  alter(id: string, change: SessionChange): Promise<void> {
    return this.attempt(() => this.sessions.alter(id, change))
  }

  remove(id: string, title: string): Promise<void> {
    return this.attempt(async () => {
      await this.sessions.remove(id)
      this.removed([{ id, title }])
    })
  }

  /** These were deleted together, and come back together if that is wanted. */
  removed(deleted: readonly Named[]): void {
    if (deleted.length === 0) return
    this.#deleted = deleted
    if (deleted.some(({ id }) => id === this.route.session)) this.route.go(null)
    setTimeout(() => {
      if (this.#deleted === deleted) this.#deleted = []
    }, UNDO_MS)
  }

  /** Bring back what was deleted last; what does not come can be asked for again. */
  async undo(): Promise<void> {
    const deleted = this.#deleted
    const back = await Promise.allSettled(deleted.map(({ id }) => this.sessions.restore(id)))
    if (this.#deleted === deleted) this.#deleted = deleted.filter((_, i) => back[i]?.status === 'rejected')
    const refused = back.find((each) => each.status === 'rejected')
    if (refused !== undefined) await this.attempt(() => Promise.reject(refused.reason as Error))
  }

  /** What puts sessions in order; it comes when it is first asked for. */
  parts() {
    return import('./organise/parts')
  }

  /** Take several sessions in hand, this one first. */
  async select(first: string | null = null): Promise<void> {
    const { Picking } = await this.parts()
    if (this.picking === null) this.picking = new Picking(this, first)
  }

  /** Show only these in the list. */
  filterBy(filed: Filed): void {
    this.sessions.filter.set(filed)
    this.#unfiltered()
    this.#unfiltered = this.#persist(() => this.sessions.loadFiltered())
  }

  /** Everything that lasts as long as the page does. */
  watch(): () => void {
    const led = whenLed(({ session, name }) => this.#lead(session, name))
    const ends = [this.account.watch(), this.route.watch(), this.live.watch(), led]
    return () => ends.forEach((end) => end())
  }

  /** Begin with the list; to be called when somebody is signed in. */
  begin(): () => void {
    const end = this.#persist(async () => {
      await this.sessions.load()
      this.#wish()
      this.outbox.resume()
    })
    const ends = [end, this.outbox.watch()]
    return () => ends.forEach((each) => each())
  }

  /** Show the session of the address; what is not there yet is fetched until it is. */
  open(id: string | null): () => void {
    if (this.finding !== id) this.finding = null
    if (this.#aimed?.session !== id) this.#aimed = null // who goes elsewhere is led no more
    if (id === null) {
      this.#conversation = null
      this.#wish()
      return () => undefined
    }
    const conversation = new Conversation(
      id,
      () => this.#loaded(),
      (renamed) => this.route.correct(renamed),
    )
    this.#conversation = conversation
    this.outbox.recorded(id, 0)
    this.#seen = 0
    let wanted = true
    const end = this.#persist(async () => {
      while (wanted && this.outbox.begins(id)) await new Promise((resolve) => setTimeout(resolve, BEGINNING_MS))
      await conversation.load()
    })
    return () => {
      wanted = false
      end()
    }
  }

  /** A person has the newest of the open session before his eyes. */
  async see(): Promise<void> {
    const conversation = this.#conversation
    const head = conversation?.head
    if (conversation == null || head == null || document.visibilityState !== 'visible') return
    if (head.activity <= Math.max(head.seen, this.#seen)) return
    this.#seen = head.activity
    await changeSession(conversation.id, { seen: head.activity }).catch(() => (this.#seen = 0))
  }

  /** Do what ends every sign-in; this page goes on with the new one. */
  async renew(change: () => Promise<{ token: string }>): Promise<void> {
    await this.account.renew(change)
    this.#wish()
    const { goOn } = await import('./push/push.svelte')
    await goOn()
  }

  #refused(token: string | null): void {
    this.account.refuse(token)
    if (token === this.#token && token !== storedToken()) this.#wish() // another tab has a newer one
  }

  #wish(): void {
    const token = storedToken()
    if (token === null || !this.sessions.loaded) return
    this.#token = token
    const conversation = this.#conversation
    const follows = conversation?.phase === 'shown' ? conversation : null
    this.live.wish({
      token,
      lineage: this.sessions.lineage,
      list: this.sessions.change,
      session: follows?.id ?? null,
      after: follows?.seq ?? 0,
      visible: document.visibilityState === 'visible',
    })
  }

  #hear(heard: Heard[]): void {
    let joins = true
    for (const each of heard) joins = this.#take(each) && joins
    this.#conversation?.draw()
    this.#recorded()
    if (!joins) this.#wish()
  }

  #loaded(): void {
    this.#recorded()
    this.#wish()
  }

  #recorded(): void {
    this.outbox.recorded(this.#conversation?.id ?? null, this.#conversation?.seq ?? 0)
  }

  /** Whoever looked for a session before it could be made has not found it. */
  #made(session: string): void {
    const open = this.#conversation
    if (open?.id === session && open.phase === 'gone') this.#persist(() => open.load())
  }

  #take(heard: Heard): boolean {
    const open = this.#conversation
    switch (heard.type) {
      case 'record':
        return heard.session !== open?.id || open.hear(heard.after, heard.record)
      case 'row':
        this.sessions.hearRow(heard.row)
        return true
      case 'left':
        this.sessions.hearLeft(heard.session, heard.change)
        if (heard.session === open?.id) open.gone()
        return true
      case 'list':
        this.sessions.hearList(heard.list)
        return true
      case 'gone':
        if (heard.session === open?.id) open.gone()
        return true
      case 'reset':
        this.#reload()
        return true
      case 'store':
      case 'places':
        return true
      default:
        heard satisfies never
        return true
    }
  }

  /** The server may tell another history than the one we know: after a restore, after a power cut. */
  #belongTo(lineage: string): void {
    if (this.sessions.loaded && lineage !== this.sessions.lineage) this.#reload()
  }

  #reload(): void {
    this.#persist(async () => {
      await this.sessions.load()
      await this.#conversation?.load()
      this.#wish()
    })
  }

  /** Try until it is done or not wanted any more; only silence and want of room are reasons to try again. */
  #persist(act: () => Promise<void>): () => void {
    let wanted = true
    const go = async () => {
      while (wanted) {
        try {
          return await act()
        } catch (error) {
          if (error instanceof Refused && error.status === 401) {
            if (error.token !== storedToken()) continue // somebody has signed in meanwhile
            return this.account.refuse(error.token)
          }
          if (!(error instanceof Unreached || (error instanceof Refused && error.passes))) throw error
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    void go()
    return () => (wanted = false)
  }
}
