// What the parts of an open session may ask of the page around them.

import { createContext } from 'svelte'
import type { Asks } from '../asks/asks.svelte'
import type { Drafts } from '../composer/drafts.svelte'
import type { Approval, Item, Question, UserMessage } from './state'

export interface View {
  readonly session: string
  readonly asks: Asks
  readonly drafts: Drafts
  /** What waits for an answer, oldest first. */
  readonly waiting: readonly (Approval | Question)[]
  /** The turn that came last: only from there can be gone on. */
  readonly latest: string | null
  /** The ask that a notification has led to, until its card is reached. */
  readonly aimed: string | null
  reached(): void
  /** How the agent is called in a sentence. */
  readonly agent: string
  /** Which waiting ask is shown as a sheet; null where there is room for cards. */
  readonly sheet: boolean
  /** It is played again: what waits in it waited then, and can't be answered. */
  readonly past: boolean
  permalink(item: Item): string
  continueTurn(turn: string): Promise<void>
  /** Send the message of this turn once more. */
  retry(turn: string): void
  /** Whether the past can be changed: not while a turn runs. */
  readonly settled: boolean
  /** Take the conversation back to before this message and say this in its place. */
  replace(message: UserMessage, text: string): void
  /** Play this turn again, event by event. */
  replay(turn: string): void
  /** Go on in a new session with everything up to and including this turn. */
  fork(turn: string): Promise<void>
}

export const [getView, setView] = createContext<View>()
