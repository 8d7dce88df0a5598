"""Print a history with the session that it yields today, or, with `--write`, put that session into its last line.

    python tests/histories/expect.py tests/histories/ends-well.jsonl [--write]

What it prints is what the program does, not what is right: read it against the contracts before you keep it.
"""

import sys
from pathlib import Path
from typing import Any

import msgspec

from holdfast.core import window
from holdfast.core.codec import decode_record
from holdfast.core.session import replay


def yielded(lines: list[bytes]) -> dict[str, Any]:
    """The session that these records yield, as it is stored and sent."""
    return msgspec.json.decode(window.dump(replay([decode_record(line) for line in lines])))


def expect(path: Path, *, write: bool) -> None:
    about, *lines = path.read_bytes().splitlines()
    records = [line for line in lines if not line.startswith(b'{"session"')]
    session = yielded(records)
    if write:
        path.write_bytes(b"\n".join([about, *records, msgspec.json.encode({"session": session}), b""]))
    else:
        shown = msgspec.json.format(msgspec.json.encode(session), indent=2)
        sys.stdout.write(f"{path.stem}: {about.decode()}\n{shown.decode()}\n")


def main(arguments: list[str]) -> None:
    for name in arguments:
        if name != "--write":
            expect(Path(name), write="--write" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
