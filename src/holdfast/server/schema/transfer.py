"""What is taken over from elsewhere."""

from holdfast.agents.hermes.sessions import HermesSession
from holdfast.server.schema.base import Answer, Body, Folder
from holdfast.transfer.report import Kind, Report


class Import(Body, frozen=True, kw_only=True):
    """What to take over. hermes-webui is found by itself if no path is given."""

    kind: Kind
    path: Folder = ""


class HermesSessions(Answer, frozen=True, kw_only=True):
    """`reason` says why there are none, if Hermes can't be used."""

    sessions: list[HermesSession]
    reason: str


class ImportReport(Answer, frozen=True, kw_only=True):
    """An import as far as it has come. While its state is `running`, `done` of `found` have been looked at."""

    report: Report


class ImportList(Answer, frozen=True, kw_only=True):
    imports: list[Report]
