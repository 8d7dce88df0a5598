"""Cut the power of a recording, many times, and judge what is left. `python -m tests.power.trial FOLDER AT SEED`
repeats one cut."""

import multiprocessing
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from tests.power import cuts, promises, recording
from tests.power.cuts import Cut
from tests.power.disk import Disk, Weather
from tests.power.promised import promised
from tests.power.recording import Recording

WORKERS = 2


class Failure(msgspec.Struct, frozen=True):
    """A cut after which a promise was broken, and how to see it again."""

    cut: Cut
    folder: str
    trace: str

    def __str__(self) -> str:
        again = f"python -m tests.power.trial {self.folder} {self.cut.at} {self.cut.seed}"
        return f"{self.trace}\nThe same cut again: {again}"


def failures(folder: Path, chosen: list[Cut], *, honest: bool = True) -> list[Failure]:
    """Try every cut, in two processes. The cuts that cost a promise are returned."""
    shares = [chosen[number::WORKERS] for number in range(WORKERS)]
    with ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("spawn")) as pool:
        tried = [pool.submit(_try, folder, share, honest=honest) for share in shares]
        return [failure for share in tried for failure in share.result()]


def _try(folder: Path, chosen: list[Cut], *, honest: bool) -> list[Failure]:
    """Let the recording happen once, and stop at each cut."""
    recorded = recording.load(folder)
    disk, found = Disk(honest=honest), list[Failure]()
    reached = 0
    for cut in sorted(chosen, key=lambda cut: cut.at):
        for at in range(reached, cut.at):
            disk.take(at, recorded.entries[at].mark)
        reached = cut.at
        found += _judge(recorded, cut, disk.survivors(Weather(cut.seed)))
    return found


def _judge(recorded: Recording, cut: Cut, files: dict[str, bytes]) -> list[Failure]:
    with tempfile.TemporaryDirectory(prefix="cut-", dir=recorded.folder) as place:
        folder = Path(place)
        for name, body in files.items():
            (folder / name).write_bytes(body)
        try:
            promises.check(folder, promised(recorded.entries, cut.at), recorded.logs)
        except Exception:  # noqa: BLE001  whatever went wrong after a cut is its verdict
            return [Failure(cut, str(recorded.folder), traceback.format_exc())]
    return []


def choose(folder: Path, count: int) -> list[Cut]:
    recorded = recording.load(folder)
    return cuts.choose(recorded.entries, count, recorded.plan.seed)


def main() -> None:
    folder, at, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    found = _try(folder, [Cut(at, seed)], honest=True)
    sys.stdout.write("".join(f"{failure}\n" for failure in found) or "Every promise was kept.\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
