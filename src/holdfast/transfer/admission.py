"""A log that somebody hands us, made harmless: it may say what was said, and permit nothing.

Law: nothing in it runs by itself, names a process, a folder or a conversation of this machine, brings a rule or a mode
that lets an agent do more, or has memory committed. A session of ours that was at rest comes back with the same
transcript; one that was not is at rest afterwards, its open asks expired and its queue cancelled.
"""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from holdfast.core import events as e
from holdfast.core import ids, labels, recovery
from holdfast.core.errors import BadId
from holdfast.core.plausible import plausible
from holdfast.core.records import Late, Record
from holdfast.core.session import Session, replay, tagged
from holdfast.transfer.scribe import CLIENT
from holdfast.transfer.values import moment

EPOCHS = 1 << 31
SAID = (
    e.SessionRenamed | e.SessionForked | e.HistoryTruncated | e.TurnSubmitted | e.TurnWithdrawn | e.QueueReordered
    | e.TurnReleased | e.TurnCancelRequested | e.TurnSteered | e.QuestionAnswered | e.PersonNotified
    | e.TextAppended | e.ThoughtAppended | e.ToolChanged | e.TurnStarted | e.TurnEnded | e.PlanReplaced
    | e.SteerDelivered | e.TitleSuggested | e.NoticeRaised | e.RunnerStopped | e.RunnerLost
    | e.ApprovalRequested | e.ApprovalDelivered | e.ApprovalExpired | e.QuestionAsked | e.QuestionDelivered
    | e.QuestionExpired | e.RecoveryPending | e.RecoveryFinished
)  # fmt: skip
"""What only tells: it is taken as it is."""
DROPPED = (
    e.SessionImported | e.SessionDeleted | e.SessionRestored | e.RuleRemembered | e.RuleRevoked | e.RuleUsed
    | e.DefaultsChosen
    | e.MemoryRequested | e.MemoryStarted | e.MemoryCommitted | e.MemoryFailed | e.AgentOpening | e.AgentOpened
    | e.AgentDescribed | e.AgentEnded | e.AgentFailed
)  # fmt: skip
"""What is about this or that machine, or permits something."""
SPENT = ("input", "output", "cached", "reasoning", "cost", "context_used", "context_window")


class Admission:
    """Takes the records of one log, in their order. `dropped` counts what nobody here can understand."""

    def __init__(self, imported: e.SessionImported, blobs: frozenset[str]) -> None:
        self.records: list[Record] = []
        self.dropped: int = 0
        self.missing: list[str] = []
        self._imported = imported
        self._blobs = blobs
        self._agent = ""
        self._tags: tuple[str, ...] = ()
        self._time = 0
        self._facts: dict[int, int] = {}

    def take(self, record: Record) -> None:
        self._time = moment(record.time) or self._time
        epoch = record.epoch if 0 < record.epoch < EPOCHS else 0
        for event in self._admitted(record.event):
            late = record.late if record.late is not None and 0 < record.late.epoch < EPOCHS else None
            self._add(event, epoch if isinstance(event, e.Fact) else 0, late)

    def finish(self) -> list[Record]:
        """The whole log, at rest."""
        session = replay(self.records)
        epoch = max(session.epoch, *self._facts, 0) + 1
        for fact in _at_rest(session):
            self._add(fact, epoch)
        for turn in replay(self.records).queue:
            self._add(e.TurnCancelRequested(turn=turn, client=CLIENT), 0)
        self._add(e.SessionChanged(seen=len(self.records), client=CLIENT), 0)
        return self.records

    def _add(self, event: e.Event, epoch: int, late: Late | None = None) -> None:
        n = self._facts[epoch] = self._facts.get(epoch, 0) + 1
        seq = len(self.records) + 1
        position = n if epoch else 0
        self.records.append(Record(seq=seq, time=self._time, event=event, epoch=epoch, n=position, late=late))

    def _admitted(self, event: e.Event) -> Iterable[e.Known]:
        try:
            _check(event)
        except BadId:
            self.dropped += 1
            return
        match event:
            case e.SessionCreated():
                yield from self._begin(event)
            case e.TurnSubmitted():
                kept = tuple(file for file in event.attachments if file.blob in self._blobs)
                self.missing += [file.name for file in event.attachments if file.blob not in self._blobs]
                yield msgspec.structs.replace(event, attachments=kept, extra=None)
            case e.SessionChanged():
                self._agent = self._agent if event.agent is UNSET else event.agent
                project = UNSET if event.project is UNSET else labels.taken_project(event.project)
                self._tags = labels.taken_tags(tagged(self._tags, event))
                tags = self._tags if event.tags is not UNSET or event.add_tags or event.remove_tags else UNSET
                filed = msgspec.structs.replace(event, project=project, tags=tags, add_tags=(), remove_tags=())
                yield msgspec.structs.replace(filed, workspace=UNSET, mode=UNSET, seen=UNSET, extra=None)
            case e.ApprovalAnswered():
                # What was allowed for longer was allowed there. Here it is asked again.
                choice = "deny" if event.choice == "deny" else "once"
                yield msgspec.structs.replace(event, choice=choice, everywhere=False, extra=None)
            case e.UsageReported():
                claimed = ((name, getattr(event, name)) for name in SPENT)
                yield msgspec.structs.replace(event, **{name: plausible(count) for name, count in claimed}, extra=None)
            case e.RunnerStarted():
                yield e.RunnerStarted(version=event.version)
                yield e.AgentOpened(agent=self._agent)
            case e.Unknown():
                self.dropped += 1
            case _ if isinstance(event, DROPPED):
                pass
            case _ if isinstance(event, SAID):
                yield event if event.extra is None else msgspec.structs.replace(event, extra=None)
            case _:
                self.dropped += 1

    def _begin(self, event: e.SessionCreated) -> Iterable[e.Known]:
        if self.records:
            return
        self._agent = event.agent
        self._tags = labels.taken_tags(event.tags)
        yield e.SessionCreated(
            title=event.title,
            agent=event.agent,
            model=event.model,
            project=labels.taken_project(event.project),
            tags=self._tags,
            client=event.client,
        )
        yield self._imported


def _at_rest(session: Session) -> list[e.AnyFact]:
    pending = [e.RecoveryFinished(turn=turn, result="neutral") for turn in session.recovering]
    return [*recovery.loss(session), *pending]


def _check(event: e.Event) -> None:
    """Raise `BadId` if something in it has a name that could not be used as one."""
    for field in ("turn", "ask", "steer"):
        name = getattr(event, field, None)
        if isinstance(name, str):
            ids.parse(name)
