"""Chats that Open WebUI exported as JSON. The branch that was shown is the session; the others are told of, not lost.

A chat is a tree of messages there. The branch that ends with `currentId` is the transcript; every other branch that
ends somewhere else becomes a session of its own in the archive, which names the first as the one before it.
"""

from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path

import msgspec

from holdfast.core import events as e
from holdfast.core import labels
from holdfast.core.ids import SessionId
from holdfast.store.blobs import Blobs
from holdfast.transfer.hermes_webui.content import parted, read_content, stored
from holdfast.transfer.identity import OPEN_WEBUI, imported_id
from holdfast.transfer.incoming import Built, Incoming
from holdfast.transfer.report import NothingThere, Report
from holdfast.transfer.scribe import CLIENT, Scribe
from holdfast.transfer.values import UNREADABLE, Fields, decoded, several

LARGEST = 1 << 30
LONGEST = 100_000
"""Messages of one branch."""
BRANCHES = 200
"""Other branches of one chat that are taken."""


class Chats:
    """What a file holds, chat by chat. Raise `NothingThere` if it is no export of Open WebUI."""

    def __init__(self, path: Path, agent: str, blobs: Blobs, report: Report) -> None:
        self._agent = agent
        self._blobs = blobs
        self._report = report
        self._chats = self._read(path)

    def __len__(self) -> int:
        return len(self._chats)

    def __iter__(self) -> Iterator[Incoming]:
        for number, raw in enumerate(self._chats, 1):
            try:
                chat = Fields(decoded(raw))
            except UNREADABLE:
                chat = Fields()
            inner = chat.fields("chat") or chat
            if not inner.fields("history") and not inner.several("messages"):
                self._report.leave(f"chat {number}", "the whole chat", "it is damaged, or has no messages.")
                continue
            digest = blake2b(bytes(raw), digest_size=8).hexdigest()
            name = chat.word("id") or inner.word("id") or digest
            yield from self._branches(name, digest, chat, inner)

    def _read(self, path: Path) -> list[msgspec.Raw]:
        try:
            with path.open("rb") as file:
                body = file.read(LARGEST + 1)
            if len(body) > LARGEST:
                raise NothingThere(path, f"it is larger than {LARGEST >> 20} MB.", self._report.kind)
            if body.lstrip()[:1] == b"{":
                return [msgspec.Raw(body)]
            return msgspec.json.decode(body, type=list[msgspec.Raw])
        except (OSError, *UNREADABLE) as exc:
            raise NothingThere(path, f"it is no export of chats ({exc}).", self._report.kind) from exc

    def _branches(self, name: str, digest: str, chat: Fields, inner: Fields) -> Iterator[Incoming]:
        history = inner.fields("history")
        nodes = {key: Fields(value) for key, value in history.fields("messages").items()}
        shown = branch(nodes, history.text("currentId")) or [Fields(each) for each in several(inner.get("messages"))]
        main = imported_id(OPEN_WEBUI, name)
        yield Incoming(
            name=name,
            session=main,
            digest=digest,
            build=partial(self._built, name, main, chat, inner, shown, None),
        )
        parents = {node.text("parentId") for node in nodes.values()}
        ends = [key for key in nodes if key not in parents and key != history.text("currentId")]
        if len(ends) > BRANCHES:
            self._report.leave(name, f"{len(ends) - BRANCHES} branches", f"{BRANCHES} of a chat are the most.")
        for end in ends[:BRANCHES]:
            other = f"{name}/{end}"
            session = imported_id(OPEN_WEBUI, other)
            told = branch(nodes, end)
            build = partial(self._built, other, session, chat, inner, told, main)
            yield Incoming(name=other, session=session, digest=digest, build=build)

    def _built(
        self, name: str, session: SessionId, chat: Fields, inner: Fields, told: list[Fields], main: SessionId | None
    ) -> Built | None:
        if not told:
            self._report.leave(name, "the whole chat", "it has no messages.")
            return None
        title = (chat.word("title") or inner.word("title"))[:300]
        meta = chat.fields("meta")
        tags = (*several(meta.get("tags")), *several(inner.get("tags")))
        created = e.SessionCreated(
            title=title if main is None else f"{title} (another branch)",
            agent=self._agent,
            tags=labels.taken_tags(tag for tag in tags if isinstance(tag, str)),
            predecessor=main,
            client=CLIENT,
        )
        time = chat.moment("created_at") or inner.moment("timestamp") or told[0].moment("timestamp")
        imported = e.SessionImported(source=OPEN_WEBUI, name=name, client=CLIENT)
        scribe = Scribe(session, time, created, imported)
        messages = sum(self._tell(name, scribe, message) for message in told)
        away = main is not None or chat.flag("archived")
        changes = [e.SessionChanged(pinned=chat.flag("pinned") and main is None, archived=away, client=CLIENT)]
        return Built(records=scribe.finish(changes), title=title, messages=messages)

    def _tell(self, name: str, scribe: Scribe, message: Fields) -> bool:
        """Whether it has a place here."""
        content = read_content(message.get("content"))
        time = message.moment("timestamp")
        files = list(message.objects("files"))
        match message.text("role"):
            case "user":
                pictures = [*content.pictures, *(file.text("url") for file in files if file.text("type") == "image")]
                taken, lost = stored(pictures, self._blobs)
                scribe.submit(content.text, time, taken)
                self._left(name, [file for file in files if file.text("type") != "image"], lost)
            case "assistant":
                for piece in parted(content.text):
                    tell = scribe.think if piece.kind == "thought" else scribe.say
                    tell(piece.text, time)
                if error := message.get("error"):
                    scribe.end("failed", time, Fields(error).text("content", "message") or "The model gave an error.")
            case role:
                why = "only what users and models said is shown here."
                self._report.leave(name, f"a message of the kind {role or 'unknown'!r}", why)
                return False
        return True

    def _left(self, name: str, files: list[Fields], lost: int) -> None:
        for file in files:
            named = file.word("name") or file.fields("file").word("filename") or "unnamed"
            self._report.leave(name, f"file {named!r}", "an export of Open WebUI names files and does not hold them.")
        if lost:
            self._report.leave(name, f"{lost} pictures", "the export names them and does not hold them.")


def branch(nodes: dict[str, Fields], end: str) -> list[Fields]:
    """The messages from the first to `end`. A tree that bites its own tail ends where it does."""
    told: list[Fields] = []
    seen: set[str] = set()
    while end in nodes and end not in seen and len(told) < LONGEST:
        seen.add(end)
        told.append(nodes[end])
        end = nodes[end].text("parentId")
    return told[::-1]
