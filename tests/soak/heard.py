"""What browsers were sent of one session, by whichever of them had it first; all others must have got the same.

Of every record only a digest is kept, and what it folds to: half an hour of thirty viewers has to fit into a process
that costs the machine little.
"""

import asyncio
from collections.abc import Callable
from hashlib import blake2b

from holdfast.core import codec
from holdfast.core.events import ApprovalRequested, QuestionAsked, TextAppended, ThoughtAppended
from holdfast.core.records import Record
from holdfast.core.session import Session
from tests.crashes.verdict import Flaw
from tests.crashes.viewer import Stuck

PATIENCE = 180.0
"""Seconds: a limit against hanging, not a measure of speed."""
Asked = ApprovalRequested | QuestionAsked


class Heard:
    """`session` is what the records fold to; `asked` gives every ask once, as it is first heard of."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.session = Session()
        self.asked: asyncio.Queue[Asked] = asyncio.Queue()
        self.pieces: dict[str, int] = {}
        self.flaws: list[Flaw] = []
        self.words = 0
        self.bytes = 0
        self._digests: list[bytes] = []
        self._words: list[int] = []
        self._ahead: dict[int, bytes] = {}
        self._news = asyncio.Condition()

    @property
    def seq(self) -> int:
        return len(self._digests)

    async def take(self, seq: int, data: bytes) -> int:
        """Take a record that a viewer was sent; return how many words it holds.

        Whoever began with a snapshot may be ahead of all others: what it got waits until they have what lies between.
        """
        known = self._digests[seq - 1] if seq <= self.seq else digest_of(self._ahead.get(seq, data))
        if known != digest_of(data):
            self.flaws.append(Flaw("lost", f"{self.name}: two browsers got two different records {seq}"))
        if seq <= self.seq:
            return self._words[seq - 1]
        self._ahead[seq] = data
        if seq > self.seq + 1:
            return words_in(codec.decode_record(data))
        while (following := self._ahead.pop(self.seq + 1, None)) is not None:
            self._fold(following)
        async with self._news:
            self._news.notify_all()
        return self._words[seq - 1]

    def _fold(self, data: bytes) -> None:
        record = codec.decode_record(data)
        self._digests.append(digest_of(data))
        self.bytes += len(data)
        self._words.append(words_in(record))
        self.words += self._words[-1]
        self.session.apply(record)
        match record.event:
            case ApprovalRequested() | QuestionAsked() as event:
                self.asked.put_nowait(event)
            case TextAppended(turn=turn) | ThoughtAppended(turn=turn):
                self.pieces[turn] = self.pieces.get(turn, 0) + 1
            case _:
                pass

    async def until(self, true: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE), self._news:
                await self._news.wait_for(true)
        except TimeoutError:
            told = f"seq {self.seq}, running {self.session.running}, queue {self.session.queue}"
            raise Stuck(f"{self.name}: not within {PATIENCE:.0f} s: {what} ({told})") from None

    async def reach(self, seq: int) -> None:
        await self.until(lambda: self.seq >= seq, f"record {seq}")

    def differs(self, log: list[Record]) -> list[Flaw]:
        """What browsers got that the log does not hold, byte for byte, or did not get at all."""
        if len(log) < self.seq:
            return [Flaw("lost", f"{self.name}: browsers got {self.seq} records, the log has {len(log)}")]
        pairs = zip(self._digests, log, strict=False)
        wrong = [record.seq for digest, record in pairs if digest != digest_of(codec.encode_record(record))]
        return (
            [Flaw("lost", f"{self.name}: browsers got other records than the log has: {wrong[:20]}")] if wrong else []
        )


def words_in(record: Record) -> int:
    return len(record.event.text.split()) if isinstance(record.event, TextAppended | ThoughtAppended) else 0


def digest_of(data: bytes) -> bytes:
    return blake2b(data, digest_size=8).digest()
