"""What a restart of the server would end: asked of the service manager and of the container."""

import shutil
import subprocess
from pathlib import Path

UNIT = "holdfast.service"
INITS = frozenset({"systemd", "init", "tini", "dumb-init", "docker-init", "catatonit", "s6-svscan", "runit"})


def kill_mode(shown: str) -> str | None:
    """The KillMode of a loaded unit, from what `systemctl show` prints; None if there is no such unit."""
    values = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
    return values.get("KillMode") if values.get("LoadState") == "loaded" else None


def advice_for_unit(mode: str) -> str:
    """What to do about a unit, or nothing if a restart leaves the runners alone."""
    if mode == "process":
        return ""
    return f"{UNIT} has KillMode={mode}: a restart would end all runs. Set KillMode=process, as in deploy/{UNIT}."


def note_on_container(first_process: str) -> str:
    """What to know in a container whose PID 1 is `first_process`."""
    note = "This is a container: its end is the end of its runs."
    if first_process in INITS:
        return note
    return f"{note} Its PID 1 is {first_process}; use an init (docker run --init), so that ended tools are reaped."


def problems() -> list[str]:
    """Everything on this machine that would make a restart of the server end runs, as sentences."""
    found = [advice_for_unit(mode) for mode in map(kill_mode, _units()) if mode is not None]
    return [sentence for sentence in found if sentence]


def notes() -> list[str]:
    """What else ends runs here."""
    if not (Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()):
        return []
    return [note_on_container(Path("/proc/1/comm").read_text("utf-8").strip())]


def _units() -> list[str]:
    if shutil.which("systemctl") is None:
        return []
    asked = (["systemctl", *scope, "show", UNIT, "-p", "KillMode", "-p", "LoadState"] for scope in ([], ["--user"]))
    return [subprocess.run(command, capture_output=True, text=True, check=False).stdout for command in asked]
