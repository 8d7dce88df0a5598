"""What must be true after a crash. Every sentence that is returned is a broken promise."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from holdfast.core import codec, window
from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.core.items import END, Steer, Text, Thought
from holdfast.core.overview import overview
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from holdfast.core.turns import Turn
from holdfast.store.sqlite.connection import connect
from holdfast.store.sqlite.reading import Reading
from holdfast.store.sqlite.store import DATABASE
from tests.core.shelf import joined
from tests.crashes.home import Home
from tests.crashes.scene import Kill, Scene
from tests.crashes.scripts import EFFECTS, Script


class Flaw(msgspec.Struct, frozen=True):
    """`kind` is the column of the table it counts in."""

    kind: str
    sentence: str


def judge(scene: Scene) -> list[Flaw]:
    """Everything that is wrong with the session now that it is quiet."""
    log = scene.home.log(scene.session)
    flaws = judge_log(scene.home, scene.session, log, scene.person.turns)
    return [*_lost(scene, log), *flaws, *_outlived(scene, log)]


def judge_log(home: Home, session: str, log: list[Record], scripts: Mapping[str, Script]) -> list[Flaw]:
    """What is wrong with a log that is quiet, with what is projected from it, and with what its agents have done.

    `scripts` are what was sent, by the turn's id.
    """
    whole = replay(log)
    checks = (
        _gaps(log),
        _doubled(log),
        _ends(whole, log),
        _words(scripts, whole),
        _effects(home, session, log, whole),
        _processes(home, session, whole.epoch),
        _projected(home, session),
    )
    return [flaw for check in checks for flaw in check]


def missed(scene: Scene) -> bool:
    """Whether a blow fell when nothing ran after all: what the log says of that time decides."""
    log = scene.home.log(scene.session)
    return any(kill.turn and not kill.frozen and not _ran(log, kill) for kill in scene.kills)


def _ran(log: list[Record], kill: Kill) -> bool:
    started = [r.time for r in log if isinstance(r.event, e.TurnStarted) and r.event.turn == kill.turn]
    ended = [r.time for r in log if isinstance(r.event, e.TurnEnded) and r.event.turn == kill.turn]
    return bool(started) and started[0] <= kill.time and all(time >= kill.time for time in ended)


def _gaps(log: list[Record]) -> Iterator[Flaw]:
    if [record.seq for record in log] != list(range(1, len(log) + 1)):
        yield Flaw("lost", f"the log has gaps: {[record.seq for record in log]}")


def _lost(scene: Scene, log: list[Record]) -> Iterator[Flaw]:
    """All that a browser had got is in the log, byte for byte, in order; and all that was spooled."""
    stored = {record.seq: codec.encode_record(record) for record in log}
    for frame in scene.viewer.frames:
        if stored.get(frame.seq) != frame.data:
            yield Flaw("lost", f"a browser got {frame.data!r}, the log has {stored.get(frame.seq)!r}")
    seqs = [frame.seq for frame in scene.viewer.frames]
    if seqs != list(range(1, len(seqs) + 1)):
        yield Flaw("doubled" if len(set(seqs)) < len(seqs) else "lost", f"a browser got the records {seqs}")
    if scene.viewer.resets:
        yield Flaw("lost", "a browser was told to start over")
    gone = scene.spooled - {_position(record) for record in log}
    if gone:
        yield Flaw("lost", f"spooled and not in the log: {sorted(gone)}")


def _position(record: Record) -> tuple[int, int]:
    return (record.late.epoch if record.late is not None else record.epoch), record.n


def _doubled(log: list[Record]) -> Iterator[Flaw]:
    positions = Counter(_position(record) for record in log if record.n)
    for epoch in {epoch for epoch, _ in positions}:
        numbers = sorted(n for e_, n in positions.elements() if e_ == epoch)
        if numbers != list(range(1, len(numbers) + 1)):
            yield Flaw("doubled" if len(set(numbers)) < len(numbers) else "lost", f"facts of epoch {epoch}: {numbers}")
    for kind, name in ((e.TurnSubmitted, "turn"), (e.TurnStarted, "turn"), (e.TurnSteered, "steer")):
        yield from _repeated(log, kind, name)
    answers = (e.ApprovalAnswered, e.QuestionAnswered, e.ApprovalDelivered, e.QuestionDelivered, e.SteerDelivered)
    for kind in answers:
        yield from _repeated(log, kind, "steer" if kind is e.SteerDelivered else "ask")


def _repeated(log: list[Record], kind: type[e.Event], name: str) -> Iterator[Flaw]:
    found = Counter(getattr(record.event, name) for record in log if isinstance(record.event, kind))
    for value, count in found.items():
        if count > 1:
            yield Flaw("doubled", f"{kind.__name__} {value} lies {count} times in the log")


def _ends(whole: Session, log: list[Record]) -> Iterator[Flaw]:
    """Every turn has one end and one message, and nothing waits or runs."""
    yield from _repeated(log, e.TurnEnded, "turn")
    for turn in whole.turns.values():
        if turn.outcome is None or END not in turn.items:
            yield Flaw("stuck", f"turn {turn.id} has no end")
        shown = [item.k for item in turn.shown()]
        if shown[:1] != [0] or shown[-1:] != [END]:
            yield Flaw("lost", f"turn {turn.id} is shown as {shown}")
    if whole.running or whole.queue or whole.asks:
        yield Flaw("stuck", f"running {whole.running}, queue {whole.queue}, asks {list(whole.asks)}")


def _words(scripts: Mapping[str, Script], whole: Session) -> Iterator[Flaw]:
    """A turn that ran to its end says all its words; any other says the first of them; none says one twice."""
    for turn in whole.turns.values():
        script = scripts.get(turn.id)
        if script is None:
            continue
        for kind, wanted in ((Text, script.said), (Thought, script.thought)):
            said = _said(turn, kind)
            complete = turn.outcome == "completed" and script.name != "steered"
            if said != wanted if complete else not wanted.startswith(said) and script.name != "steered":
                yield Flaw("lost", f"turn {turn.id} ({turn.outcome}) says {said!r} instead of {wanted!r}")


def _said(turn: Turn, kind: type[Text | Thought]) -> str:
    texts = [item.flush() for item in turn.shown() if isinstance(item, kind)]
    return "".join(text for text in texts if not text.startswith(("steered:", "spawned:")))


def _effects(home: Home, session: str, log: list[Record], whole: Session) -> Iterator[Flaw]:
    """What a permission permits happened once at most, and never without one."""
    path = home.settings.workspaces / session / EFFECTS
    done = Counter(path.read_text("utf-8").split()) if path.exists() else Counter[str]()
    granted = Counter(_granted(log))
    for line, count in done.items():
        if count > granted[line]:
            yield Flaw("doubled", f"{line!r} was done {count} times and permitted {granted[line]} times")
    steered = Counter(
        item.flush()
        for turn in whole.turns.values()
        for item in turn.shown()
        if isinstance(item, Text) and item.flush().startswith("steered:")
    )
    words = [item for turn in whole.turns.values() for item in turn.shown() if isinstance(item, Steer)]
    if sum(steered.values()) > len(words):
        yield Flaw("doubled", f"the agent heard {dict(steered)} and was told {len(words)} times")


def _granted(log: list[Record]) -> Iterator[str]:
    """The lines whose appending a person allowed and the agent was told of."""
    asked = {r.event.ask: r.event.command for r in log if isinstance(r.event, e.ApprovalRequested)}
    allowed = {r.event.ask for r in log if isinstance(r.event, e.ApprovalAnswered) and r.event.choice != "deny"}
    for record in log:
        if isinstance(record.event, e.ApprovalDelivered) and record.event.ask in allowed:
            yield asked[record.event.ask].rpartition(" ")[2]


def _processes(home: Home, session: str, epoch: int) -> Iterator[Flaw]:
    old = {pid: tag for pid, tag in home.tagged(session).items() if tag < epoch}
    if old:
        yield Flaw("stuck", f"processes of dead runs live: {old} (now epoch {epoch})")


def _projected(home: Home, session: str) -> Iterator[Flaw]:
    """What the store opens is what the log folds to, at one and the same moment: a runner may be committing memory."""
    reading = Reading(connect(home.settings.store / DATABASE))
    try:
        while True:
            whole = replay(reading.read(SessionId(session), 0, 1_000_000))
            opened = reading.open(SessionId(session))
            pages = [reading.page(SessionId(session), number) for number in range(1, opened.page.number + 1)]
            row = next(row for row in reading.changes(0, 1_000_000) if row.id == session)
            if reading.head(SessionId(session)) == whole.seq:
                break
    finally:
        reading.close()
    entries = [entry for page in pages for entry in page.items] + window.transcript(opened.session)
    entries.sort(key=lambda entry: (entry.number, entry.item.k, entry.part))
    if joined(entries) != joined(window.transcript(whole)):
        yield Flaw("lost", "the pages show another transcript than the log")
    if overview(opened.session) != overview(whole) or row.overview != overview(whole):
        yield Flaw("lost", f"the list says {row.overview}, the log {overview(whole)}")


def _outlived(scene: Scene, log: list[Record]) -> Iterator[Flaw]:
    """The death of a server ends no run."""
    if scene.struck - {"server"}:
        return
    for record in log:
        match record.event:
            case e.TurnEnded(outcome="interrupted" | "failed" as outcome, turn=turn):
                yield Flaw("lost", f"only the server died, and turn {turn} ended as {outcome}")
            case e.RunnerLost():
                yield Flaw("lost", "only the server died, and the runner was lost")
            case _:
                pass


def complaints(path: Path, start: int) -> tuple[int, list[str]]:
    """What a log file says since `start` that it should not say, and how long the file is now."""
    if not path.exists():
        return start, []
    with path.open("rb") as file:
        file.seek(start)
        text = file.read().decode("utf-8", "replace")
    found = [line for line in text.splitlines() if " error " in line or line.startswith("Traceback")]
    return start + len(text.encode()), found
