"""What the API takes and gives, as values: checked at the border, and the source of the OpenAPI description.

Records, items and the session itself are the values of `core`; here is only what the wire adds.

This file is longer than its neighbours because it is a list; it holds no logic.
"""

from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from holdfast.agents.hermes.sessions import HermesSession
from holdfast.agents.survey import Hint, Surveyed
from holdfast.core import codec
from holdfast.core.events import Attachment, Choice, Known, Rule
from holdfast.core.house import Defaults
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.core.items import Approval, Item, Question
from holdfast.core.overview import Overview
from holdfast.core.policy import Offer
from holdfast.core.records import Late, Record
from holdfast.core.session import Session
from holdfast.endpoints import PublicEndpoint
from holdfast.ownership import Holder
from holdfast.server.examination import Finding
from holdfast.server.pulse import Lateness
from holdfast.store.protocol import DailyFigures, Found, Hit, Label, Page, Row, SessionSize
from holdfast.transfer.report import Kind, Report

Id = Annotated[str, Meta(max_length=64)]
Title = Annotated[str, Meta(max_length=200)]
Name = Annotated[str, Meta(max_length=200)]
Folder = Annotated[str, Meta(max_length=4096)]
Tags = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=50)], ...], Meta(max_length=20)]
Text = Annotated[str, Meta(max_length=1_000_000)]
Reason = Annotated[str, Meta(max_length=2000)]
DeviceName = Annotated[str, Meta(max_length=64)]


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a request says. A field that we do not know is a mistake of its sender."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a request gets."""


# What is asked.


class Import(Body, frozen=True, kw_only=True):
    """What to take over. hermes-webui is found by itself if no path is given."""

    kind: Kind
    path: Folder = ""


class NewDefaults(Body, frozen=True, kw_only=True):
    """What a new session is given unless it says otherwise. What is given is changed; the rest stays."""

    agent: Name | UnsetType = UNSET
    model: Name | UnsetType = UNSET
    mode: Name | UnsetType = UNSET
    workspace: Folder | UnsetType = UNSET


class NewEndpoint(Body, frozen=True, kw_only=True):
    """Where models are served. Without `key` or `key_env` a key that is there stays; `key_env` names a variable."""

    base_url: Annotated[str, Meta(max_length=2000)]
    key: Annotated[str, Meta(max_length=2000)] | UnsetType = UNSET
    key_env: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    models: Annotated[tuple[Name, ...], Meta(max_length=1000)] = ()
    default_model: Name = ""
    window: Annotated[int, Meta(ge=0)] = 0


class EndpointTrial(Body, frozen=True, kw_only=True):
    """What to try. With the `name` of an endpoint that is there, its key is used unless another is given."""

    base_url: Annotated[str, Meta(max_length=2000)]
    key: Annotated[str, Meta(max_length=2000)] = ""
    name: Name = ""


class NewSession(Body, frozen=True, kw_only=True):
    """`id` may be chosen by the client: the same request again changes nothing.

    What the `predecessor` (also: `prev_session_id`) completed is committed to memory behind it. `reference` names a
    conversation that the agent had before, elsewhere; the session goes on with it.
    """

    id: Id | None = None
    title: Title = ""
    agent: Name = ""
    model: Name = ""
    mode: Name = ""
    workspace: Folder = ""
    project: Name = ""
    tags: Tags = ()
    predecessor: Id | None = None
    prev_session_id: Id | None = None
    reference: Annotated[str, Meta(max_length=200)] = ""


class SessionChange(Body, frozen=True, kw_only=True):
    """What is given is changed; the rest stays. `seen` is the highest seq that was on screen.

    `tags` are all that the session is to have; `add_tags` and `remove_tags` leave the others as they are.
    """

    title: Title | UnsetType = UNSET
    agent: Name | UnsetType = UNSET
    model: Name | UnsetType = UNSET
    mode: Name | UnsetType = UNSET
    workspace: Folder | UnsetType = UNSET
    project: Name | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    add_tags: Tags = ()
    remove_tags: Tags = ()
    pinned: bool | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    seen: int | UnsetType = UNSET


class NewTurn(Body, frozen=True, kw_only=True):
    """`id` is chosen by the client: the same message sent twice is recorded once.

    `queue` waits for its place, `steer` speaks to the run in progress, `interrupt` cancels it and comes next.
    `replaces` names a turn that leaves the transcript with all that follows it: this is said in its place, or, while
    a turn runs, neither happens.
    """

    id: Id
    text: Text = ""
    attachments: Annotated[tuple[Attachment, ...], Meta(max_length=50)] = ()
    mode: Literal["queue", "steer", "interrupt"] = "queue"
    continues: Id | None = None
    replaces: Id | None = None


class Continuation(Body, frozen=True, kw_only=True):
    """A new turn that takes up an interrupted one."""

    id: Id
    text: Text = "Go on where you were interrupted."


class QueueOrder(Body, frozen=True, kw_only=True):
    """Turns that wait, in the order in which they are to run. Those that are not named stay where they are."""

    turns: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=1000)]


class AskAnswer(Body, frozen=True, kw_only=True):
    """`choice` answers an approval, `text` a question.

    `reason` goes with deny, `everywhere` with always. `digest` is that of the request as it was shown: if it is given
    and does not fit, nothing is answered. The text of a secret is never stored.
    """

    choice: Choice | None = None
    text: Text | None = None
    reason: Reason = ""
    everywhere: bool = False
    digest: Annotated[str, Meta(max_length=64)] = ""


class Truncation(Body, frozen=True, kw_only=True):
    """This turn and all that follows it leave the transcript; without a turn, everything does."""

    turn: Id | None = None


class Fork(Body, frozen=True, kw_only=True):
    """The last turn that the new session has. `id` may be chosen: the same wish again then makes no second one."""

    turn: Id
    id: Id | None = None


class SignIn(Body, frozen=True, kw_only=True):
    """The code of a one-time link, or the password. `name` is what the device is called in the list of devices."""

    code: Annotated[str, Meta(max_length=200)] | None = None
    password: Annotated[str, Meta(max_length=1000)] | None = None
    name: DeviceName = ""


class DeviceChange(Body, frozen=True, kw_only=True):
    """What a device is called."""

    name: Annotated[str, Meta(min_length=1, max_length=64)]


class PasswordChange(Body, frozen=True, kw_only=True):
    """The new password, null to have none, and the present one, if there is one."""

    password: Annotated[str, Meta(max_length=1000)] | None
    current: Annotated[str, Meta(max_length=1000)] = ""


# What is answered.


class AgentList(Answer, frozen=True, kw_only=True):
    """Every agent that could be used, and how it stands. `looking`: a look goes on, so ask again in a moment.

    `default` is the agent of a session that names none, `defaults` what a person has chosen, `hints` what else was
    found on this machine.
    """

    agents: tuple[Surveyed, ...]
    default: str
    defaults: Defaults
    hints: tuple[Hint, ...]
    looking: bool


class AgentCheck(Answer, frozen=True, kw_only=True):
    """Whether the agent could be started just now; `reason` says why not."""

    ready: bool
    reason: str
    agent: Surveyed | None


class EndpointList(Answer, frozen=True, kw_only=True):
    endpoints: list[PublicEndpoint]


class EndpointTried(Answer, frozen=True, kw_only=True):
    """The models that are served there, or the reason why they could not be listed."""

    models: list[str]
    reason: str


class HermesSessions(Answer, frozen=True, kw_only=True):
    """`reason` says why there are none, if Hermes can't be used."""

    sessions: list[HermesSession]
    reason: str


class ImportReport(Answer, frozen=True, kw_only=True):
    """An import as far as it has come. While its state is `running`, `done` of `found` have been looked at."""

    report: Report


class ImportList(Answer, frozen=True, kw_only=True):
    imports: list[Report]


class Woken(Answer, frozen=True, kw_only=True):
    """The agent is being opened, if there is a free place."""

    session: SessionId


class Failure(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong, as a sentence; `code` names the kind. `record` is the one that came first, if one did."""

    error: str
    code: str
    record: "WireRecord | None" = None


class WireRecord(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """A record as it is sent. A kind that this description lacks may appear: a newer program wrote it."""

    seq: int
    time: int
    event: Known
    epoch: int = 0
    n: int = 0
    late: Late | None = None


class SessionRow(Overview, frozen=True, kw_only=True, omit_defaults=False):
    """A line of the session list."""

    id: SessionId
    change: int
    is_unseen: bool = msgspec.field(name="unseen")


class SessionList(Answer, frozen=True, kw_only=True):
    """By last activity, newest first. `cursor` is null on the last page; `change` is where to follow the list from."""

    sessions: list[SessionRow]
    cursor: str | None
    change: int
    lineage: str


class Created(Answer, frozen=True, kw_only=True):
    """`created` is false if the session was there already, by the same request."""

    id: SessionId
    seq: int
    created: bool


class PageItem(Answer, frozen=True, kw_only=True):
    """An item, and the number of its turn in the transcript."""

    number: int
    item: Item


class SettledPage(Answer, frozen=True, kw_only=True):
    """Settled items in reading order. Pages count from 1."""

    number: int
    items: list[PageItem]


class Snapshot(Answer, frozen=True, kw_only=True):
    """A session as of `seq`: its state, with the items that may still change, and its last page of settled ones."""

    id: SessionId
    seq: int
    lineage: str
    session: Session
    page: SettledPage
    pages: int


class Records(Answer, frozen=True, kw_only=True):
    """Records after a cursor. `reset`: the cursor is not of this history; load the snapshot anew."""

    records: list[WireRecord]
    seq: int
    lineage: str
    reset: bool = False


class TurnOutline(Answer, frozen=True, kw_only=True):
    """A turn without its words: `first` is the seq of its first record, `said` what it answers, `epoch` who ran it.

    `times` has the time of its first record, then how many milliseconds later each of the others was written.
    `decisive` are its records that show nothing but decide something: asks, answers, its end. `failures` are seqs.
    """

    first: int
    said: WireRecord
    epoch: int
    times: list[int]
    decisive: list[WireRecord]
    failures: list[int]
    whole: bool


class Done(Answer, frozen=True, kw_only=True):
    """The command took effect; `seq` is the record that says so. 0: the run was told, and will record it itself."""

    session: SessionId
    seq: int


class Submitted(Answer, frozen=True, kw_only=True):
    """The turn is recorded. `state` is what was true of it then; a steer speaks to the run in progress."""

    session: SessionId
    turn: TurnId
    seq: int
    state: Literal["queued", "running", "ended", "steering"]


class Answered(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """The answer counts. `reason_goes`: the agent hears why it was refused with the refusal, as words during the run,
    or as its next turn."""

    session: SessionId
    ask: AskId
    seq: int
    reason_goes: Literal["agent", "steer", "turn"] | None = None


class Offers(Answer, frozen=True, kw_only=True):
    """What may be answered beyond *once*, and in words what each would match from then on."""

    offers: list[Offer]


class ApprovalRule(Answer, frozen=True, kw_only=True):
    """Something that is allowed for good, in words, and the answer that it came from. `used` is when it answered last,
    to the day; 0 if that is not known."""

    id: str
    words: str
    rule: Rule
    time: int
    client: str
    session: SessionId | None
    ask: AskId | None
    used: int = 0


class ApprovalRules(Answer, frozen=True, kw_only=True):
    rules: list[ApprovalRule]


class Asks(Answer, frozen=True, kw_only=True):
    """What waits for an answer, oldest first. `head` is the oldest, `count` how many there are."""

    head: Approval | Question | None
    count: int
    asks: list[Approval | Question]
    seq: int
    lineage: str


class MemoryState(Answer, frozen=True, kw_only=True):
    """Completed turns count as generations; all up to `committed` are committed to memory.

    `may_be_doubled`: a commit was in flight when its process ended, so it is made again and may count twice.
    """

    generation: int
    committed: int
    uncommitted: bool
    commits: int
    in_flight: bool
    may_be_doubled: bool
    last_error: str | None


class MemoryCommit(Answer, frozen=True, kw_only=True):
    """Whether something was committed, and if not, why."""

    committed: bool
    reason: Literal["nothing", "failed", "in_flight", "no_agent"] | None = None


class Hits(Answer, frozen=True, kw_only=True):
    """What was found, newest first."""

    hits: list[Hit]


class FoundInSession(Answer, frozen=True, kw_only=True):
    """What a stretch of a session holds, newest first. `cursor` leads to the stretch before it, if there is one."""

    found: list[Found]
    cursor: str | None = None


class LabelList(Answer, frozen=True, kw_only=True):
    """What the listed sessions are sorted by, the most used first."""

    projects: list[Label]
    tags: list[Label]


class Token(Answer, frozen=True, kw_only=True):
    """The credential of this device alone, for the Authorization header: `Bearer <token>`."""

    token: str
    device: str


class SignedInDevice(Answer, frozen=True, kw_only=True):
    """A device that is signed in. Times are milliseconds since 1970; `current`: it is the one that asks."""

    id: str
    name: str
    created: int
    seen: int
    address: str
    current: bool


class AccountState(Answer, frozen=True, kw_only=True):
    """Whether there is a password and whether it may be removed; the devices, who was seen last first."""

    has_password: bool
    password_needed: bool
    devices: list[SignedInDevice]


class PushState(Answer, frozen=True, kw_only=True):
    """Whether the device that asks is pushed to. `key` is the server's own, as a browser wants it to subscribe."""

    key: str
    on: bool
    details: bool


class PushSubscribed(Body, frozen=True, kw_only=True):
    """What a browser's push service gave it. `details`: the command or the question itself may be shown."""

    endpoint: Annotated[str, Meta(max_length=2000)]
    p256dh: Annotated[str, Meta(max_length=200)]
    auth: Annotated[str, Meta(max_length=100)]
    details: bool = False


class OneTimeLink(Answer, frozen=True, kw_only=True):
    """A link that signs in whoever opens it, once. `rows` is its QR code: a text of 0 (light) and 1 (dark) a row.

    `local`: the link names this machine only as itself, so no other device can open it.
    """

    link: str
    expires: int
    local: bool
    rows: list[str]


class Health(Answer, frozen=True, kw_only=True):
    """Somebody answers."""

    status: Literal["ok"] = "ok"


class PublicStatus(Answer, frozen=True, kw_only=True):
    """What anybody may know: somebody is here, and whether the one who asks is signed in."""

    status: Literal["ok"] = "ok"
    initialized: bool = True
    authenticated: bool = False
    setup_mode: bool = False


class Status(PublicStatus, frozen=True, kw_only=True):
    """How things are. `instance` names this server process, `uptime` is in seconds, `store_bytes` its size."""

    version: str
    instance: str
    pid: int
    uptime: float
    lineage: str
    sessions: int
    running: int
    watched: int
    store_bytes: int
    runners: list[Holder]
    places: "Places"


class Places(Answer, frozen=True, kw_only=True):
    """Sessions that wait for a free place, because as many runs as are allowed (`running`) go on already."""

    running: int = 0
    waiting: tuple[SessionId, ...] = ()


class DiskUse(Answer, frozen=True, kw_only=True):
    """Bytes: what lies in the home by its kind, and what is free beside it."""

    store: int
    blobs: int
    logs: int
    spools: int
    free: int


class About(Answer, frozen=True, kw_only=True):
    """What this is. `store_format` counts the steps that the tables of the store have taken."""

    version: str
    store_format: int
    home: str
    licence: str


class Examination(Answer, frozen=True, kw_only=True):
    """What was looked at, one sentence each, with what to do about what is not well."""

    findings: list[Finding]


class Lying(Answer, frozen=True, kw_only=True):
    """Sessions that may be removed for good, the largest first; `more` if there are others."""

    sessions: list[SessionSize]
    more: bool


class LooseFiles(Answer, frozen=True, kw_only=True):
    """Files that no session speaks of any more."""

    files: int
    bytes: int


class Storage(Answer, frozen=True, kw_only=True):
    """What there is, and what of it may go: nothing goes unless it is asked for."""

    disk: DiskUse
    deleted: Lying
    archived: Lying
    loose: LooseFiles


class Purge(Body, frozen=True, kw_only=True):
    """These sessions go for good, if they are deleted, or archived and not active for so many days."""

    sessions: Annotated[list[Id], Meta(max_length=1000)]
    days: Annotated[int, Meta(ge=1, le=36_500)] | None = None


class Purged(Answer, frozen=True, kw_only=True):
    """What went for good. Whatever else was named is not what it was any more, and stays."""

    sessions: list[SessionId]


class Wellbeing(Answer, frozen=True, kw_only=True):
    """How the server is. `runners` live, `running` of them hold a place, `waiting` sessions wait for one."""

    uptime: float
    runners: int
    running: int
    waiting: int
    watched: int
    writable: bool
    store_error: str
    lateness: Lateness


class Insights(Answer, frozen=True, kw_only=True):
    """Days from `first` to `today`, those without figures left out; the largest sessions first."""

    first: int
    today: int
    days: list[DailyFigures]
    sessions: list[SessionSize]
    disk: DiskUse
    health: Wellbeing


# What the live connection says beside records and rows.


class Ready(Answer, frozen=True, kw_only=True):
    """The connection stands."""

    lineage: str


class Gone(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """The session was deleted or never was; `change` is set where the list says so."""

    session: SessionId
    change: int = 0


class Reset(Answer, frozen=True, kw_only=True):
    """The cursor is not of this history: load the snapshot (or, without a session, the list) anew."""

    session: SessionId | None
    lineage: str


class StoreState(Answer, frozen=True, kw_only=True):
    """Whether the store can be written, and if not, why."""

    writable: bool = True
    error: str = ""


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What is true for everybody and lies in no log. Each field is an event of the live connection."""

    store: StoreState = StoreState()
    places: Places = Places()


# From what is stored to what is sent.


def row_of(row: Row) -> SessionRow:
    fields: dict[str, Any] = msgspec.structs.asdict(row.overview)
    return SessionRow(id=row.id, change=row.change, is_unseen=row.overview.unseen, **fields)


def page_of(page: Page) -> SettledPage:
    items = [PageItem(number=entry.number, item=entry.item) for entry in page.items]
    return SettledPage(number=page.number, items=items)


def wire(record: Record) -> WireRecord:
    """A record exactly as the log has it, with the fields and kinds that we do not know."""
    # Encoded already: what `codec` writes is the description's own form, and more for what it does not know.
    return cast("WireRecord", msgspec.Raw(codec.encode_record(record)))
