"""`config.toml` as it goes into a backup: without what lets in anywhere.

Blank become what an agent is given under the name of a secret, and the address of a hook, which is one. A file that
held such is written anew, without its comments: an old key may stand there too.
"""

import tomllib
from typing import Any, cast

import msgspec

from holdfast.core.mask import SECRET_NAME

Table = dict[str, Any]


def blanked(text: str) -> str:
    """Raise `TOMLDecodeError` if it is no TOML: then nobody can say what it holds."""
    before = tomllib.loads(text)
    after = _without_secrets(before)
    return (
        text if after == before else "".join(f"{written(name)} = {written(value)}\n" for name, value in after.items())
    )


def _without_secrets(document: Table) -> Table:
    changed = dict(document)
    if _table(document.get("notify")).get("url"):
        changed["notify"] = _table(document["notify"]) | {"url": ""}
    if agents := _table(document.get("agents")):
        changed["agents"] = {name: _without_keys(agent) for name, agent in agents.items()}
    return changed


def _without_keys(agent: Any) -> Any:
    env = _table(_table(agent).get("env"))
    return _table(agent) | {"env": {name: _blank(name, value) for name, value in env.items()}} if env else agent


def _blank(name: str, value: Any) -> Any:
    return "" if SECRET_NAME.search(name) else value


def _table(value: Any) -> Table:
    return cast("Table", value) if isinstance(value, dict) else {}


def written(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(name)} = {written(part)}" for name, part in _table(value).items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(written, cast('list[Any]', value)))}]"
    if isinstance(value, str | bool):  # JSON's words are TOML's, but for one character that JSON leaves as it is
        return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
    return str(value)  # numbers and times are written as they are read
