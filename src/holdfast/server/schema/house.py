"""What is said of the whole house: its health, its disk, its figures."""

from typing import Annotated, Literal

from msgspec import Meta

from holdfast.core.ids import SessionId
from holdfast.ownership import Holder
from holdfast.server.examination import Finding
from holdfast.server.pulse import Lateness
from holdfast.server.schema.base import Answer, Body, Id
from holdfast.store.protocol import DailyFigures, SessionSize


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
