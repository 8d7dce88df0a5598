"""One of the processes of `contending`: append for some seconds, print how long each commit took.

`python -m bench.contender FOLDER SESSION person|runner SECONDS PAUSE`
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.material import Material
from bench.measure import seconds
from bench.stores import Author, writer
from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from holdfast.store.sqlite.writing import Writing

BATCH = 5


def _person(writing: Writing, session: SessionId) -> Iterator[None]:
    """Says again and again what is seen: the intent that a browser sends most."""
    seen = 0
    while True:
        seen += 1
        writing.append(session, [e.SessionChanged(seen=seen)], position=None, key=None)
        yield


def _runner(writing: Writing, session: SessionId) -> Iterator[None]:
    """Streams words, a few in each commit, turn after turn."""
    material = Material(sentences=500)
    author = Author(writing, session)
    author.begin()
    while True:
        turn = TurnId(material.name())
        author.fill([e.TurnSubmitted(turn=turn, text="Go on."), e.TurnStarted(turn=turn)])
        words: list[e.Event] = list(material.words(turn, material.text()))
        for first in range(0, len(words), BATCH):
            author.append(words[first : first + BATCH])
            yield
        author.append([e.TurnEnded(turn=turn, outcome="completed")])


def main(folder: str, session: str, kind: str, duration: str, pause: str) -> None:
    took: list[float] = []
    with writer(Path(folder)) as writing:
        work = (_runner if kind == "runner" else _person)(writing, SessionId(session))
        next(work)
        print("ready", flush=True)
        sys.stdin.readline()
        until = time.monotonic() + float(duration)
        while time.monotonic() < until:
            took.append(seconds(lambda: next(work)))
            time.sleep(float(pause))
    print(msgspec.json.encode(took).decode(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
