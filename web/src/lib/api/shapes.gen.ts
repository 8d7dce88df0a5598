// Generated from docs/openapi.json by web/describe.py. Do not edit.

import type { Shapes } from './read'

export interface About {
  version: string
  store_format: number
  home: string
  licence: string
}

export interface AccountState {
  has_password: boolean
  password_needed: boolean
  devices: SignedInDevice[]
}

export interface AgentCheck {
  ready: boolean
  reason: string
  agent: Surveyed | null
}

export interface AgentDescribed {
  kind: 'agent.described'
  agent: string
  model: string
  mode: string
  models: Option[]
  modes: Option[]
  commands: SlashCommand[]
}

export interface AgentEnded {
  kind: 'agent.ended'
  instance: string
}

export interface AgentFailed {
  kind: 'agent.failed'
  error: string
  stderr: string
}

export interface AgentList {
  agents: Surveyed[]
  default: string
  defaults: Defaults
  hints: Hint[]
  looking: boolean
}

export interface AgentOpened {
  kind: 'agent.opened'
  agent: string
  instance: string
  pid: number
  born: number
  group: number
  reference: string
  steers: boolean
  takes_reasons: boolean
  remembers: boolean
  aside: boolean
}

export interface AgentOpening {
  kind: 'agent.opening'
  agent: string
}

export interface Answered {
  session: string
  ask: string
  seq: number
  reason_goes: 'agent' | 'steer' | 'turn' | null
}

export interface Approval {
  type: 'approval'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  ask: string
  state: 'answered' | 'delivered' | 'expired' | 'open' | 'undelivered'
  answer_seq: number
  answered_at: number
  answered_from: string
  notified_at: number
  expired_because: string
  command: string
  call: string | null
  title: string
  tool: string
  action: string
  arguments: string
  directory: string
  description: string
  pattern_keys: string[]
  choices: ('always' | 'deny' | 'once' | 'session')[]
  diffs: Diff[]
  digest: string
  agent: string
  workspace: string
  choice: 'always' | 'deny' | 'once' | 'session' | null
  by: 'agent' | 'person' | 'rule' | null
  rule: string
  reason: string
  everywhere: boolean
}

export interface ApprovalAnswered {
  kind: 'approval.answered'
  client: string
  ask: string
  choice: 'always' | 'deny' | 'once' | 'session'
  by: 'agent' | 'person' | 'rule'
  rule: string
  reason: string
  everywhere: boolean
}

export interface ApprovalDelivered {
  kind: 'approval.delivered'
  ask: string
}

export interface ApprovalExpired {
  kind: 'approval.expired'
  ask: string
  reason: string
}

export interface ApprovalRequested {
  kind: 'approval.requested'
  ask: string
  turn: string
  command: string
  call: string | null
  parent: string | null
  title: string
  tool: string
  action: string
  arguments: string
  directory: string
  description: string
  pattern_keys: string[]
  choices: ('always' | 'deny' | 'once' | 'session')[]
  diffs: Diff[]
  digest: string
  agent: string
  workspace: string
}

export interface ApprovalRule {
  id: string
  words: string
  rule: Rule
  time: number
  client: string
  session: string | null
  ask: string | null
  used: number
}

export interface ApprovalRules {
  rules: ApprovalRule[]
}

export interface AskAnswer {
  choice?: 'always' | 'deny' | 'once' | 'session' | null
  text?: string | null
  reason?: string
  everywhere?: boolean
  digest?: string
}

export interface Asks {
  head: Approval | Question | null
  count: number
  asks: (Approval | Question)[]
  seq: number
  lineage: string
}

export interface Attachment {
  name: string
  blob: string
  media_type: string
  size: number
}

export interface Attempt {
  token: string
  owner: string
  first: number
  last: number
}

export interface Conversation {
  agent: string
  reference: string
}

export interface Created {
  id: string
  seq: number
  created: boolean
}

export interface DailyFigures {
  day: number
  agent: string
  model: string
  figures: Figures
}

export interface Defaults {
  agent: string
  model: string
  mode: string
  workspace: string
}

export interface DefaultsChosen {
  kind: 'defaults.chosen'
  client: string
  agent?: string
  model?: string
  mode?: string
  workspace?: string
}

export interface Description {
  agent: string
  model: string
  mode: string
  models: Option[]
  modes: Option[]
  commands: SlashCommand[]
}

export interface Diff {
  path: string
  new: string
  old: string | null
}

export interface DiskUse {
  store: number
  blobs: number
  logs: number
  spools: number
  free: number
}

export interface Done {
  session: string
  seq: number
}

export interface End {
  type: 'end'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  outcome: 'cancelled' | 'completed' | 'failed' | 'interrupted'
  error: string
  stderr: string
  started: number
  epoch: number
  usage: Usage
  recovery: '' | 'pending' | 'complete' | 'neutral' | 'recovered'
  attempts: number
  pending_since: number
}

export interface EndpointList {
  endpoints: PublicEndpoint[]
}

export interface EndpointTrial {
  base_url: string
  key?: string
  name?: string
}

export interface EndpointTried {
  models: string[]
  reason: string
}

export interface Examination {
  findings: Finding[]
}

export interface Failure {
  error: string
  code: string
  record: WireRecord | null
}

export interface Figures {
  turns: number
  failures: number
  approvals: number
  run_ms: number
  input: number
  output: number
  cached: number
  reasoning: number
  cost: number
}

export interface Finding {
  fine: boolean
  sentence: string
}

export interface Found {
  turn: string
  k: number
  number: number
  page: number
  count: number
}

export interface FoundInSession {
  found: Found[]
  cursor: string | null
}

export interface Gone {
  session: string
  change: number
}

export interface HermesSession {
  id: string
  title: string
  source: string
  started: number
  messages: number
}

export interface HermesSessions {
  sessions: HermesSession[]
  reason: string
}

export interface Hint {
  what: 'agent' | 'endpoint' | 'import' | 'key'
  name: string
  title: string
  detail: string
  base_url: string
  models: string[]
}

export interface HistoryTruncated {
  kind: 'history.truncated'
  client: string
  turn: string | null
}

export interface Hit {
  session: string
  title: string
  turn: string
  k: number
  type: string
  time: number
  excerpt: string
  marks: ([number, number])[]
}

export interface Hits {
  hits: Hit[]
}

export interface ImportList {
  imports: Report[]
}

export interface ImportReport {
  report: Report
}

export interface Insights {
  first: number
  today: number
  days: DailyFigures[]
  sessions: SessionSize[]
  disk: DiskUse
  health: Wellbeing
}

export interface Label {
  name: string
  sessions: number
}

export interface LabelList {
  projects: Label[]
  tags: Label[]
}

export interface Late {
  epoch: number
  turn: string
}

export interface Lateness {
  last: number
  worst: number
}

export interface Ledger {
  generation: number
  commits: number
  tries: number
  wanted: number
  segments: Segment[]
  attempt: Attempt | null
  doubt: Attempt | null
  doubled: boolean
  failures: number
  error: string
  no_agent: boolean
  again: number
}

export interface Left {
  name: string
  what: string
  why: string
}

export interface LooseFiles {
  files: number
  bytes: number
}

export interface Lying {
  sessions: SessionSize[]
  more: boolean
}

export interface MemoryCommitted {
  kind: 'memory.committed'
  token: string
}

export interface MemoryFailed {
  kind: 'memory.failed'
  token: string
  error: string
  in_doubt: boolean
}

export interface MemoryRequested {
  kind: 'memory.requested'
  client: string
  successor: string | null
}

export interface MemoryStarted {
  kind: 'memory.started'
  token: string
  owner: string
  first: number
  last: number
}

export interface NewDefaults {
  agent?: string
  model?: string
  mode?: string
  workspace?: string
}

export interface NewEndpoint {
  base_url: string
  key?: string
  key_env?: string
  models?: string[]
  default_model?: string
  window?: number
}

export interface NewSession {
  id?: string | null
  title?: string
  agent?: string
  model?: string
  mode?: string
  workspace?: string
  project?: string
  tags?: string[]
  predecessor?: string | null
  prev_session_id?: string | null
  reference?: string
}

export interface NewTurn {
  id: string
  text?: string
  attachments?: Attachment[]
  mode?: 'interrupt' | 'queue' | 'steer'
  continues?: string | null
  replaces?: string | null
}

export interface Notice {
  type: 'notice'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  text: string
  level: 'error' | 'info' | 'warning'
  code: string
}

export interface NoticeRaised {
  kind: 'notice.raised'
  text: string
  turn: string | null
  level: 'error' | 'info' | 'warning'
  code: string
}

export interface Offer {
  choice: 'always' | 'deny' | 'once' | 'session'
  everywhere: boolean
  words: string
}

export interface Offers {
  offers: Offer[]
}

export interface OneTimeLink {
  link: string
  expires: number
  local: boolean
  rows: string[]
}

export interface Opening {
  agent: string
  since: number
}

export interface Option {
  id: string
  name: string
  description: string
}

export interface PageItem {
  number: number
  item: UserMessage | Text | Thought | ToolCall | Plan | Notice | Steer | Approval | Question | End
}

export interface PasswordChange {
  password: string | null
  current?: string
}

export interface PersonNotified {
  kind: 'person.notified'
  client: string
  ask: string | null
  turn: string | null
}

export interface Place {
  turn: string
  k: number
}

export interface Places {
  running: number
  waiting: string[]
}

export interface Plan {
  type: 'plan'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  entries: PlanEntry[]
}

export interface PlanEntry {
  text: string
  status: 'completed' | 'pending' | 'running'
}

export interface PlanReplaced {
  kind: 'plan.replaced'
  turn: string
  entries: PlanEntry[]
}

export interface Process {
  agent: string
  instance: string
  pid: number
  born: number
  group: number
  reference: string
  steers: boolean
  takes_reasons: boolean
  remembers: boolean
}

export interface PublicEndpoint {
  name: string
  base_url: string
  has_key: boolean
  key_from: '' | 'environment' | 'file'
  key_env: string
  models: string[]
  default_model: string
  window: number
  source: 'config' | 'environment' | 'page'
}

export interface Purged {
  sessions: string[]
}

export interface PushState {
  key: string
  on: boolean
  details: boolean
}

export interface PushSubscribed {
  endpoint: string
  p256dh: string
  auth: string
  details?: boolean
}

export interface Question {
  type: 'question'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  ask: string
  state: 'answered' | 'delivered' | 'expired' | 'open' | 'undelivered'
  answer_seq: number
  answered_at: number
  answered_from: string
  notified_at: number
  expired_because: string
  text: string
  choices: string[]
  free_text: boolean
  secret: boolean
  timeout_seconds: number
  expires_at: number
  answer: string
  token: string
}

export interface QuestionAnswered {
  kind: 'question.answered'
  client: string
  ask: string
  text: string
  secret: boolean
  token: string
}

export interface QuestionAsked {
  kind: 'question.asked'
  ask: string
  turn: string
  text: string
  parent: string | null
  choices: string[]
  free_text: boolean
  secret: boolean
  timeout_seconds: number
  expires_at: number
}

export interface QuestionDelivered {
  kind: 'question.delivered'
  ask: string
}

export interface QuestionExpired {
  kind: 'question.expired'
  ask: string
  reason: string
}

export interface QueueReordered {
  kind: 'queue.reordered'
  client: string
  turns: string[]
}

export interface Ready {
  lineage: string
}

export interface Records {
  records: WireRecord[]
  seq: number
  lineage: string
  reset: boolean
}

export interface Recovering {
  number: number
  epoch: number
  since: number
  attempts: number
}

export interface RecoveryFinished {
  kind: 'recovery.finished'
  turn: string
  result: 'complete' | 'neutral' | 'recovered'
}

export interface RecoveryPending {
  kind: 'recovery.pending'
  turn: string
  attempts: number
}

export interface Report {
  id: string
  kind: 'hermes-webui' | 'holdfast' | 'open-webui'
  source: string
  started: number
  state: 'failed' | 'finished' | 'running'
  ended: number
  found: number
  done: number
  known: number
  error: string
  taken: Taken[]
  left: Left[]
  settings: string[]
}

export interface Reset {
  session: string | null
  lineage: string
}

export interface Rule {
  id: string
  agent: string
  action: string
  key: string
  command: string
  directory: string
  workspace: string
  everywhere: boolean
}

export interface RuleRemembered {
  kind: 'rule.remembered'
  client: string
  rule: Rule
  session: string | null
  ask: string | null
}

export interface RuleRevoked {
  kind: 'rule.revoked'
  client: string
  rule: string
}

export interface RuleUsed {
  kind: 'rule.used'
  client: string
  rule: string
}

export interface Run {
  turn: string
  outcome: 'cancelled' | 'completed' | 'failed' | 'interrupted'
  started: number
  ended: number
}

export interface RunnerLost {
  kind: 'runner.lost'
  reason: string
}

export interface RunnerStarted {
  kind: 'runner.started'
  pid: number
  protocol: number
  version: string
}

export interface RunnerStopped {
  kind: 'runner.stopped'
  reason: string
}

export interface Segment {
  owner: string
  first: number
  last: number
  base: number
  since: number
  begun: number
  agent: string
  reference: string
  dead: boolean
  adopted: boolean
}

export interface Session {
  seq: number
  created: number
  title: string
  titled_by: '' | 'agent' | 'person'
  agent: string
  model: string
  mode: string
  workspace: string
  project: string
  tags: string[]
  pinned: boolean
  archived: boolean
  deleted: number
  predecessor: string | null
  seen: number
  activity: number
  active_at: number
  epoch: number
  alive: boolean
  opening: Opening | null
  process: Process | null
  described: Description | null
  conversation: Conversation | null
  failure: string
  failed_starts: number
  turns: Map<string, Turn>
  queue: string[]
  running: string | null
  latest: string | null
  last_outcome: 'cancelled' | 'completed' | 'failed' | 'interrupted' | null
  last_run: Run | null
  notified: string | null
  numbered: number
  asks: Map<string, Place>
  rules: Rule[]
  recovering: Map<string, Recovering>
  usage: Usage
  context_used: number
  context_window: number
  notice: NoticeRaised | null
  ledger: Ledger | null
}

export interface SessionChange {
  title?: string
  agent?: string
  model?: string
  mode?: string
  workspace?: string
  project?: string
  tags?: string[]
  add_tags?: string[]
  remove_tags?: string[]
  pinned?: boolean
  archived?: boolean
  seen?: number
}

export interface SessionChanged {
  kind: 'session.changed'
  client: string
  agent?: string
  model?: string
  mode?: string
  workspace?: string
  project?: string
  tags?: string[]
  pinned?: boolean
  archived?: boolean
  seen?: number
  add_tags: string[]
  remove_tags: string[]
}

export interface SessionCreated {
  kind: 'session.created'
  client: string
  title: string
  agent: string
  model: string
  mode: string
  workspace: string
  project: string
  tags: string[]
  predecessor: string | null
  reference: string
}

export interface SessionDeleted {
  kind: 'session.deleted'
  client: string
}

export interface SessionForked {
  kind: 'session.forked'
  client: string
  source: string
  turn: string
}

export interface SessionImported {
  kind: 'session.imported'
  client: string
  source: string
  name: string
  details: string
  digest: string
}

export interface SessionList {
  sessions: SessionRow[]
  cursor: string | null
  change: number
  lineage: string
}

export interface SessionRenamed {
  kind: 'session.renamed'
  client: string
  title: string
}

export interface SessionRestored {
  kind: 'session.restored'
  client: string
}

export interface SessionRow {
  title: string
  state: 'idle' | 'queued' | 'running' | 'waiting'
  outcome: 'cancelled' | 'completed' | 'failed' | 'interrupted' | null
  agent: string
  model: string
  workspace: string
  project: string
  tags: string[]
  pinned: boolean
  archived: boolean
  deleted: number
  created: number
  active_at: number
  activity: number
  seen: number
  waiting: number
  ask: string
  ask_id: string
  ask_kind: '' | 'approval' | 'question'
  asked_at: number
  doing: string
  plan_done: number
  plan_total: number
  turn_started: number
  queued: number
  turns: number
  cost: number
  recovering: boolean
  uncommitted: number
  memory_again: number
  id: string
  change: number
  unseen: boolean
}

export interface SessionSize {
  session: string
  title: string
  bytes: number
  deleted: boolean
}

export interface SettledPage {
  number: number
  items: PageItem[]
}

export interface SignedInDevice {
  id: string
  name: string
  created: number
  seen: number
  address: string
  current: boolean
}

export interface SlashCommand {
  name: string
  description: string
  hint: string
}

export interface Snapshot {
  id: string
  seq: number
  lineage: string
  session: Session
  page: SettledPage
  pages: number
}

export interface Starter {
  kind: 'history' | 'look' | 'readme' | 'tasks' | 'tests'
  name: string
}

export interface Starters {
  starters: Starter[]
}

export interface Steer {
  type: 'steer'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  steer: string
  text: string
  client: string
}

export interface SteerDelivered {
  kind: 'steer.delivered'
  turn: string
  steer: string
}

export interface Storage {
  disk: DiskUse
  deleted: Lying
  archived: Lying
  loose: LooseFiles
}

export interface StoreState {
  writable: boolean
  error: string
}

export interface Submitted {
  session: string
  turn: string
  seq: number
  state: 'ended' | 'queued' | 'running' | 'steering'
}

export interface Surveyed {
  name: string
  title: string
  family: 'acp' | 'builtin' | 'hermes' | 'tour'
  installed: boolean
  version: string
  ready: boolean
  reason: string
  model: string
  models: Option[]
  modes: Option[]
}

export interface Taken {
  name: string
  session: string
  title: string
  messages: number
}

export interface Text {
  type: 'text'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  text: string
  part: number
  message: string
  pieces: string[]
}

export interface TextAppended {
  kind: 'text.appended'
  turn: string
  text: string
  parent: string | null
  message: string
}

export interface Thought {
  type: 'thought'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  text: string
  part: number
  message: string
  pieces: string[]
  ended: number
}

export interface ThoughtAppended {
  kind: 'thought.appended'
  turn: string
  text: string
  parent: string | null
  message: string
}

export interface TitleSuggested {
  kind: 'title.suggested'
  title: string
}

export interface Token {
  token: string
  device: string
}

export interface ToolCall {
  type: 'tool'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  call: string
  name: string
  title: string
  action: string
  arguments: string
  status: 'completed' | 'failed' | 'interrupted' | 'pending' | 'running'
  output: string
  pieces: string[]
  diffs: Diff[]
  error: string
  ended: number
}

export interface ToolChanged {
  kind: 'tool.changed'
  turn: string
  call: string
  first: boolean
  parent: string | null
  name?: string
  title?: string
  action?: string
  arguments?: string
  status?: 'completed' | 'failed' | 'pending' | 'running'
  output?: string
  appended: string
  diffs?: Diff[]
  error?: string
}

export interface Turn {
  id: string
  seq: number
  message: UserMessage
  number: number
  state: 'ended' | 'queued' | 'running'
  held: boolean
  cancel_requested: boolean
  outcome: 'cancelled' | 'completed' | 'failed' | 'interrupted' | null
  epoch: number
  started: number
  count: number
  items: Map<string, UserMessage | Text | Thought | ToolCall | Plan | Notice | Steer | Approval | Question | End>
  tails: Map<string, number>
  calls: Map<string, number>
  plan: number | null
  steers: Map<string, Steer>
  doing: string
  permitted: Map<string, string | null>
  usage: Usage
}

export interface TurnCancelRequested {
  kind: 'turn.cancel_requested'
  client: string
  turn: string
}

export interface TurnEnded {
  kind: 'turn.ended'
  turn: string
  outcome: 'cancelled' | 'completed' | 'failed' | 'interrupted'
  error: string
  stderr: string
}

export interface TurnOutline {
  first: number
  said: WireRecord
  epoch: number
  times: number[]
  decisive: WireRecord[]
  failures: number[]
  whole: boolean
}

export interface TurnReleased {
  kind: 'turn.released'
  client: string
  turn: string | null
}

export interface TurnStarted {
  kind: 'turn.started'
  turn: string
  instance: string
}

export interface TurnSteered {
  kind: 'turn.steered'
  client: string
  turn: string
  steer: string
  text: string
}

export interface TurnSubmitted {
  kind: 'turn.submitted'
  client: string
  turn: string
  text: string
  attachments: Attachment[]
  ahead: boolean
  ephemeral: boolean
  continues: string | null
  replaces: string | null
}

export interface TurnWithdrawn {
  kind: 'turn.withdrawn'
  client: string
  turn: string
}

export interface Usage {
  input: number
  output: number
  cached: number
  reasoning: number
  cost: number
}

export interface UsageReported {
  kind: 'usage.reported'
  turn: string
  input: number
  output: number
  cached: number
  reasoning: number
  cost: number
  model: string
  context_used: number
  context_window: number
}

export interface UserMessage {
  type: 'user'
  turn: string
  k: number
  time: number
  parent: string | null
  recovered: boolean
  text: string
  attachments: Attachment[]
  client: string
  ephemeral: boolean
  continues: string | null
  replaces: string | null
}

export interface Wellbeing {
  uptime: number
  runners: number
  running: number
  waiting: number
  watched: number
  writable: boolean
  store_error: string
  lateness: Lateness
}

export interface WireRecord {
  seq: number
  time: number
  event: SessionCreated | SessionRenamed | SessionChanged | SessionDeleted | SessionRestored | HistoryTruncated | SessionImported | SessionForked | TurnSubmitted | TurnWithdrawn | QueueReordered | TurnReleased | TurnCancelRequested | TurnSteered | ApprovalAnswered | QuestionAnswered | PersonNotified | RuleRemembered | RuleRevoked | RuleUsed | DefaultsChosen | MemoryRequested | TextAppended | ThoughtAppended | ToolChanged | RunnerStarted | RunnerStopped | RunnerLost | AgentOpening | AgentOpened | AgentDescribed | AgentFailed | AgentEnded | TurnStarted | TurnEnded | PlanReplaced | SteerDelivered | UsageReported | TitleSuggested | NoticeRaised | ApprovalRequested | ApprovalDelivered | ApprovalExpired | QuestionAsked | QuestionDelivered | QuestionExpired | RecoveryPending | RecoveryFinished | MemoryStarted | MemoryCommitted | MemoryFailed
  epoch: number
  n: number
  late: Late | null
}

export interface Woken {
  session: string
}

export const SHAPES = {
  AccountState: {"has_password":"b","password_needed":"b","devices":{"a":"@SignedInDevice"}},
  AgentCheck: {"ready":"b","reason":"s","agent":{"o":["@Surveyed","0"]}},
  AgentDescribed: {"kind":{"e":["agent.described"]},"agent":"s","model":["s",""],"mode":["s",""],"models":[{"a":"@Option"},[]],"modes":[{"a":"@Option"},[]],"commands":[{"a":"@SlashCommand"},[]]},
  AgentEnded: {"kind":{"e":["agent.ended"]},"instance":"s"},
  AgentFailed: {"kind":{"e":["agent.failed"]},"error":"s","stderr":["s",""]},
  AgentList: {"agents":{"a":"@Surveyed"},"default":"s","defaults":"@Defaults","hints":{"a":"@Hint"},"looking":"b"},
  AgentOpened: {"kind":{"e":["agent.opened"]},"agent":"s","instance":["s",""],"pid":["i",0],"born":["i",0],"group":["i",0],"reference":["s",""],"steers":["b",false],"takes_reasons":["b",false],"remembers":["b",false],"aside":["b",false]},
  AgentOpening: {"kind":{"e":["agent.opening"]},"agent":"s"},
  Answered: {"session":"s","ask":"s","seq":"i","reason_goes":[{"o":[{"e":["agent","steer","turn"]},"0"]},null]},
  Approval: {"type":{"e":["approval"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"ask":"s","state":[{"e":["answered","delivered","expired","open","undelivered"]},"open"],"answer_seq":["i",0],"answered_at":["i",0],"answered_from":["s",""],"notified_at":["i",0],"expired_because":["s",""],"command":"s","call":[{"o":["s","0"]},null],"title":["s",""],"tool":["s",""],"action":["s",""],"arguments":["s",""],"directory":["s",""],"description":["s",""],"pattern_keys":[{"a":"s"},[]],"choices":[{"a":{"e":["always","deny","once","session"]}},[]],"diffs":[{"a":"@Diff"},[]],"digest":["s",""],"agent":["s",""],"workspace":["s",""],"choice":[{"o":[{"e":["always","deny","once","session"]},"0"]},null],"by":[{"o":[{"e":["agent","person","rule"]},"0"]},null],"rule":["s",""],"reason":["s",""],"everywhere":["b",false]},
  ApprovalAnswered: {"kind":{"e":["approval.answered"]},"client":["s",""],"ask":"s","choice":{"e":["always","deny","once","session"]},"by":[{"e":["agent","person","rule"]},"person"],"rule":["s",""],"reason":["s",""],"everywhere":["b",false]},
  ApprovalDelivered: {"kind":{"e":["approval.delivered"]},"ask":"s"},
  ApprovalExpired: {"kind":{"e":["approval.expired"]},"ask":"s","reason":["s",""]},
  ApprovalRequested: {"kind":{"e":["approval.requested"]},"ask":"s","turn":"s","command":"s","call":[{"o":["s","0"]},null],"parent":[{"o":["s","0"]},null],"title":["s",""],"tool":["s",""],"action":["s",""],"arguments":["s",""],"directory":["s",""],"description":["s",""],"pattern_keys":[{"a":"s"},[]],"choices":[{"a":{"e":["always","deny","once","session"]}},["once","session","always","deny"]],"diffs":[{"a":"@Diff"},[]],"digest":["s",""],"agent":["s",""],"workspace":["s",""]},
  ApprovalRule: {"id":"s","words":"s","rule":"@Rule","time":"i","client":"s","session":{"o":["s","0"]},"ask":{"o":["s","0"]},"used":["i",0]},
  ApprovalRules: {"rules":{"a":"@ApprovalRule"}},
  Asks: {"head":{"o":[{"k":"type","o":{"approval":"Approval","question":"Question"}},"0"]},"count":"i","asks":{"a":{"k":"type","o":{"approval":"Approval","question":"Question"}}},"seq":"i","lineage":"s"},
  Attachment: {"name":"s","blob":"s","media_type":["s","application/octet-stream"],"size":["i",0]},
  Attempt: {"token":"s","owner":"s","first":"i","last":"i"},
  Conversation: {"agent":"s","reference":"s"},
  Created: {"id":"s","seq":"i","created":"b"},
  Defaults: {"agent":["s",""],"model":["s",""],"mode":["s",""],"workspace":["s",""]},
  DefaultsChosen: {"kind":{"e":["defaults.chosen"]},"client":["s",""],"agent":["s"],"model":["s"],"mode":["s"],"workspace":["s"]},
  Description: {"agent":"s","model":["s",""],"mode":["s",""],"models":[{"a":"@Option"},[]],"modes":[{"a":"@Option"},[]],"commands":[{"a":"@SlashCommand"},[]]},
  Diff: {"path":"s","new":"s","old":[{"o":["s","0"]},null]},
  Done: {"session":"s","seq":"i"},
  End: {"type":{"e":["end"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"outcome":{"e":["cancelled","completed","failed","interrupted"]},"error":["s",""],"stderr":["s",""],"started":["i",0],"epoch":["i",0],"usage":["@Usage",{}],"recovery":[{"o":[{"e":["","pending"]},{"e":["complete","neutral","recovered"]}]},""],"attempts":["i",0],"pending_since":["i",0]},
  EndpointList: {"endpoints":{"a":"@PublicEndpoint"}},
  EndpointTried: {"models":{"a":"s"},"reason":"s"},
  Failure: {"error":"s","code":"s","record":[{"o":["@WireRecord","0"]},null]},
  Gone: {"session":"s","change":["i",0]},
  HermesSession: {"id":"s","title":["s",""],"source":["s",""],"started":["i",0],"messages":["i",0]},
  HermesSessions: {"sessions":{"a":"@HermesSession"},"reason":"s"},
  Hint: {"what":{"e":["agent","endpoint","import","key"]},"name":"s","title":"s","detail":["s",""],"base_url":["s",""],"models":[{"a":"s"},[]]},
  HistoryTruncated: {"kind":{"e":["history.truncated"]},"client":["s",""],"turn":[{"o":["s","0"]},null]},
  Hit: {"session":"s","title":"s","turn":"s","k":"i","type":"s","time":"i","excerpt":"s","marks":{"a":{"t":["i","i"]}}},
  Hits: {"hits":{"a":"@Hit"}},
  ImportList: {"imports":{"a":"@Report"}},
  ImportReport: {"report":"@Report"},
  Late: {"epoch":"i","turn":"s"},
  Ledger: {"generation":["i",0],"commits":["i",0],"tries":["i",0],"wanted":["i",0],"segments":[{"a":"@Segment"},[]],"attempt":[{"o":["@Attempt","0"]},null],"doubt":[{"o":["@Attempt","0"]},null],"doubled":["b",false],"failures":["i",0],"error":["s",""],"no_agent":["b",false],"again":["i",0]},
  Left: {"name":"s","what":"s","why":"s"},
  MemoryCommitted: {"kind":{"e":["memory.committed"]},"token":"s"},
  MemoryFailed: {"kind":{"e":["memory.failed"]},"token":"s","error":"s","in_doubt":["b",false]},
  MemoryRequested: {"kind":{"e":["memory.requested"]},"client":["s",""],"successor":[{"o":["s","0"]},null]},
  MemoryStarted: {"kind":{"e":["memory.started"]},"token":"s","owner":"s","first":"i","last":"i"},
  Notice: {"type":{"e":["notice"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"text":"s","level":[{"e":["error","info","warning"]},"info"],"code":["s",""]},
  NoticeRaised: {"kind":{"e":["notice.raised"]},"text":"s","turn":[{"o":["s","0"]},null],"level":[{"e":["error","info","warning"]},"info"],"code":["s",""]},
  Offer: {"choice":{"e":["always","deny","once","session"]},"everywhere":"b","words":"s"},
  Offers: {"offers":{"a":"@Offer"}},
  OneTimeLink: {"link":"s","expires":"i","local":"b","rows":{"a":"s"}},
  Opening: {"agent":"s","since":"i"},
  Option: {"id":"s","name":["s",""],"description":["s",""]},
  PageItem: {"number":"i","item":{"k":"type","o":{"user":"UserMessage","text":"Text","thought":"Thought","tool":"ToolCall","plan":"Plan","notice":"Notice","steer":"Steer","approval":"Approval","question":"Question","end":"End"}}},
  PersonNotified: {"kind":{"e":["person.notified"]},"client":["s",""],"ask":[{"o":["s","0"]},null],"turn":[{"o":["s","0"]},null]},
  Place: {"turn":"s","k":"i"},
  Places: {"running":["i",0],"waiting":[{"a":"s"},[]]},
  Plan: {"type":{"e":["plan"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"entries":[{"a":"@PlanEntry"},[]]},
  PlanEntry: {"text":"s","status":[{"e":["completed","pending","running"]},"pending"]},
  PlanReplaced: {"kind":{"e":["plan.replaced"]},"turn":"s","entries":[{"a":"@PlanEntry"},[]]},
  Process: {"agent":"s","instance":["s",""],"pid":["i",0],"born":["i",0],"group":["i",0],"reference":["s",""],"steers":["b",false],"takes_reasons":["b",false],"remembers":["b",false]},
  PublicEndpoint: {"name":"s","base_url":"s","has_key":"b","key_from":{"e":["","environment","file"]},"key_env":"s","models":{"a":"s"},"default_model":"s","window":"i","source":{"e":["config","environment","page"]}},
  PushState: {"key":"s","on":"b","details":"b"},
  Question: {"type":{"e":["question"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"ask":"s","state":[{"e":["answered","delivered","expired","open","undelivered"]},"open"],"answer_seq":["i",0],"answered_at":["i",0],"answered_from":["s",""],"notified_at":["i",0],"expired_because":["s",""],"text":"s","choices":[{"a":"s"},[]],"free_text":["b",true],"secret":["b",false],"timeout_seconds":["i",0],"expires_at":["i",0],"answer":["s",""],"token":["s",""]},
  QuestionAnswered: {"kind":{"e":["question.answered"]},"client":["s",""],"ask":"s","text":["s",""],"secret":["b",false],"token":["s",""]},
  QuestionAsked: {"kind":{"e":["question.asked"]},"ask":"s","turn":"s","text":"s","parent":[{"o":["s","0"]},null],"choices":[{"a":"s"},[]],"free_text":["b",true],"secret":["b",false],"timeout_seconds":["i",0],"expires_at":["i",0]},
  QuestionDelivered: {"kind":{"e":["question.delivered"]},"ask":"s"},
  QuestionExpired: {"kind":{"e":["question.expired"]},"ask":"s","reason":["s",""]},
  QueueReordered: {"kind":{"e":["queue.reordered"]},"client":["s",""],"turns":{"a":"s"}},
  Ready: {"lineage":"s"},
  Records: {"records":{"a":"@WireRecord"},"seq":"i","lineage":"s","reset":["b",false]},
  Recovering: {"number":"i","epoch":"i","since":"i","attempts":["i",0]},
  RecoveryFinished: {"kind":{"e":["recovery.finished"]},"turn":"s","result":{"e":["complete","neutral","recovered"]}},
  RecoveryPending: {"kind":{"e":["recovery.pending"]},"turn":"s","attempts":["i",0]},
  Report: {"id":"s","kind":{"e":["hermes-webui","holdfast","open-webui"]},"source":"s","started":"i","state":[{"e":["failed","finished","running"]},"running"],"ended":["i",0],"found":["i",0],"done":["i",0],"known":["i",0],"error":["s",""],"taken":[{"a":"@Taken"},[]],"left":[{"a":"@Left"},[]],"settings":[{"a":"s"},[]]},
  Reset: {"session":{"o":["s","0"]},"lineage":"s"},
  Rule: {"id":"s","agent":["s",""],"action":["s",""],"key":["s",""],"command":["s",""],"directory":["s",""],"workspace":["s",""],"everywhere":["b",false]},
  RuleRemembered: {"kind":{"e":["rule.remembered"]},"client":["s",""],"rule":"@Rule","session":[{"o":["s","0"]},null],"ask":[{"o":["s","0"]},null]},
  RuleRevoked: {"kind":{"e":["rule.revoked"]},"client":["s",""],"rule":"s"},
  RuleUsed: {"kind":{"e":["rule.used"]},"client":["s",""],"rule":"s"},
  Run: {"turn":"s","outcome":{"e":["cancelled","completed","failed","interrupted"]},"started":"i","ended":"i"},
  RunnerLost: {"kind":{"e":["runner.lost"]},"reason":["s",""]},
  RunnerStarted: {"kind":{"e":["runner.started"]},"pid":["i",0],"protocol":["i",1],"version":["s",""]},
  RunnerStopped: {"kind":{"e":["runner.stopped"]},"reason":["s",""]},
  Segment: {"owner":"s","first":"i","last":"i","base":"i","since":"i","begun":"i","agent":["s",""],"reference":["s",""],"dead":["b",false],"adopted":["b",false]},
  Session: {"seq":["i",0],"created":["i",0],"title":["s",""],"titled_by":[{"e":["","agent","person"]},""],"agent":["s",""],"model":["s",""],"mode":["s",""],"workspace":["s",""],"project":["s",""],"tags":[{"a":"s"},[]],"pinned":["b",false],"archived":["b",false],"deleted":["i",0],"predecessor":[{"o":["s","0"]},null],"seen":["i",0],"activity":["i",0],"active_at":["i",0],"epoch":["i",0],"alive":["b",false],"opening":[{"o":["@Opening","0"]},null],"process":[{"o":["@Process","0"]},null],"described":[{"o":["@Description","0"]},null],"conversation":[{"o":["@Conversation","0"]},null],"failure":["s",""],"failed_starts":["i",0],"turns":[{"m":"@Turn"},{}],"queue":[{"a":"s"},[]],"running":[{"o":["s","0"]},null],"latest":[{"o":["s","0"]},null],"last_outcome":[{"o":[{"e":["cancelled","completed","failed","interrupted"]},"0"]},null],"last_run":[{"o":["@Run","0"]},null],"notified":[{"o":["s","0"]},null],"numbered":["i",0],"asks":[{"m":"@Place"},{}],"rules":[{"a":"@Rule"},[]],"recovering":[{"m":"@Recovering"},{}],"usage":["@Usage",{}],"context_used":["i",0],"context_window":["i",0],"notice":[{"o":["@NoticeRaised","0"]},null],"ledger":[{"o":["@Ledger","0"]},null]},
  SessionChanged: {"kind":{"e":["session.changed"]},"client":["s",""],"agent":["s"],"model":["s"],"mode":["s"],"workspace":["s"],"project":["s"],"tags":[{"a":"s"}],"pinned":["b"],"archived":["b"],"seen":["i"],"add_tags":[{"a":"s"},[]],"remove_tags":[{"a":"s"},[]]},
  SessionCreated: {"kind":{"e":["session.created"]},"client":["s",""],"title":["s",""],"agent":["s",""],"model":["s",""],"mode":["s",""],"workspace":["s",""],"project":["s",""],"tags":[{"a":"s"},[]],"predecessor":[{"o":["s","0"]},null],"reference":["s",""]},
  SessionDeleted: {"kind":{"e":["session.deleted"]},"client":["s",""]},
  SessionForked: {"kind":{"e":["session.forked"]},"client":["s",""],"source":"s","turn":"s"},
  SessionImported: {"kind":{"e":["session.imported"]},"client":["s",""],"source":"s","name":"s","details":["s",""],"digest":["s",""]},
  SessionList: {"sessions":{"a":"@SessionRow"},"cursor":{"o":["s","0"]},"change":"i","lineage":"s"},
  SessionRenamed: {"kind":{"e":["session.renamed"]},"client":["s",""],"title":"s"},
  SessionRestored: {"kind":{"e":["session.restored"]},"client":["s",""]},
  SessionRow: {"title":["s",""],"state":[{"e":["idle","queued","running","waiting"]},"idle"],"outcome":[{"o":[{"e":["cancelled","completed","failed","interrupted"]},"0"]},null],"agent":["s",""],"model":["s",""],"workspace":["s",""],"project":["s",""],"tags":[{"a":"s"},[]],"pinned":["b",false],"archived":["b",false],"deleted":["i",0],"created":["i",0],"active_at":["i",0],"activity":["i",0],"seen":["i",0],"waiting":["i",0],"ask":["s",""],"ask_id":["s",""],"ask_kind":[{"e":["","approval","question"]},""],"asked_at":["i",0],"doing":["s",""],"plan_done":["i",0],"plan_total":["i",0],"turn_started":["i",0],"queued":["i",0],"turns":["i",0],"cost":["i",0],"recovering":["b",false],"uncommitted":["i",0],"memory_again":["i",0],"id":"s","change":"i","unseen":"b"},
  SettledPage: {"number":"i","items":{"a":"@PageItem"}},
  SignedInDevice: {"id":"s","name":"s","created":"i","seen":"i","address":"s","current":"b"},
  SlashCommand: {"name":"s","description":["s",""],"hint":["s",""]},
  Snapshot: {"id":"s","seq":"i","lineage":"s","session":"@Session","page":"@SettledPage","pages":"i"},
  Steer: {"type":{"e":["steer"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"steer":"s","text":"s","client":["s",""]},
  SteerDelivered: {"kind":{"e":["steer.delivered"]},"turn":"s","steer":"s"},
  StoreState: {"writable":["b",true],"error":["s",""]},
  Submitted: {"session":"s","turn":"s","seq":"i","state":{"e":["ended","queued","running","steering"]}},
  Surveyed: {"name":"s","title":"s","family":[{"e":["acp","builtin","hermes","tour"]},"acp"],"installed":["b",false],"version":["s",""],"ready":["b",false],"reason":["s",""],"model":["s",""],"models":[{"a":"@Option"},[]],"modes":[{"a":"@Option"},[]]},
  Taken: {"name":"s","session":"s","title":"s","messages":"i"},
  Text: {"type":{"e":["text"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"text":["s",""],"part":["i",0],"message":["s",""],"pieces":[{"a":"s"},[]]},
  TextAppended: {"kind":{"e":["text.appended"]},"turn":"s","text":"s","parent":[{"o":["s","0"]},null],"message":["s",""]},
  Thought: {"type":{"e":["thought"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"text":["s",""],"part":["i",0],"message":["s",""],"pieces":[{"a":"s"},[]],"ended":["i",0]},
  ThoughtAppended: {"kind":{"e":["thought.appended"]},"turn":"s","text":"s","parent":[{"o":["s","0"]},null],"message":["s",""]},
  TitleSuggested: {"kind":{"e":["title.suggested"]},"title":"s"},
  Token: {"token":"s","device":"s"},
  ToolCall: {"type":{"e":["tool"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"call":"s","name":["s",""],"title":["s",""],"action":["s",""],"arguments":["s",""],"status":[{"e":["completed","failed","interrupted","pending","running"]},"pending"],"output":["s",""],"pieces":[{"a":"s"},[]],"diffs":[{"a":"@Diff"},[]],"error":["s",""],"ended":["i",0]},
  ToolChanged: {"kind":{"e":["tool.changed"]},"turn":"s","call":"s","first":["b",false],"parent":[{"o":["s","0"]},null],"name":["s"],"title":["s"],"action":["s"],"arguments":["s"],"status":[{"e":["completed","failed","pending","running"]}],"output":["s"],"appended":["s",""],"diffs":[{"a":"@Diff"}],"error":["s"]},
  Turn: {"id":"s","seq":"i","message":"@UserMessage","number":["i",0],"state":[{"e":["ended","queued","running"]},"queued"],"held":["b",false],"cancel_requested":["b",false],"outcome":[{"o":[{"e":["cancelled","completed","failed","interrupted"]},"0"]},null],"epoch":["i",0],"started":["i",0],"count":["i",0],"items":[{"m":{"k":"type","o":{"user":"UserMessage","text":"Text","thought":"Thought","tool":"ToolCall","plan":"Plan","notice":"Notice","steer":"Steer","approval":"Approval","question":"Question","end":"End"}}},{}],"tails":[{"m":"i"},{}],"calls":[{"m":"i"},{}],"plan":[{"o":["i","0"]},null],"steers":[{"m":"@Steer"},{}],"doing":["s",""],"permitted":[{"m":{"o":["s","0"]}},{}],"usage":["@Usage",{}]},
  TurnCancelRequested: {"kind":{"e":["turn.cancel_requested"]},"client":["s",""],"turn":"s"},
  TurnEnded: {"kind":{"e":["turn.ended"]},"turn":"s","outcome":{"e":["cancelled","completed","failed","interrupted"]},"error":["s",""],"stderr":["s",""]},
  TurnReleased: {"kind":{"e":["turn.released"]},"client":["s",""],"turn":[{"o":["s","0"]},null]},
  TurnStarted: {"kind":{"e":["turn.started"]},"turn":"s","instance":["s",""]},
  TurnSteered: {"kind":{"e":["turn.steered"]},"client":["s",""],"turn":"s","steer":"s","text":"s"},
  TurnSubmitted: {"kind":{"e":["turn.submitted"]},"client":["s",""],"turn":"s","text":"s","attachments":[{"a":"@Attachment"},[]],"ahead":["b",false],"ephemeral":["b",false],"continues":[{"o":["s","0"]},null],"replaces":[{"o":["s","0"]},null]},
  TurnWithdrawn: {"kind":{"e":["turn.withdrawn"]},"client":["s",""],"turn":"s"},
  Usage: {"input":["i",0],"output":["i",0],"cached":["i",0],"reasoning":["i",0],"cost":["i",0]},
  UsageReported: {"kind":{"e":["usage.reported"]},"turn":"s","input":["i",0],"output":["i",0],"cached":["i",0],"reasoning":["i",0],"cost":["i",0],"model":["s",""],"context_used":["i",0],"context_window":["i",0]},
  UserMessage: {"type":{"e":["user"]},"turn":"s","k":"i","time":"i","parent":[{"o":["s","0"]},null],"recovered":["b",false],"text":"s","attachments":[{"a":"@Attachment"},[]],"client":["s",""],"ephemeral":["b",false],"continues":[{"o":["s","0"]},null],"replaces":[{"o":["s","0"]},null]},
  WireRecord: {"seq":"i","time":"i","event":{"k":"kind","o":{"session.created":"SessionCreated","session.renamed":"SessionRenamed","session.changed":"SessionChanged","session.deleted":"SessionDeleted","session.restored":"SessionRestored","history.truncated":"HistoryTruncated","session.imported":"SessionImported","session.forked":"SessionForked","turn.submitted":"TurnSubmitted","turn.withdrawn":"TurnWithdrawn","queue.reordered":"QueueReordered","turn.released":"TurnReleased","turn.cancel_requested":"TurnCancelRequested","turn.steered":"TurnSteered","approval.answered":"ApprovalAnswered","question.answered":"QuestionAnswered","person.notified":"PersonNotified","rule.remembered":"RuleRemembered","rule.revoked":"RuleRevoked","rule.used":"RuleUsed","defaults.chosen":"DefaultsChosen","memory.requested":"MemoryRequested","text.appended":"TextAppended","thought.appended":"ThoughtAppended","tool.changed":"ToolChanged","runner.started":"RunnerStarted","runner.stopped":"RunnerStopped","runner.lost":"RunnerLost","agent.opening":"AgentOpening","agent.opened":"AgentOpened","agent.described":"AgentDescribed","agent.failed":"AgentFailed","agent.ended":"AgentEnded","turn.started":"TurnStarted","turn.ended":"TurnEnded","plan.replaced":"PlanReplaced","steer.delivered":"SteerDelivered","usage.reported":"UsageReported","title.suggested":"TitleSuggested","notice.raised":"NoticeRaised","approval.requested":"ApprovalRequested","approval.delivered":"ApprovalDelivered","approval.expired":"ApprovalExpired","question.asked":"QuestionAsked","question.delivered":"QuestionDelivered","question.expired":"QuestionExpired","recovery.pending":"RecoveryPending","recovery.finished":"RecoveryFinished","memory.started":"MemoryStarted","memory.committed":"MemoryCommitted","memory.failed":"MemoryFailed"}},"epoch":["i",0],"n":["i",0],"late":[{"o":["@Late","0"]},null]},
  Woken: {"session":"s"},
} as const satisfies Shapes
