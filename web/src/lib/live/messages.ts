// What a tab and the one live connection of its browser say to each other.

/** What a tab wants to see: the list from a change number, and a session from a cursor. */
export interface Wish {
  token: string
  lineage: string
  list: number
  session: string | null
  after: number
  visible: boolean
}

export type FromTab = { type: 'wish'; wish: Wish } | { type: 'probe' } | { type: 'bye' }

/** `asking`: not yet known. `polling`: the stream is held back somewhere. `refused`: the credential is not taken. */
export type Reach = 'asking' | 'live' | 'polling' | 'away' | 'refused'

/** `after` is the record before this one, so that a tab which stands elsewhere notices. Values are as they were sent. */
export type Heard =
  | { type: 'record'; session: string; after: number; seq: number; record: unknown }
  | { type: 'row'; change: number; row: unknown }
  | { type: 'left'; change: number; session: string }
  | { type: 'gone'; session: string }
  | { type: 'reset'; session: string | null }
  | { type: 'list'; list: unknown }
  | { type: 'store'; store: unknown }
  | { type: 'places'; places: unknown }

/**
 * `watched` are the sessions that somebody in this browser has before his eyes. Of what waits elsewhere one tab tells: the
 * one that has the session open, else the `first`. `others` are the sessions that another tab has open. How the server is
 * reached is said with the credential that was tried, because a tab may have a newer one by now.
 */
export type ToTab =
  | { type: 'heard'; heard: Heard[] }
  | { type: 'reach'; reach: Reach; token: string | null }
  | { type: 'watched'; sessions: string[]; others: string[]; first: boolean }
  | { type: 'lineage'; lineage: string }

/** A worker is also asked whether it lives, and told by which lock it will know that a tab is gone. */
export type ToWorker = FromTab | { type: 'lock'; name: string } | { type: 'alive' }
export type FromWorker = ToTab | { type: 'alive' }
