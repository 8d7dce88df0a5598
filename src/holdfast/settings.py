"""What the person who runs Holdfast has decided. The only reader of the environment and of `config.toml`.

Order of precedence: the command line, the environment, the file, the defaults below.
"""

import ipaddress
import os
import tempfile
import tomllib
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from holdfast.core.errors import HoldfastError

FILE = "config.toml"
HIGHEST_PORT = 65535
WORKSPACES = "workspaces"
"""The folder of a home whose folders agents work in."""


class BadSettings(HoldfastError):
    """{0} can't be used: {1}. Correct it, or remove the line to get the default."""


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[server]`: where the page is served. Without a port, the first free one from 8787 on.

    `names` are names of this server beside its address, `path` is where a proxy mounts it, `proxies` are the networks
    whose X-Forwarded headers are believed. `certificate` and `key` are PEM files; with them it speaks https.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=HIGHEST_PORT)] | None = None
    names: tuple[str, ...] = ()
    path: Annotated[str, msgspec.Meta(pattern="^(/[A-Za-z0-9._~-]+)*$")] = ""
    proxies: tuple[str, ...] = ()
    certificate: str = ""
    key: str = ""

    def __post_init__(self) -> None:
        if not self.host or not self.host.isprintable():
            raise ValueError(f"host is {self.host!r}, which is no address to listen on")
        for network in self.proxies:
            ipaddress.ip_network(network, strict=False)
        if bool(self.certificate) != bool(self.key):
            raise ValueError("certificate and key go together: name both files or none")


class DialectSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[dialect]`: whether clients of hermes-webui may sign in by a cookie, which every port of this host sees."""

    cookies: bool = False


class LogSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[log]`: what the operator's log holds."""

    level: Literal["debug", "info", "warning", "error"] = "info"


class RunnerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[runners]`: how many may run at once, how long an idle one stays, and whether one is kept warm."""

    max: Annotated[int, msgspec.Meta(ge=1)] = 16
    idle_minutes: Annotated[float, msgspec.Meta(gt=0)] = 15.0
    spare: bool = True


class NotifySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[notify]`: whom to tell when nobody looks at the page. A URL, a command, or both.

    `format` is what the URL understands: JSON (Gotify, any webhook) or ntfy's headers. `details` adds the command or
    the question itself. `link` is the page's address as the person reaches it, if that is not the server's own.
    `push_private` lets browsers name a push service of this machine or of a private network.
    """

    url: Annotated[str, msgspec.Meta(pattern="^(https?://.*)?$")] = ""
    command: tuple[str, ...] = ()
    format: Literal["json", "ntfy"] = "json"
    details: bool = False
    link: str = ""
    ask_seconds: Annotated[float, msgspec.Meta(ge=0)] = 10.0
    run_seconds: Annotated[float, msgspec.Meta(ge=0)] = 120.0
    push_private: bool = False


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[agents.NAME]`: an agent that speaks ACP on its standard input and output, and how to start it.

    `env` is set for it; `keep` names variables of our environment that it gets besides the usual few.
    """

    command: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    title: str = ""
    env: dict[str, str] = {}
    keep: tuple[str, ...] = ()


class HermesSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[hermes]`: where Hermes is, if it is not found by itself: its Python, the folder that it keeps things in, and
    which of the profiles there to use."""

    python: str = ""
    home: str = ""
    profile: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9._-]*$")] = ""


class EndpointSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[endpoints.NAME]`: a model server that speaks OpenAI's API. Its key is not written here: `key_env` names the
    variable that holds it. `window` is how many tokens its models can look at, if it does not say so itself.
    """

    base_url: Annotated[str, msgspec.Meta(pattern="^https?://.+")]
    key_env: str = ""
    models: tuple[str, ...] = ()
    default_model: str = ""
    window: Annotated[int, msgspec.Meta(ge=0)] = 0


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `config.toml` may say."""

    server: ServerSettings = ServerSettings()
    log: LogSettings = LogSettings()
    dialect: DialectSettings = DialectSettings()
    runners: RunnerSettings = RunnerSettings()
    notify: NotifySettings = NotifySettings()
    agents: dict[str, AgentSettings] = {}
    endpoints: dict[str, EndpointSettings] = {}
    hermes: HermesSettings = HermesSettings()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was decided, in one value. `agent` is what a session gets that names none."""

    home: Path
    file: File = File()
    faults: str = ""
    agent: str = ""

    @property
    def certificate(self) -> tuple[Path, Path] | None:
        """The files of the certificate and of its key, if there is one; relative ones lie in the home."""
        server = self.file.server
        if not server.certificate:
            return None
        return self.home / Path(server.certificate).expanduser(), self.home / Path(server.key).expanduser()

    @property
    def store(self) -> Path:
        """The folder of the database and its lock."""
        return self.home / "store"

    @property
    def blobs(self) -> Path:
        return self.home / "blobs"

    @property
    def locks(self) -> Path:
        """One lock a session: whoever holds it owns the session."""
        return self.home / "run"

    @property
    def spools(self) -> Path:
        return self.home / "spools"

    @property
    def workspaces(self) -> Path:
        """Where an agent works when its session names no folder."""
        return self.home / WORKSPACES

    @property
    def endpoints(self) -> Path:
        """Model endpoints that a person added on the page, with their keys."""
        return self.home / "endpoints.json"

    @property
    def conversations(self) -> Path:
        """What the built-in agent said and heard, a file for each conversation."""
        return self.home / "builtin"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def bells(self) -> Path:
        """Where processes of this home listen for each other. Short, because a socket's path must be."""
        name = blake2b(str(self.home).encode(), digest_size=6).hexdigest()
        return Path(tempfile.gettempdir()) / f"holdfast-{os.getuid()}-{name}"

    @property
    def doors(self) -> Path:
        """Where runners take secret answers."""
        return self.bells.with_name(f"{self.bells.name}-doors")


def read_settings(environ: Mapping[str, str], *, home: Path | None = None) -> Settings:
    """Raise `BadSettings` if the file or the environment says something that can't be used."""
    settings = without_file(environ, home=home)
    return msgspec.structs.replace(settings, file=_read_file(settings.home / FILE))


def without_file(environ: Mapping[str, str], *, home: Path | None = None) -> Settings:
    """The same with the defaults for whatever the file says, also where nobody can read it."""
    chosen = home or Path(environ.get("HOLDFAST_HOME") or "~/.holdfast")
    try:
        folder = chosen.expanduser().absolute()
    except RuntimeError as exc:
        raise BadSettings("HOLDFAST_HOME", str(exc).rstrip(".")) from exc
    return Settings(home=folder, faults=environ.get("HOLDFAST_FAULTS", ""), agent=environ.get("HOLDFAST_AGENT", ""))


def _read_file(path: Path) -> File:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return File()
    except UnicodeDecodeError as exc:
        raise BadSettings(path, exc) from exc
    try:
        return msgspec.convert(tomllib.loads(text), File)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as exc:
        raise BadSettings(path, exc) from exc
