"""A session of hermes-webui whose conversation Hermes has: it is gone on with, not told again."""

import json
import os
import subprocess

import apsw
import pytest

from holdfast.core.ids import SessionId
from holdfast.transfer.identity import HERMES, imported_id
from tests.real.desk import Desk
from tests.served import HOLDFAST
from tests.transfer.webui import Webui, assistant, user

pytestmark = pytest.mark.agents


def conversation(desk: Desk, words: str) -> str:
    """What Hermes calls the conversation in which that was said."""
    database = apsw.Connection(str(desk.hermes / "state.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        query = "SELECT session_id FROM messages WHERE role = 'assistant' AND content = ?"
        return str(database.execute(query, (words,)).get)
    finally:
        database.close()


def test_hermes_goes_on_with_its_own_conversation(desk: Desk) -> None:
    first, _ = desk.begin()
    desk.say(first, "@say The hedgehog is called Igor.")
    name = conversation(desk, "The hedgehog is called Igor.")
    webui = Webui(desk.hermes / "webui")
    webui.session(name, [user("Who?"), assistant("Told differently here.")], profile="default")
    done = subprocess.run(
        [*HOLDFAST, "import", "hermes-webui", str(webui.folder), "--home", str(desk.house.home)],
        env={**os.environ, "HOLDFAST_AGENT": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    session = SessionId(imported_id(HERMES, name))
    assert desk.person.look(session).session["conversation"] == {"agent": "hermes", "reference": name}
    turn, seen = desk.say(session, "@say Igor it is, then.")
    assert seen.end(turn)["outcome"] == "completed"
    (heard,) = [body for body in desk.model.received("Igor it is, then.") if "tools" in body][-1:]
    said = json.dumps(heard["messages"])
    assert "The hedgehog is called Igor." in said
    assert "Told differently here." not in said
