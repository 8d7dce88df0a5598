// What the parts of an open session may ask of the page around them.

import { createContext } from 'svelte'
import type { Asks } from '../asks/asks.svelte'
import type { Head } from './conversation.svelte'
import type { Item } from './state'

export interface View {
  readonly session: string
  readonly asks: Asks
  readonly head: Head | null
  /** How the agent is called in a sentence. */
  readonly agent: string
  /** Which waiting ask is shown as a sheet; null where there is room for cards. */
  readonly sheet: boolean
  permalink(item: Item): string
  continueTurn(turn: string): Promise<void>
}

export const [getView, setView] = createContext<View>()
