"""Find a Chromium for the browser tests, or install Debian's where that is allowed.

`make test` runs this as a script before the tests; it always ends well, because a machine without a browser may
still run every other test. The browser tests then say by name that they were skipped, and why.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"]
PLACES = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]
PLAYWRIGHT_CACHES = [".cache/ms-playwright", "Library/Caches/ms-playwright"]
MISSING = (
    "No Chromium was found. Install one that is on PATH as `chromium` (Debian: apt-get install chromium) "
    "to run the browser tests."
)


def find_chromium() -> Path | None:
    """The first Chromium there is: on PATH, where macOS keeps it, or one that Playwright once fetched."""
    return next(candidates(), None)


def candidates() -> Iterator[Path]:
    for name in NAMES:
        if found := shutil.which(name):
            yield Path(found)
    yield from (Path(place) for place in PLACES if Path(place).exists())
    for cache in PLAYWRIGHT_CACHES:
        yield from sorted((Path.home() / cache).glob("chromium-*/chrome-*/chrome"), reverse=True)


def may_install() -> bool:
    """Only as root on Debian itself: elsewhere the package is another one, or not ours to install."""
    try:
        system = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return False
    return "ID=debian" in system and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install() -> str | None:
    """Install Debian's chromium; what went wrong, if something did."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "--yes", "chromium"]):
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if done.returncode != 0:
            return f"`{' '.join(command)}` failed:\n{done.stdout[-2000:]}"
    return None


def main() -> None:
    if find_chromium() is not None:
        return
    if may_install():
        print("Installing Debian's chromium for the browser tests.", flush=True)
        trouble = install()
        if trouble is not None:
            print(trouble, file=sys.stderr)
    if find_chromium() is None:
        print(MISSING, file=sys.stderr)


if __name__ == "__main__":
    main()
