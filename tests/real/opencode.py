"""OpenCode as it comes from its registry, in a home of its own, with a model on loopback."""

import json
from pathlib import Path

from tests.journeys.house import QUIET
from tests.real.opencode_model import NAME
from tests.real.packages import npm_package

VERSION = "1.18.33"


def program() -> Path:
    return npm_package("opencode-ai", VERSION, "opencode")


def config(place: Path, url: str) -> str:
    """A `config.toml` whose agent `opencode` keeps everything in `place` and fetches nothing."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "opencode.json").write_text(json.dumps(_settings(url)))
    kinds = {"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"}
    environment = {
        "HOME": str(place),
        **{name: str(place / kind) for name, kind in kinds.items()},
        "OPENCODE_CONFIG": str(place / "opencode.json"),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in environment.items()]
    command = json.dumps([str(program()), "acp"])
    return "\n".join([QUIET, "[agents.opencode]", f"command = {command}", "[agents.opencode.env]", *lines, ""])


def _settings(url: str) -> dict[str, object]:
    model = {"name": "Mock", "reasoning": True, "limit": {"context": 128_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",  # comes inside the program: nothing is fetched for it
        "name": "Mock",
        "options": {"baseURL": url, "apiKey": "sk-mock"},
        "models": {NAME: model},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "model": f"mock/{NAME}",
        "small_model": f"mock/{NAME}",
        "enabled_providers": ["mock"],
        "provider": {"mock": provider},
        "permission": {"bash": {"*": "allow", "touch *": "ask"}},
    }
