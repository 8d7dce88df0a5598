"""Keep this version for the tests of the next ones: its wheel, a home that it wrote, and what it showed of it.

    python -m tests.journeys.releases.make

Run it when a release is made. What it keeps is never changed afterwards.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import holdfast
from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.person import Person

FOLDER = Path(__file__).parent
SCRIPT = """!think about it
!plan look; act; tell
!tool read {"path": "a.txt"} 10 one line
!say Some **words**.
!usage 10 20
!approve append notes.txt once
!ask Which? | red | blue
!title A session of version {version}"""


def main() -> None:
    folder = FOLDER / holdfast.__version__
    folder.mkdir()
    root = Path(__file__).resolve().parents[3]
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, root], check=True)
    with tempfile.TemporaryDirectory() as temporary, House(Path(temporary) / "home") as house:
        house.start()
        person = Person(house)
        session = person.begin(id="kept")
        _talk(person, session)
        shown = [item for item in person.look(session).items if item["type"] != "end"]
        (folder / "shown.json").write_text(json.dumps(shown, indent=1) + "\n")
        house.run("stop")
        answer = house.run("backup", str(folder / "home.tar"))
        assert answer.returncode == 0, answer.stderr


def _talk(person: Person, session: SessionId) -> None:
    turn = person.say(session, SCRIPT.replace("{version}", holdfast.__version__), turn="first")
    (ask,) = person.wait_for_ask(session)
    person.answer(session, ask["ask"], choice="session")
    (ask,) = person.wait_for_ask(session)
    person.answer(session, ask["ask"], text="red")
    person.wait_for_end(session, turn)
    cancelled = person.say(session, "!stream 20 1\n!sleep 60000", turn="second")
    with person.follow(session) as live:
        live.until(lambda: "word20" in live.text, "its last word")
    person.cancel(session, cancelled)
    person.wait_for_end(session, cancelled)
    failed = person.say(session, "!say half\n!fail on purpose", turn="third")
    person.wait_for_end(session, failed)


if __name__ == "__main__":
    main()
