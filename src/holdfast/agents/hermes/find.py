"""Finding Hermes on this machine, without running or importing it: files are looked at, and nothing else.

Hermes lives in a Python environment of its own. It is looked for where `[hermes]` in `config.toml` says, behind the
`hermes` command on the PATH, and where its installers put it. What is wrong with it is said in one sentence.
"""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from holdfast.agents.spec import PROXIES, AgentSpec
from holdfast.settings import Settings

NAME, TITLE = "hermes", "Hermes"
BRIDGE = Path(__file__).with_name("bridge.py")
INSTALL = "Install it with: uv tool install hermes-agent (or: pipx install hermes-agent)."
DEFAULT_HOME = "~/.hermes"
DEFAULT_PROFILE = "default"
PROFILE = re.compile(r"[A-Za-z0-9_.-]*")
KNOWN = (
    "~/.hermes/hermes-agent/venv",
    "~/.hermes/hermes-agent/.venv",
    "~/.local/share/uv/tools/hermes-agent",
    "~/.local/share/pipx/venvs/hermes-agent",
    "~/.local/pipx/venvs/hermes-agent",
    "/usr/local/lib/hermes-agent/venv",
)
KEYS = (
    "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "MISTRAL_API_KEY", "NOUS_API_KEY",
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENROUTER_API_KEY", "XAI_API_KEY",
)  # fmt: skip
"""Who exports a key for Hermes wants Hermes to have it; Hermes keeps them from its tools."""
SCRIPT = 4096
"""Bytes of a command in which its interpreter is named."""
PATH_IN_SCRIPT = re.compile(rb"(/[^\s\"';]+/bin/(?:python[0-9.]*|hermes))(?=[\s\"';]|$)")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """Where Hermes is. With a `problem` it can't be used, for the reason that is said there."""

    python: str = ""
    version: str = ""
    home: Path = Path()
    profile: str = ""
    problem: str = ""

    @property
    def state(self) -> Path:
        """The folder that Hermes keeps everything in: the profile's own, if there is one."""
        return self.home / "profiles" / self.profile if self.profile else self.home


def find_hermes(settings: Settings, environ: Mapping[str, str] | None = None) -> Found:
    """Look for it. Quick, and safe in a thread."""
    environ = os.environ if environ is None else environ
    wanted = settings.file.hermes
    home = Path(wanted.home or environ.get("HERMES_HOME") or DEFAULT_HOME).expanduser()
    profile = wanted.profile or _active_profile(home)
    found = _installed(wanted.python, environ)
    found = msgspec.structs.replace(found, home=home, profile=profile)
    if not found.problem and profile and not found.state.is_dir():
        problem = f"Hermes has no profile {profile!r} in {home}. Correct it in [hermes] of config.toml."
        return msgspec.structs.replace(found, problem=problem)
    return found


def profiles(found: Found) -> list[Found]:
    """The other profiles of the same Hermes, each of which is an agent of its own."""
    names = ["", *(folder.name for folder in sorted((found.home / "profiles").glob("*")) if folder.is_dir())]
    usable = [name for name in names if name != found.profile and PROFILE.fullmatch(name)]
    return [msgspec.structs.replace(found, profile=name) for name in usable]


def profile_agent(found: Found, profile: str) -> str:
    """The agent that works with that profile; `default` means the one without a folder of its own."""
    named = "" if profile == DEFAULT_PROFILE else profile
    return NAME if named == found.profile else f"{NAME}-{named or DEFAULT_PROFILE}"


def profile_spec(found: Found, profile: Found) -> AgentSpec:
    """How the bridge is started with another profile than the one that Hermes itself would take."""
    name = profile.profile or DEFAULT_PROFILE
    return msgspec.structs.replace(spec(profile), name=profile_agent(found, name), title=f"{TITLE} ({name})")


def spec(found: Found) -> AgentSpec:
    """How the bridge is started under Hermes' own Python."""
    return AgentSpec(
        name=NAME,
        title=TITLE,
        # -P: a file beside the bridge, or in the workspace, must not pass for a module of Hermes.
        command=(found.python, "-P", str(BRIDGE)),
        env={"HERMES_HOME": str(found.state), "HERMES_DISABLE_LAZY_INSTALLS": "1"},
        keep=(*PROXIES, *KEYS),
        warm=True,
    )


def _installed(chosen: str, environ: Mapping[str, str]) -> Found:
    if chosen:
        return _look(Path(chosen).expanduser(), f"{chosen}, which [hermes] in config.toml names,")
    command = shutil.which("hermes", path=environ.get("PATH", ""))
    if command is not None:
        python = _interpreter(Path(command))
        if python is None:
            return Found(
                problem=f"The command {command} does not say which Python it uses. Name that Python in [hermes] of"
                ' config.toml, as in: python = "/path/to/venv/bin/python"'
            )
        return _look(python, f"{python}, which the command {command} uses,")
    for folder in KNOWN:
        python = Path(folder).expanduser() / "bin" / "python"
        if os.path.lexists(python):  # false, too, for what we may not look into
            return _look(python, str(python))
    return Found(problem=f"Hermes is not installed. {INSTALL}")


def _look(python: Path, words: str) -> Found:
    """What there is in the environment of that Python."""
    if not python.exists():
        return Found(python=str(python), problem=f"{words} does not exist. Reinstall Hermes, or correct the setting.")
    if not os.access(python, os.X_OK) or python.is_dir():
        return Found(python=str(python), problem=f"{words} is not a program. Name the Python of Hermes there.")
    for packages in _packages(python):
        for about in sorted(packages.glob("hermes_agent-*.dist-info")):
            version = about.name.removeprefix("hermes_agent-").removesuffix(".dist-info")
            if not (packages / "run_agent.py").exists() and not _editable(packages, about):
                problem = f"Hermes {version} of {python} is damaged: its main module is missing. Reinstall it."
                return Found(python=str(python), version=version, problem=problem)
            return Found(python=str(python), version=version)
    problem = f"{words} has no Hermes. Install it there with: {python} -m pip install hermes-agent"
    return Found(python=str(python), problem=problem)


def _packages(python: Path) -> Iterable[Path]:
    prefix = python.parent.parent
    for kind in ("site-packages", "dist-packages"):
        yield from sorted(prefix.glob(f"lib/python3.*/{kind}"))
    if not (prefix / "pyvenv.cfg").exists():
        yield from sorted(Path("~/.local").expanduser().glob("lib/python3.*/site-packages"))


def _editable(packages: Path, about: Path) -> bool:
    """Whether the installation points to a folder of sources."""
    return (about / "direct_url.json").exists() or any(packages.glob("__editable__*hermes*"))


def _interpreter(command: Path) -> Path | None:
    """The Python that a console script, or a shell script around one, is run by."""
    for _ in range(3):  # a script may start another
        try:
            with command.open("rb") as script:
                head = script.read(SCRIPT)
        except OSError:
            return None
        first, _, rest = head.partition(b"\n")
        if first.startswith(b"#!") and b"python" in first and b"/env " not in first:
            return Path(os.fsdecode(first[2:].strip().split()[0]))
        named = PATH_IN_SCRIPT.search(rest)
        if named is None:
            beside = command.resolve().with_name("python")
            return beside if beside.exists() else None
        target = Path(os.fsdecode(named[1]))
        if target.name.startswith("python"):
            return target
        command = target
    return None


def _active_profile(home: Path) -> str:
    """The profile that `hermes` itself would use."""
    try:
        name = (home / "active_profile").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return "" if name == "default" else name
