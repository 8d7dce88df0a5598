"""Everything that hermes-webui has, session by session: its own, and those that only Hermes' database knows.

A conversation that was compressed lies there in several segments. Each is a session here, with all that it held; the
newest stands in the list and names the one before it, the earlier ones are in the archive.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from holdfast.core import events as e
from holdfast.core import labels
from holdfast.core.counted import counted
from holdfast.core.ids import SessionId
from holdfast.store.blobs import Blobs
from holdfast.transfer.hermes_webui.facing import differs
from holdfast.transfer.hermes_webui.files import Found, Head, State
from holdfast.transfer.hermes_webui.journals import last_whole, read_submitted, run_journals, turn_journals
from holdfast.transfer.hermes_webui.session import Telling, already_asked, tags_of, used
from holdfast.transfer.hermes_webui.state_db import Database
from holdfast.transfer.identity import HERMES, imported_id
from holdfast.transfer.incoming import Built, Incoming
from holdfast.transfer.report import Report
from holdfast.transfer.scribe import CLIENT, Scribe
from holdfast.transfer.values import UNREADABLE, Fields, decoded, several, spelled

SOURCE = "hermes-webui"
UNTITLED = ("untitled", "new chat", "new session")
DETAILS = (
    "model", "model_provider", "personality", "profile", "source_tag", "raw_source", "session_source", "source_label",
    "source", "is_cli_session", "read_only", "enabled_toolsets", "worktree_path", "worktree_branch",
    "worktree_repo_root", "parent_session_id", "compression_anchor_summary", "context_length", "project_id",
    "end_reason", "git_branch",
)  # fmt: skip
"""What is kept of a session without having a place of its own."""
BACKGROUND = ("subagent", "delegate", "tool")
"""Sources of sessions that nobody held: they are taken, and put into the archive."""
DETAILED = 100_000
COMPRESSED = "compression"
DEFAULT = "default"


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What the person wants: `agent_of` gives the agent for a profile, with whether it can take up Hermes' sessions."""

    state: State
    blobs: Blobs
    databases: dict[str, Database]
    agent_of: Callable[[str], tuple[str, bool]]


class Source:
    """All of it. Reading is lazy: a session is read when its log is asked for."""

    def __init__(self, given: Given, report: Report) -> None:
        self._given = given
        self._state = given.state
        self._report = report
        self._projects = given.state.projects()
        self._names = given.state.names()
        self._heads: dict[str, Head] = {name: given.state.head(name) for name in self._names}
        self._models: dict[str, str] = {}
        self._continued = {head.parent for head in self._heads.values() if self._continues(head)}

    def __iter__(self) -> Iterator[Incoming]:
        for name in self._names:
            yield self._incoming(name, self._digest(name), partial(self._of_file, name))
        for profile, database in self._given.databases.items():
            if database.problem:
                self._report.leave("", f"the sessions in {database.home}", database.problem)
            for name in database.names:
                if name not in self._heads:
                    row = database.session(name)
                    digest = _digest_of(row.get("message_count"), row.get("ended_at"), row.get("title"))
                    yield self._incoming(name, digest, partial(self._of_database, name, profile, database))
        self._leave_rest()

    def _leave_rest(self) -> None:
        """What many sessions have, and what none has."""
        dropped = Counter(model for taken in self._report.taken if (model := self._models.get(taken.name)))
        for model, number in dropped.items():
            why = "only Hermes knows it, and is not there; they go on with the model of another agent."
            self._report.leave("", f"the model {model} of {counted(number, 'session')}", why)
        named = {head.project for head in self._heads.values()}
        for project, title in self._projects.items():
            if project not in named:
                why = "no session is in it, and here only sessions name a project."
                self._report.leave("", f"the project {title}", why)

    def __len__(self) -> int:
        names = {name for database in self._given.databases.values() for name in database.names}
        return len(self._names) + len(names - self._heads.keys())

    def _incoming(self, name: str, digest: str, build: Callable[[], Built | None]) -> Incoming:
        return Incoming(name=name, session=imported_id(HERMES, name), digest=digest, build=build)

    def _continues(self, head: Head) -> bool:
        parent = self._heads.get(head.parent)
        return parent is not None and parent.snapshot and parent.name != head.name

    def _digest(self, name: str) -> str:
        """Which version of a session's file, of its older copy and of the journals beside it this is."""
        folder = self._state.sessions
        copies = [folder / f"{name}.json", folder / f"{name}.json.bak"]
        paths = [*copies, *run_journals(self._state, name), *turn_journals(self._state, name)]
        return _digest_of(*((path.name, stat.st_size, stat.st_mtime_ns) for path in paths if (stat := _stat(path))))

    # A session that has a file.

    def _of_file(self, name: str) -> Built | None:
        try:
            found = self._rescued(name, self._state.read(name))
        except OSError as exc:
            self._report.leave(name, "the whole session", f"its file can't be opened ({exc.strerror}).")
            return None
        about = found.fields
        pending = about.text("pending_user_message")
        submitted = read_submitted(self._state, name) if not found.raw and not pending else []
        if not found.raw and not pending and not submitted:
            why = found.damage or "it has no messages."
            self._report.leave(name, "the whole session", why)
            return None
        if found.damage:
            self._report.leave(name, "a part of the session", found.damage)
        profile = about.word("profile") or DEFAULT
        scribe = self._scribe(name, about, profile, workspace=about.text("workspace"))
        telling = Telling(name, self._state, self._given.blobs, self._report, scribe)
        telling.messages(self._decoded(name, found), about.objects("tool_calls"))
        if pending:
            self._pending(telling, about, pending)
        elif submitted:
            for sent in submitted:
                message = Fields({"content": sent.text, "attachments": sent.attachments})
                telling.send(message, sent.time)
                telling.unfinished(sent.run, 0)
        elif about.word("active_stream_id") and not telling.told.answered:
            telling.unfinished(about.word("active_stream_id"), 0)
        self._drafted(name, about)
        self._summed_up(name, found, resumes=scribe.resumes)
        return self._built(about, scribe, telling.told.messages, archived=name in self._continued)

    def _rescued(self, name: str, found: Found) -> Found:
        """A file that holds nothing any more may still be in the journal of the last run, which ends with all of it."""
        if not found.damage or found.raw:
            return found
        whole = last_whole(self._state, name)
        messages = whole.several("messages")
        if not messages:
            return found
        raw: list[bytes | msgspec.Raw] = [spelled(message).encode() for message in messages]
        why = f"{found.damage} Its last journal was taken instead, with {len(raw)} messages."
        return Found(fields=whole, raw=raw, damage=why)

    def _decoded(self, name: str, found: Found) -> Iterator[Fields]:
        for number, raw in enumerate(found.raw, 1):
            try:
                message = decoded(raw)
            except UNREADABLE:
                message = None
            fields = Fields(message)
            if not fields:
                self._report.leave(name, f"message {number}", "it is damaged.")
            yield fields

    def _pending(self, telling: Telling, about: Fields, pending: str) -> None:
        """A message that was sent and not answered, and what its run had come to."""
        time = about.moment("pending_started_at")
        if not already_asked(telling.told, pending, time):
            message = Fields({"content": pending, "attachments": about.several("pending_attachments")})
            telling.send(message, time)
        telling.unfinished(about.word("active_stream_id"), 0)

    def _drafted(self, name: str, about: Fields) -> None:
        draft = about.fields("composer_draft").text("text")
        if draft.strip():
            self._report.leave(name, "a draft", f"drafts stay in the browser here. It says: {draft[:2000]}")

    def _summed_up(self, name: str, found: Found, *, resumes: bool) -> None:
        """Hermes has the history of its model itself, where it goes on with it."""
        facing = list(found.fields.objects("context_messages"))
        if facing and not resumes and differs(found.raw, facing):
            what = f"what its model was given instead of the messages ({counted(len(facing), 'message')})"
            self._report.leave(name, what, "an agent that goes on here is handed the end of the transcript itself.")

    # A session that only Hermes' database has.

    def _of_database(self, name: str, profile: str, database: Database) -> Built | None:
        about = database.session(name)
        messages = database.messages(name)
        if not messages:
            self._report.leave(name, "the whole session", "it has no messages.")
            return None
        scribe = self._scribe(name, about, profile, workspace=about.text("cwd"))
        telling = Telling(name, self._state, self._given.blobs, self._report, scribe)
        telling.messages(messages)
        superseded = about.word("end_reason") == COMPRESSED and self._followed(name, database)
        archived = superseded or about.word("source") in BACKGROUND
        return self._built(about, scribe, telling.told.messages, archived=archived)

    def _followed(self, name: str, database: Database) -> bool:
        return name in self._continued or any(
            database.session(other).word("parent_session_id") == name for other in database.names
        )

    # What both have.

    def _scribe(self, name: str, about: Fields, profile: str, *, workspace: str) -> Scribe:
        if profile not in self._given.databases and self._given.databases:
            why = "there is no such profile here; it goes on with the default one."
            self._report.leave(name, f"the profile {profile}", why)
            profile = DEFAULT
        agent, resumes = self._given.agent_of(profile)
        database = self._given.databases.get(profile)
        known = resumes and database is not None and name in database.names
        session = imported_id(HERMES, name)
        created = e.SessionCreated(
            title=_title(about),
            agent=agent,
            model=self._model(name, about, resumes=resumes),
            workspace=self._workspace(name, workspace),
            project=self._project(name, about),
            tags=self._tags(name, about),
            predecessor=self._predecessor(name, about),
            reference=name if known else "",
            client=CLIENT,
        )
        kept: dict[str, Any] = {key: value for key in DETAILS if (value := about.get(key)) not in (None, "", [], {})}
        imported = e.SessionImported(source=SOURCE, name=name, details=spelled(kept)[:DETAILED], client=CLIENT)
        scribe = Scribe(session, about.moment("created_at", "started_at", "updated_at"), created, imported)
        if (spent := used(about)) is not None:
            scribe.spend(spent)
        return scribe

    def _predecessor(self, name: str, about: Fields) -> SessionId | None:
        parent = about.word("parent_session_id")
        head = self._heads.get(name)
        follows = self._continues(head) if head is not None else bool(parent)
        return imported_id(HERMES, parent) if parent and follows else None

    def _model(self, name: str, about: Fields, *, resumes: bool) -> str:
        model = about.word("model")
        if resumes:
            return model
        self._models[name] = model
        return ""

    def _tags(self, name: str, about: Fields) -> tuple[str, ...]:
        given = about.several("tags")
        words = [tag for tag in given if isinstance(tag, str)]
        taken = labels.taken_tags([*words, *tags_of(_title(about)), _source(about)])
        lost = [tag for tag in given if not isinstance(tag, str) or not set(labels.taken_tags([tag])) <= set(taken)]
        if lost:
            what = f"tags ({', '.join(map(spelled, lost))[:200]})"
            self._report.leave(name, what, f"a tag is a word, and a session has at most {labels.TAGS}.")
        return taken

    def _workspace(self, name: str, folder: str) -> str:
        if not folder or (Path(folder).is_absolute() and Path(folder).is_dir()):
            return folder
        self._report.leave(name, f"the workspace {folder}", "there is no such folder here; it works in one of its own.")
        return ""

    def _project(self, name: str, about: Fields) -> str:
        project = about.word("project_id")
        if project and project not in self._projects:
            self._report.leave(name, f"the project {project}", "projects.json does not name it.")
        return labels.taken_project(self._projects.get(project, ""))

    def _built(self, about: Fields, scribe: Scribe, messages: int, *, archived: bool) -> Built:
        changes: list[e.AnyIntent] = []
        pinned, away = about.flag("pinned"), archived or about.flag("archived") or about.get("archived") == 1
        if pinned or away:
            changes.append(e.SessionChanged(pinned=pinned, archived=away, client=CLIENT))
        return Built(records=scribe.finish(changes), title=_title(about), messages=messages)


def _title(about: Fields) -> str:
    title = about.word("title")[:300]
    return "" if title.lower() in UNTITLED else title


def _source(about: Fields) -> str:
    """Where a session was held, if not in hermes-webui itself."""
    source = about.word("source_label", "session_source", "source_tag", "raw_source", "source")
    return "" if source.lower() in ("webui", "web", "web ui", "webui session") else source


def _stat(path: Path) -> Any:
    try:
        return path.stat()
    except OSError:
        return None


def _digest_of(*values: object) -> str:
    return blake2b(spelled(several([*values])).encode(), digest_size=8).hexdigest()
