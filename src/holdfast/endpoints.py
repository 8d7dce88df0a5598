"""Model endpoints: where models are served, and the key that opens each.

They come from three places; the first that knows a name wins: `endpoints.json` in the home, which the page writes;
`[endpoints.NAME]` in `config.toml`, which holds no keys; and the environment, where the usual variables are looked for.

Law: a key is in a file that only its owner can read, or in the environment, and in this process. What may leave the
process is `public`, which has no key in it.
"""

import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from holdfast.core.errors import Refused
from holdfast.settings import Settings

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
USUAL: Mapping[str, str] = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1"}
"""Endpoints that are there as soon as `NAME_API_KEY` is in the environment."""


class KeysExposed(Refused):
    """{0} holds keys, and others can read it. Close it with: chmod 600 {0}"""


class EndpointsUnreadable(Refused):
    """{0} can't be read: {1}. Correct it, or remove it and add your endpoints again."""


class BadEndpoint(Refused):
    """{0}"""

    status = 400


class NoSuchEndpoint(Refused):
    """There is no endpoint {0!r} that was added on the page."""

    status = 404


Source = Literal["page", "config", "environment"]


class Stored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of `endpoints.json`."""

    base_url: str
    key: str = ""
    key_env: str = ""
    models: tuple[str, ...] = ()
    default_model: str = ""
    window: int = 0


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """`key` is what opens it, wherever it came from; `key_env` names the variable if it came from one.

    `window` is how many tokens its models can look at; 0 if that is not known.
    """

    name: str
    base_url: str
    key: str = ""
    key_env: str = ""
    models: tuple[str, ...] = ()
    default_model: str = ""
    window: int = 0
    source: Source = "page"

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.base_url!r})"

    @property
    def offered(self) -> tuple[str, ...]:
        """Its models as a session names them, the default one first."""
        names = dict.fromkeys([*([self.default_model] if self.default_model else []), *self.models])
        return tuple(f"{self.name}/{model}" for model in names)


class PublicEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What may be shown of an endpoint."""

    name: str
    base_url: str
    has_key: bool
    key_from: Literal["", "file", "environment"]
    key_env: str
    models: tuple[str, ...]
    default_model: str
    window: int
    source: Source


def public(endpoint: Endpoint) -> PublicEndpoint:
    return PublicEndpoint(
        name=endpoint.name,
        base_url=endpoint.base_url,
        has_key=bool(endpoint.key),
        key_from="" if not endpoint.key else "environment" if endpoint.key_env else "file",
        key_env=endpoint.key_env,
        models=endpoint.models,
        default_model=endpoint.default_model,
        window=endpoint.window,
        source=endpoint.source,
    )


def split(model: str) -> tuple[str, str]:
    """The endpoint and the model that a session's model names. A model's own name may hold slashes."""
    endpoint, _, name = model.partition("/")
    return endpoint, name


def read_endpoints(settings: Settings, environ: Mapping[str, str]) -> dict[str, Endpoint]:
    """Every endpoint by its name. Raise `KeysExposed` or `EndpointsUnreadable`."""
    found = {endpoint.name: endpoint for endpoint in _in_environment(environ)}
    for name, entry in settings.file.endpoints.items():
        found[name] = Endpoint(
            name=name,
            base_url=entry.base_url,
            key=environ.get(entry.key_env, ""),
            key_env=entry.key_env,
            models=entry.models,
            default_model=entry.default_model,
            window=entry.window,
            source="config",
        )
    for name, stored in _stored(settings.endpoints).items():
        fields = msgspec.structs.asdict(stored)
        fields["key"] = stored.key or environ.get(stored.key_env, "")
        found[name] = Endpoint(name=name, **fields)
    return found


def save_endpoint(settings: Settings, endpoint: Endpoint) -> None:
    """Add an endpoint, or replace the one of that name. Raise `BadEndpoint` if it can't be one."""
    if not NAME.fullmatch(endpoint.name):
        raise BadEndpoint("An endpoint's name is 1 to 64 letters, digits, dots, dashes or underscores.")
    if not re.match(r"https?://[^/\s]+", endpoint.base_url):
        raise BadEndpoint("An endpoint's address begins with http:// or https://, like http://127.0.0.1:11434/v1.")
    if any(ord(letter) < 33 or ord(letter) > 126 for letter in endpoint.key):
        raise BadEndpoint("This key has a space, a line break or an unusual character in it. Copy it again.")
    stored = Stored(
        base_url=endpoint.base_url,
        key="" if endpoint.key_env else endpoint.key,  # what the environment holds is not copied to the disk
        key_env=endpoint.key_env,
        models=endpoint.models,
        default_model=endpoint.default_model,
        window=endpoint.window,
    )
    _write(settings.endpoints, _stored(settings.endpoints) | {endpoint.name: stored})


def remove_endpoint(settings: Settings, name: str) -> None:
    """Forget an endpoint and its key. Raise `NoSuchEndpoint` if the page did not add it."""
    stored = _stored(settings.endpoints)
    if stored.pop(name, None) is None:
        raise NoSuchEndpoint(name)
    _write(settings.endpoints, stored)


def key_names(settings: Settings) -> tuple[str, ...]:
    """The variables that may hold a key of an endpoint. Never raises."""
    try:
        stored = _stored(settings.endpoints)
    except Refused:
        stored = {}
    named = [entry.key_env for entry in (*settings.file.endpoints.values(), *stored.values()) if entry.key_env]
    return tuple(dict.fromkeys([*(f"{name.upper()}_API_KEY" for name in USUAL), *named]))


def key_variables(settings: Settings) -> tuple[str, ...]:
    """The variables that the built-in agent needs to find its endpoints and their keys. Never raises."""
    return (*key_names(settings), *(f"{name.upper()}_BASE_URL" for name in USUAL))


def known_keys(endpoints: Iterable[Endpoint]) -> tuple[str, ...]:
    """The keys themselves, for whoever has to make sure that none of them leaves."""
    return tuple(dict.fromkeys(endpoint.key for endpoint in endpoints if endpoint.key))


def _in_environment(environ: Mapping[str, str]) -> Iterable[Endpoint]:
    for name, address in USUAL.items():
        variable = f"{name.upper()}_API_KEY"
        if key := environ.get(variable, ""):
            base_url = environ.get(f"{name.upper()}_BASE_URL") or address
            yield Endpoint(name=name, base_url=base_url, key=key, key_env=variable, source="environment")


def _stored(path: Path) -> dict[str, Stored]:
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            if stat.S_IMODE(about.st_mode) & 0o077 or about.st_uid != os.getuid():
                raise KeysExposed(path)
            return msgspec.json.decode(file.read(), type=dict[str, Stored])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as exc:
        raise EndpointsUnreadable(path, exc) from exc


def _write(path: Path, stored: Mapping[str, Stored]) -> None:
    """All or nothing, and never readable by others, not even for a moment."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.draft")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(stored), indent=2) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
