"""Somebody who looks at no tab is told, once, and nobody waits for it."""

import json
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from holdfast.core.ids import SessionId
from holdfast.server.message import Message, NotDelivered, deliver
from holdfast.settings import NotifySettings
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = pytest.mark.slow


class Ear:
    """A webhook that remembers what it was sent, and refuses the first `refusals`."""

    def __init__(self, refusals: int = 0) -> None:
        self.heard: list[dict[str, Any]] = []
        self.refused = 0
        ear = self

        class Hook(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                refuse = ear.refused < refusals
                ear.refused += refuse
                self.send_response(503 if refuse else 200)
                self.end_headers()
                if not refuse:
                    is_json = self.headers["content-type"] == "application/json"
                    said = json.loads(body) if is_json else {"message": body.decode()}
                    ear.heard.append(said | {"headers": dict(self.headers)})

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        self.url = f"http://127.0.0.1:{self._server.server_port}/topic"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> "Ear":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def listening(home: Path, notify: str) -> Generator[tuple[House, Person]]:
    with House(home, f"[runners]\nspare = false\n[notify]\nask_seconds = 0.2\n{notify}") as house:
        house.start()
        yield house, Person(house)


def told(person: Person, session: str) -> int:
    """How often the log says that somebody was told."""
    records = person.get(f"/api/sessions/{session}/records").json()["records"]
    return sum(record["event"]["kind"] == "person.notified" for record in records)


def test_an_ask_that_waits_is_told_once_even_across_a_restart(tmp_path: Path) -> None:
    """With title, kind and link, and without the command."""
    with Ear() as ear, listening(tmp_path / "home", f'url = "{ear.url}"\n') as (house, person):
        session = person.begin(title="Tidy up")
        person.say(session, "!approve rm -rf private")
        (ask,) = person.wait_for_ask(session)
        wait_until(lambda: told(person, session), "a notification in the log")
        (message,) = ear.heard
        assert message["title"] == "Holdfast: Tidy up"
        assert message["message"] == "“Tidy up” waits for your approval."
        assert (message["kind"], message["session"]) == ("approval", session)
        assert message["link"] == f"{house.server.link.rstrip('/')}/session/{session}"
        assert "private" not in json.dumps(message)
        house.kill()
        house.start()
        person.answer(session, ask["ask"], choice="deny")
        second = person.say(session, "!ask Which?")
        wait_until(lambda: told(person, session) == 2, "the next one")
        assert [heard["kind"] for heard in ear.heard] == ["approval", "question"]
        assert second


def test_what_is_not_delivered_is_tried_again_and_delays_no_run(tmp_path: Path) -> None:
    """The hook refuses first; meanwhile the run goes on as if nothing were."""
    with Ear(refusals=1) as ear, listening(tmp_path / "home", f'url = "{ear.url}"\ndetails = true\n') as (_, person):
        session = person.begin()
        turn = person.say(session, "!approvemany 2")
        first, _second = person.wait_for_ask(session, 2)
        wait_until(lambda: ear.refused, "a refusal")
        assert person.answer(session, first["ask"], choice="once").status_code == 200
        wait_until(lambda: len(ear.heard) >= 1, "a delivery")
        assert "command-" in ear.heard[-1]["message"]
        assert person.cancel(session, turn).status_code == 200
        person.wait_for_end(session, turn)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/hush?token=hush", "http://hush@127.0.0.1/", "http://[hush/"])
async def test_what_is_said_of_a_failure_names_the_host_alone(url: str) -> None:
    """The address lets in whoever knows it, and failures are logged."""
    message = Message(title="t", message="m", kind="question", session=SessionId("s"), link="http://x/")
    with pytest.raises(NotDelivered) as failed:
        await deliver(NotifySettings(url=url), message)
    assert "hush" not in str(failed.value)
    cause: BaseException | None = failed.value
    while cause is not None:
        assert "hush" not in str(cause), "nor in a traceback"
        cause = cause.__cause__


def test_the_end_of_a_long_run_is_told_in_ntfys_words(tmp_path: Path) -> None:
    notify = 'format = "ntfy"\nrun_seconds = 0.5\nlink = "https://holdfast.example"\n'
    with Ear() as ear, listening(tmp_path / "home", f'url = "{ear.url}"\n{notify}') as (_, person):
        session = person.begin(title="Long “one”")
        person.wait_for_end(session, person.say(session, "!say short"))
        person.wait_for_end(session, person.say(session, "!sleep 700\n!say long"))
        wait_until(lambda: told(person, session), "a notification")
        (message,) = ear.heard
        assert message["message"] == "“Long “one”” is done."
        assert message["headers"]["Click"] == f"https://holdfast.example/session/{session}"


def test_a_title_that_no_header_and_no_environment_can_hold_harms_nothing(tmp_path: Path) -> None:
    """It may be an agent's: long, of several lines, in any script, with characters that nobody prints."""
    note = tmp_path / "note"
    program = "import os, sys; open(sys.argv[1], 'w').write(os.environ['HOLDFAST_TITLE'])"
    command = json.dumps([sys.executable, "-c", program, str(note)])
    with Ear() as ear:
        notify = f'url = "{ear.url}"\nformat = "ntfy"\nlink = "https://höhle.example"\ncommand = {command}\n'
        with listening(tmp_path / "home", notify) as (_, person):
            session = person.begin(title="ü\x00 " * 60)
            person.say(session, "!ask Which?")
            wait_until(lambda: told(person, session), "a notification")
            assert note.read_text().startswith("Holdfast: ü ü")
            assert "\n" not in ear.heard[0]["headers"]["Title"]
            assert person.get("/api/status").status_code == 200


def test_who_looks_at_a_tab_is_not_told_until_they_look_away(tmp_path: Path) -> None:
    with Ear() as ear, listening(tmp_path / "home", f'url = "{ear.url}"\n') as (house, person):
        with house.server.client() as tab, tab.stream("GET", "/api/stream?visible=true") as live:
            assert live.status_code == 200
            session = person.begin()
            person.say(session, "!ask Which?")
            person.wait_for_ask(session)
            hidden = person.begin()
            person.wait_for_end(hidden, person.say(hidden, "!sleep 2500\n!say time passes"))
            assert ear.heard == []
        wait_until(lambda: ear.heard, "a notification once nobody looks")


def test_a_command_is_told_too_without_a_shell(tmp_path: Path) -> None:
    """On its standard input and in its environment; one that can't be started harms nothing."""
    note = tmp_path / "note"
    program = "import os, sys; open(sys.argv[1], 'w').write(os.environ['HOLDFAST_KIND'] + sys.stdin.read())"
    command = json.dumps([sys.executable, "-c", program, str(note)])
    with listening(tmp_path / "home", f"command = {command}\n") as (_, person):
        session = person.begin(title="$(rm -rf ~)")
        person.say(session, "!ask Which?")
        wait_until(lambda: told(person, session), "a notification")
        assert note.read_text().startswith('question{"title":"Holdfast: $(rm -rf ~)"')
    with listening(tmp_path / "other", 'command = ["/nothing/there"]\n') as (_, person):
        session = person.begin()
        turn = person.say(session, "!ask Which?")
        (ask,) = person.wait_for_ask(session)
        assert person.answer(session, ask["ask"], text="x").status_code == 200
        assert person.wait_for_end(session, turn).text(turn) == "answer:x"
