"""What a home holds is its owner's alone, after all that writes into it has written."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.store.backup import restore
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.transfer.webui import Webui, assistant, user

pytestmark = pytest.mark.slow


@pytest.fixture
def permissive() -> Iterator[None]:
    """The umask that most machines have: what nobody closes is open."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("permissive")
def test_nothing_of_a_home_can_be_read_by_others(tmp_path: Path) -> None:
    """After a run, an import, a backup and its return, and though the folder was open to all before; an agent's own
    files are its own matter."""
    home = tmp_path / "home"
    house = House(home)
    home.chmod(0o755)
    (home / "workspaces").mkdir()
    (home / "store").mkdir()
    (home / "logs" / "runners").mkdir(mode=0o700, parents=True)
    webui = Webui(tmp_path / "webui")
    webui.session("0123456789ab", [user("Hi"), assistant("Hello")])
    with house:
        house.start()
        person = Person(house)
        session = person.begin()
        (home / "logs" / "runners" / f"{session}.err").write_text("from before\n")
        person.wait_for_end(session, person.say(session, "!say Hello."))
        begun = person.post("/api/import", {"kind": "hermes-webui", "path": str(webui.folder)}).raise_for_status()
        address = f"/api/imports/{begun.json()['report']['id']}"
        wait_until(lambda: person.get(address).json()["report"]["state"] == "finished", "the end of the import")
        with house.server.client() as client:
            client.post("/api/files", params={"name": "x"}, content=b"x").raise_for_status()
        assert house.run("backup", str(tmp_path / "b.tar")).returncode == 0
        restore(tmp_path / "b.tar", tmp_path / "restored")
        places = (home, *home.rglob("*"), tmp_path / "b.tar", *(tmp_path / "restored").rglob("*"))
        found = {path: path.lstat().st_mode & 0o077 for path in places}
    own = home / "workspaces" / session
    assert own in found
    assert {"import.err", f"{session}.err", f"{session}.log", "holdfast.log"} <= {path.name for path in found}
    assert [str(path) for path, mode in found.items() if mode and own not in path.parents] == []
