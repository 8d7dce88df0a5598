"""Sessions as files: what was said is in them, secrets are not, and JSON comes back as it was."""

import io
import json
import re
import subprocess
import threading
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId
from holdfast.core.items import UserMessage
from holdfast.core.mask import masked
from holdfast.store.protocol import Store
from holdfast.transfer import document, markdown, page
from holdfast.transfer.export import Format, export, export_all, file_name
from holdfast.transfer.identity import HOLDFAST as SOURCE
from holdfast.transfer.identity import imported_id
from tests.hostile import PAYLOADS
from tests.served import HOLDFAST
from tests.store.stage import Run, submit
from tests.transfer.stage import blobs, brought, items, opened, plain, rows

KEY = "sk-proj-" + "A1b2" * 10
S, T = SessionId("s1"), e.TurnId("t1")
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"


async def held(store: Store, home: Path) -> None:
    """A session with a bit of everything, at rest."""
    blob = blobs(home).put([b"\x89PNG picture"])
    picture = e.Attachment(name='a"><b>.png', blob=blob.name, media_type="image/png", size=blob.size)
    await store.create(S, e.SessionCreated(title=f"Garden {SCRIPT}", agent="tour", tags=("a",), project="P"))
    run = await Run.claim(store, S)
    await run.write(e.AgentOpened(agent="tour", pid=7, reference="r"))
    await store.append(S, [e.TurnSubmitted(turn=T, text=f"Hello {SCRIPT}", attachments=(picture,))], key="turn:t1")
    await run.write(
        e.TurnStarted(turn=T),
        e.ThoughtAppended(turn=T, text="Hm."),
        e.ToolChanged(turn=T, call=e.CallId("c"), first=True, name="run", arguments="```\nls", status="running"),
        e.ToolChanged(turn=T, call=e.CallId("c"), appended=f"the key is {KEY[:20]}"),
        e.UsageReported(turn=T, input=3),
        e.ToolChanged(turn=T, call=e.CallId("c"), appended=f"{KEY[20:]} you see"),
        e.ToolChanged(turn=T, call=e.CallId("c"), status="completed"),
        e.ApprovalRequested(turn=T, ask=AskId("a1"), command="rm x", call=e.CallId("c")),
    )
    await store.append(S, [e.ApprovalAnswered(ask=AskId("a1"), choice="once")])
    await run.write(e.ApprovalDelivered(ask=AskId("a1")), e.PlanReplaced(turn=T, entries=(e.PlanEntry(text="Dig"),)))
    for piece in ("Words with ", KEY[:9], KEY[9:], " inside. ", "ünï 🦔 " * 3000):
        await run.write(e.TextAppended(turn=T, text=piece))
    await run.write(e.NoticeRaised(turn=T, text="Note"), e.TurnEnded(turn=T, outcome="failed", error="It broke."))
    await submit(store, e.TurnId("t2"), "More", session=S)
    await store.append(S, [e.TurnReleased()])
    await run.write(e.TurnStarted(turn=e.TurnId("t2")), e.TurnEnded(turn=e.TurnId("t2"), outcome="completed"))
    await run.write(e.RunnerStopped())


async def whole(store: Store, home: Path, kind: Format) -> bytes:
    return b"".join([piece async for piece in export(store, blobs(home), S, kind)])


async def test_json_comes_back_as_the_same_transcript(tmp_path: Path) -> None:
    home, other, file = tmp_path / "home", tmp_path / "other", tmp_path / "s.json"
    async with opened(home) as store:
        await held(store, home)
        file.write_bytes(await whole(store, home, "json"))
        before = [plain(item) for item in await items(store, S)]
    hidden = json.loads(json.dumps(before).replace(KEY, f"[hidden, {len(KEY)} characters]"))
    async with opened(other) as store:
        report = await brought(store, other, "holdfast", file)
        (row,) = await rows(store)
        assert [plain(item) for item in await items(store, row.id)] == hidden
        assert (row.id, row.overview.project, row.overview.tags) == (imported_id(SOURCE, S), "P", ("a",))
        message = (await items(store, row.id))[0]
        assert isinstance(message, UserMessage)
        assert blobs(other).path(message.attachments[0].blob).read_bytes() == b"\x89PNG picture"
        assert (await brought(store, other, "holdfast", file)).known == 1
    assert report.left == []


class Tags(HTMLParser):
    """What a browser would make of it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


async def test_a_page_runs_nothing_and_loads_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await held(store, tmp_path)
        page = (await whole(store, tmp_path, "html")).decode()
    seen = Tags()
    seen.feed(page)
    assert "script" not in seen.tags
    assert not {name for name in seen.attributes if name.startswith("on")}
    assert page.count("src=") == 1 + page.count("img src=x")
    assert 'src="data:image/png;base64,' in page
    assert "default-src 'none'" in page


HOSTILE = [
    SCRIPT,
    "</style><style>*{background:url(//evil.example/a)}</style>",
    '"><svg onload=alert(1)>',
    "[press](javascript:alert(1)) ![seen](https://evil.example/p.png)",
    "```html\n</pre><iframe src=//evil.example></iframe>\n```",
    "<base href=//evil.example><meta http-equiv=refresh content=0;url=//evil.example>",
    "<link rel=stylesheet href=//evil.example/a.css><form action=//evil.example>",
    *("\n".join(PAYLOADS[first::8]) for first in range(8)),
]
OURS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "p", "section", "article", "div"),
    *("details", "summary", "span", "time", "pre", "ul", "li", "b", "img", "table", "tr", "th", "td", "a", "code"),
    "footer",
}
"""All that a page of ours is made of."""


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
async def test_whatever_was_said_anywhere_stands_there_as_words(tmp_path: Path, words: str) -> None:
    """In every place that an agent or another program can write to."""
    async with opened(tmp_path) as store:
        await store.create(S, e.SessionCreated(title=words, agent=words, model=words))
        run = await Run.claim(store, S)
        await store.append(S, [e.TurnSubmitted(turn=T, text=words)], key="turn:t1")
        diff = e.Diff(path=words, old="a\n", new=f"a\n{words}\n")
        call = e.CallId("c")
        await run.write(
            e.TurnStarted(turn=T),
            e.ThoughtAppended(turn=T, text=words),
            e.TextAppended(turn=T, text=words),
            e.ToolChanged(turn=T, call=call, first=True, name=words, title=words, arguments=words, output=words),
            e.ToolChanged(turn=T, call=call, diffs=(diff,), error=words, status="failed"),
            e.PlanReplaced(turn=T, entries=(e.PlanEntry(text=words),)),
            e.NoticeRaised(turn=T, text=words),
            e.ApprovalRequested(turn=T, ask=AskId("a"), command=words, directory=words, description=words),
            e.QuestionAsked(turn=T, ask=AskId("q"), text=words, choices=(words, "other")),
        )
        await store.append(
            S,
            [
                e.ApprovalAnswered(ask=AskId("a"), choice="deny", reason=words, client=words),
                e.QuestionAnswered(ask=AskId("q"), text=words, client=words),
            ],
        )
        await run.write(e.TurnEnded(turn=T, outcome="failed", error=words), e.RunnerStopped())
        page = (await whole(store, tmp_path, "html")).decode()
    seen = Tags()
    seen.feed(page)
    assert seen.tags <= OURS
    assert seen.attributes <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "datetime", "open"),
    }
    assert page.count("<style>") == page.count('http-equiv="') == 1
    assert set(re.findall(r'href="([^"]*)"', page)) == {"#ask-1", "#ask-2"}
    assert "default-src 'none'; style-src 'sha256-" in page


async def test_a_page_says_who_approved_what_when_and_from_where(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.create(S, e.SessionCreated(title="Garden"))
        run = await Run.claim(store, S)
        await store.append(S, [e.TurnSubmitted(turn=T, text="Dig")], key="turn:t1")
        names = [AskId(name) for name in ("person", "rule", "agent", "late")]
        asked = [e.ApprovalRequested(turn=T, ask=name, command=f"dig {name}", directory="/garden") for name in names]
        await run.write(e.TurnStarted(turn=T), *asked)
        await store.append(
            S,
            [
                e.ApprovalAnswered(ask=names[0], choice="once", client="iPhone"),
                e.ApprovalAnswered(ask=names[1], choice="session", by="rule", rule="dig *"),
                e.ApprovalAnswered(ask=names[2], choice="deny", by="agent", reason="Wet."),
            ],
        )
        await run.write(*(e.ApprovalDelivered(ask=name) for name in names[:3]))
        await run.write(e.TurnEnded(turn=T, outcome="completed"), e.RunnerStopped())
        page = (await whole(store, tmp_path, "html")).decode()
        text = (await whole(store, tmp_path, "md")).decode()
    for told in (
        "Allowed once by a person on iPhone, 20",
        "Allowed for the session by a rule (dig *), 20",
        "Denied by the agent&#x27;s own rules, 20",
        ": Wet.",
        "Not answered: the run ended first",
    ):
        assert page.count(told) == 2  # where it was asked, and in the list of all
        assert told.replace("&#x27;", "'") in text
    assert "in /garden" in page


@pytest.mark.parametrize("kind", ["md", "html"])
async def test_one_turn_is_no_more_than_that(tmp_path: Path, kind: Format) -> None:
    async with opened(tmp_path) as store:
        await held(store, tmp_path)
        pieces = [piece async for piece in export(store, blobs(tmp_path), S, kind, e.TurnId("t2"))]
    page = b"".join(pieces).decode()
    assert "More" in page
    assert "Words with" not in page
    assert "rm x" not in page


@pytest.mark.parametrize("kind", ["md", "html", "json"])
async def test_what_looks_like_a_secret_is_hidden_even_between_two_pieces(tmp_path: Path, kind: Format) -> None:
    async with opened(tmp_path) as store:
        await held(store, tmp_path)
        file = (await whole(store, tmp_path, kind)).decode()
    assert "A1b2" not in file
    assert f"[hidden, {len(KEY)} characters]" in file
    assert "you see" in file


@pytest.mark.parametrize("kind", ["md", "html", "json"])
async def test_nobody_waits_while_an_export_is_written(
    tmp_path: Path, kind: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was said may be megabytes: they are looked through beside the loop that serves everybody."""
    where: dict[str, set[threading.Thread]] = {}

    def looked(text: str) -> str:
        where.setdefault(text, set()).add(threading.current_thread())
        return masked(text)

    for module in (markdown, page, document):
        monkeypatch.setattr(module, "masked", looked)
    async with opened(tmp_path) as store:
        await held(store, tmp_path)
        await whole(store, tmp_path, kind)
    long = [threads for text, threads in where.items() if "🦔 " * 10 in text.replace("ünï ", "")]
    assert long
    assert threading.main_thread() not in set.union(*long)


async def test_the_name_of_a_file_hides_what_its_words_hide(tmp_path: Path) -> None:
    """In an archive too: a title may be the first thing that a person pasted."""
    name = file_name(S, f"Use {KEY} here", "md")
    assert name == f"use-hidden-{len(KEY)}-characters-here-s1.md"
    async with opened(tmp_path) as store:
        await store.create(S, e.SessionCreated(title=KEY))
        archive = b"".join([piece async for piece in export_all(store, blobs(tmp_path), "md")])
    assert zipfile.ZipFile(io.BytesIO(archive)).namelist() == [f"hidden-{len(KEY)}-characters-s1.md"]


@pytest.mark.parametrize("kind", ["md", "html", "json"])
async def test_what_a_step_was_given_is_hidden_where_it_is_a_secret(tmp_path: Path, kind: Format) -> None:
    """Its arguments are JSON: what stands in them has its quotes escaped, and in a document once more."""
    body = json.dumps({"api_key": "periwinkle shell", "depth": 3})
    given = json.dumps({"command": f"curl -u me:limpet -H 'Cookie: crumb=barnacle' -d '{body}' https://x.org"})
    async with opened(tmp_path) as store:
        await store.create(S, e.SessionCreated(title="Post", agent="tour"))
        run = await Run.claim(store, S)
        await store.append(S, [e.TurnSubmitted(turn=T, text="Post it")], key="turn:t1")
        await run.write(
            e.TurnStarted(turn=T),
            e.ToolChanged(turn=T, call=e.CallId("c"), first=True, name="run", arguments=given, status="completed"),
            e.TurnEnded(turn=T, outcome="completed"),
            e.RunnerStopped(),
        )
        file = (await whole(store, tmp_path, kind)).decode()
    assert [word for word in ("periwinkle", "shell", "limpet", "barnacle") if word in file] == []
    assert all(word in file for word in ("curl -u me:", "Cookie: ", "api_key", "depth", "x.org"))


async def test_markdown_reads_as_it_was_said(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await held(store, tmp_path)
        file = (await whole(store, tmp_path, "md")).decode()
    order = [
        "# Garden",
        "## You",
        "Hello",
        "Hm.",
        "Tool: run",
        "````\n```\nls\n````",
        "rm x",
        "Words with",
        "Failed",
        "More",
    ]
    places = [file.index(words) for words in order]
    assert places == sorted(places)


@pytest.mark.parametrize("kind", ["md", "json"])
async def test_all_sessions_are_one_archive(tmp_path: Path, kind: Format) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    async with opened(home) as store:
        await held(store, home)
        await store.create(SessionId("s2"), e.SessionCreated(title="../../x"))
        await store.create(SessionId("s3"), e.SessionCreated(title="Away"))
        await store.append(SessionId("s3"), [e.SessionChanged(archived=True)])
        await store.create(SessionId("s4"), e.SessionCreated(title="Deleted"))
        await store.append(SessionId("s4"), [e.SessionDeleted()])
        body = b"".join([piece async for piece in export_all(store, blobs(home), kind)])
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
        names = sorted(archive.namelist())
    assert names == [f"away-s3.{kind}", names[1], f"x-s2.{kind}"]
    assert names[1].startswith("garden-script")
    if kind == "json":
        path = tmp_path / "all.zip"
        path.write_bytes(body)
        async with opened(other) as store:
            report = await brought(store, other, "holdfast", path)
            assert (len(report.taken), report.left) == (3, [])
            assert [row.overview.title for row in await rows(store, archived=True)] == ["Away"]


@pytest.mark.slow
def test_the_command_writes_a_file_and_overwrites_none(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "out.md"

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*HOLDFAST, "export", *arguments, "--home", str(home)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)

    async def prepare() -> None:
        async with opened(home) as store:
            await held(store, home)

    import asyncio

    asyncio.run(prepare())
    assert run("s1", "-o", str(file)).returncode == 0
    again = run("s1", "-o", str(file))
    assert (again.returncode, "nothing is overwritten" in again.stderr) == (1, True)
    assert run("s1", "--format", "html", "-o", "-").stdout.startswith("<!doctype html>")
    assert run("--format", "json").returncode == 0
    assert zipfile.is_zipfile(tmp_path / "holdfast-json.zip")
    assert "There is no session nope" in run("nope").stderr
