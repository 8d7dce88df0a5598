"""Whether an agent can be used now, and if not, what to do: by looking, not by starting it.

Everything here reads the disk or waits for a program: call it in a thread. `environ` is ours, as the agent would get
it, so that two homes can be told apart. Whether somebody has signed in is a guess from the files that signing in leaves
behind; the agent itself has the last word.
"""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from holdfast.agents.child import scrubbed
from holdfast.agents.known import KNOWN, Known
from holdfast.agents.spec import AgentSpec

Ask = Literal["never", "version", "always"]
"""When a program is started for a moment: never, to hear a version that no file tells, or always, to hear that it
works."""
ASKING = 3.0
"""Seconds that a program gets to say its version."""
FOLDERS = (
    "~/.local/bin",
    "~/bin",
    "~/.opencode/bin",
    "~/.bun/bin",
    "~/.npm-global/bin",
    "~/.volta/bin",
    "~/.cargo/bin",
    "~/.local/share/pnpm",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
)
"""Where programs are installed that a service may not have on its PATH."""
VERSIONS = ("~/.nvm/versions/node/*/bin", "~/.local/share/fnm/node-versions/*/installation/bin")
PARENTS = 5
"""How far above a program its package may lie."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """`reason` says what to do if the agent is not ready. `broken`: it is there and does not work."""

    installed: bool
    ready: bool
    version: str = ""
    reason: str = ""
    broken: bool = False


class _Package(msgspec.Struct):
    version: str = ""


def look(spec: AgentSpec, environ: Mapping[str, str], *, ask: Ask = "version") -> Standing:
    """What can be told of an agent."""
    seen = {**environ, **spec.env}
    known = _known(spec)
    program = locate(spec.command[0], seen)
    if program is None:
        return Standing(installed=False, ready=False, reason=_missing(spec, known))
    version = package_version(program)
    if known is not None and (ask == "always" or (ask == "version" and not version)):
        said, fault = _asked(program, spec, seen)
        if fault:
            reason = f"{spec.title} is at {program} but does not work: {fault} Install it again: {known.install}"
            return Standing(installed=True, ready=False, version=version, reason=reason, broken=True)
        version = version or said
    if known is not None and not signed_in(known, seen):
        keys = " or ".join(known.keys[:2])
        reason = f"Nobody has signed in to {spec.title}. Run `{known.sign_in}` in a terminal, or set {keys}."
        return Standing(installed=True, ready=False, version=version, reason=reason)
    return Standing(installed=True, ready=True, version=version)


def located(spec: AgentSpec, environ: Mapping[str, str]) -> AgentSpec:
    """The same agent, by its whole path if it is not on the PATH but where programs usually are.

    Its folder is put on its PATH as well: a program of Node finds its Node there.
    """
    seen = {**environ, **spec.env}
    name = spec.command[0]
    if shutil.which(name, path=seen.get("PATH")) or (program := locate(name, seen)) is None:
        return spec
    path = os.pathsep.join([str(program.parent), seen.get("PATH", os.defpath)])
    return msgspec.structs.replace(spec, command=(str(program), *spec.command[1:]), env={**spec.env, "PATH": path})


def locate(name: str, environ: Mapping[str, str]) -> Path | None:
    """The program `name`: on the PATH, or in one of the usual folders."""
    found = shutil.which(name, path=environ.get("PATH"))
    if found is None and os.sep not in name:
        folders = os.pathsep.join(str(folder) for folder in _folders(environ))
        found = shutil.which(name, path=folders)
    return Path(found) if found else None


def signed_in(known: Known, environ: Mapping[str, str]) -> bool:
    return any(environ.get(key) for key in known.keys) or any(
        _account(account, environ).is_file() for account in known.accounts
    )


def package_version(program: Path) -> str:
    """The version in the npm package that the program belongs to; empty if it belongs to none."""
    real = program.resolve()
    for folder in list(real.parents)[:PARENTS]:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            if version := msgspec.json.decode((folder / "package.json").read_bytes(), type=_Package).version:
                return version
    return ""


def _known(spec: AgentSpec) -> Known | None:
    """What we know of the program that is started; a person may start another one under the same name."""
    known = KNOWN.get(spec.name)
    return known if known is not None and Path(spec.command[0]).name == known.command[0] else None


def _missing(spec: AgentSpec, known: Known | None) -> str:
    if known is None:
        return f"{spec.command[0]} is not there. Correct the command of [agents.{spec.name}] in config.toml."
    return f"{spec.title} is not installed. Install it with `{known.install}`."


def _asked(program: Path, spec: AgentSpec, environ: Mapping[str, str]) -> tuple[str, str]:
    """The version that a program says, and what is wrong with it. One that is merely slow says nothing."""
    environment = scrubbed(environ, (*spec.keep, *spec.env))
    environment["PATH"] = os.pathsep.join([environment.get("PATH", os.defpath), str(program.parent)])
    try:
        code, said, complained = _run([str(program), "--version"], environment)
    except TimeoutError:
        return "", ""
    except OSError as exc:
        return "", f"{exc.strerror or exc}."
    if code:
        words = _first_line(complained) or _first_line(said) or f"it ended with code {code}"
        return "", f"{words.rstrip('.')[:200]}."
    words = [word.lstrip("v") for word in _first_line(said).split()]
    return next((word for word in words if word[:1].isdigit()), ""), ""


def _run(command: list[str], environment: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """Raise TimeoutError if it takes too long; nothing of it is left then."""
    with subprocess.Popen(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            said, complained = process.communicate(timeout=ASKING)
        except subprocess.TimeoutExpired as exc:
            os.killpg(process.pid, signal.SIGKILL)  # a wrapper's own child is in this group too
            raise TimeoutError from exc
        return process.returncode, said, complained


def _first_line(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in lines if line.strip()), "")


def _account(account: str, environ: Mapping[str, str]) -> Path:
    *folder, file = account.split(":")
    place = f"{environ.get(folder[0]) or folder[1]}/{file}" if folder else file
    return _expanded(place, environ)


def _folders(environ: Mapping[str, str]) -> Iterable[Path]:
    for folder in FOLDERS:
        yield _expanded(folder, environ)
    for pattern in VERSIONS:
        root, _, rest = pattern.partition("/*")
        found = _expanded(root, environ).glob(f"*{rest}")
        yield from sorted(found, reverse=True)


def _expanded(path: str, environ: Mapping[str, str]) -> Path:
    """`~` is the home that the agent would have."""
    if not path.startswith("~/"):
        return Path(path)
    home = environ.get("HOME")
    return Path(home) / path[2:] if home else Path(path).expanduser()
