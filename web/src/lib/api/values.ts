// Everything that the server says, as checked values.

import { Reader } from './read'
import {
  SHAPES,
  type AccountState,
  type AgentCheck,
  type AgentList,
  type Answered,
  type ApprovalRules,
  type Asks,
  type Attachment,
  type Created,
  type Done,
  type EndpointList,
  type EndpointTried,
  type Failure,
  type Gone,
  type HermesSessions,
  type Hits,
  type ImportList,
  type ImportReport,
  type Offers,
  type OneTimeLink,
  type Places,
  type PushState,
  type Ready,
  type Records,
  type Reset,
  type SessionList,
  type SessionRow,
  type SettledPage,
  type Snapshot,
  type StoreState,
  type Submitted,
  type Token,
  type Woken,
} from './shapes.gen'

export interface Values {
  AccountState: AccountState
  AgentCheck: AgentCheck
  AgentList: AgentList
  Answered: Answered
  ApprovalRules: ApprovalRules
  Asks: Asks
  Attachment: Attachment
  Created: Created
  Done: Done
  EndpointList: EndpointList
  EndpointTried: EndpointTried
  Failure: Omit<Failure, 'record'>
  Gone: Gone
  HermesSessions: HermesSessions
  Hits: Hits
  ImportList: ImportList
  ImportReport: ImportReport
  Offers: Offers
  OneTimeLink: OneTimeLink
  Places: Places
  PushState: PushState
  Ready: Ready
  Records: Omit<Records, 'records'>
  Reset: Reset
  SessionList: SessionList
  SessionRow: SessionRow
  SettledPage: SettledPage
  Snapshot: Snapshot
  StoreState: StoreState
  Submitted: Submitted
  Token: Token
  Woken: Woken
}

// A record's event may be of a kind that we do not know: session/records.ts reads it.
export const values = new Reader<Values>({
  ...SHAPES,
  Failure: { error: SHAPES.Failure.error, code: SHAPES.Failure.code },
  Records: { seq: SHAPES.Records.seq, lineage: SHAPES.Records.lineage, reset: SHAPES.Records.reset },
})
