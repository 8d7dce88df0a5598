"""The first run, from what is on the machine to what the page is offered: a real survey, over real HTTP."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.hermes.installed import LACKING, install_hermes
from tests.agents.ollama import models_served
from tests.served import Served, served
from tests.server.test_agents import looked
from tests.server.unsupervised import COMMAND

pytestmark = pytest.mark.slow


@pytest.fixture
def port() -> Iterator[int]:
    """Where models are served on this machine."""
    with models_served() as port:
        yield port


@pytest.fixture(autouse=True)
def nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What else this machine has is not to be found."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    for name in ("HOLDFAST_AGENT", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "HERMES_HOME", "HERMES_WEBUI_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return home


def configure(home: Path, python: Path) -> None:
    (home / "config.toml").write_text(f'[hermes]\npython = "{python}"\nhome = "{home.parent / "hermes"}"\n')


def made(server: Served) -> str:
    """The agent of a session that names none."""
    with server.client() as client:
        session = client.post("/api/sessions", json={}).json()["id"]
        return client.get(f"/api/sessions/{session}").json()["session"]["agent"]


def test_a_hermes_that_works_is_offered_and_taken(home: Path) -> None:
    """It was found by its setting and started to see that it works."""
    configure(home, install_hermes(home.parent / "venv"))
    with served(home, command=COMMAND) as server, server.client() as client:
        assert made(server) == "hermes", "at once"
        found = looked(client)
        hints = [(hint["what"], hint["name"], hint["detail"]) for hint in found["hints"]]
        assert ("agent", "hermes", "0.19.0") in hints
        assert found["default"] == made(server) == "hermes"


def test_a_hermes_that_does_not_work_is_neither_offered_nor_taken(home: Path) -> None:
    """The list says why."""
    configure(home, install_hermes(home.parent / "venv", run_agent=LACKING))
    with served(home, command=COMMAND) as server, server.client() as client:
        found = looked(client)
        assert "agent" not in [hint["what"] for hint in found["hints"]]
        (hermes,) = [agent for agent in found["agents"] if agent["name"] == "hermes"]
        assert (hermes["installed"], hermes["ready"]) == (True, False)
        assert "No module named 'a_package_that_was_not_installed'" in hermes["reason"]
        assert found["default"] == made(server) == "tour"


def test_models_that_are_served_on_this_machine_are_offered_and_taken(
    home: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One press: what the hint says is what is saved, and then a session works with it."""
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{port}")
    with served(home, command=COMMAND) as server, server.client() as client:
        found = looked(client)
        (hint,) = [hint for hint in found["hints"] if hint["what"] == "endpoint"]
        assert (hint["name"], hint["title"], hint["detail"]) == ("ollama", "Ollama", "2 models on this machine")
        assert (hint["base_url"], hint["models"]) == (f"http://127.0.0.1:{port}/v1", ["llama", "qwen"])
        assert found["default"] == "tour"
        wish = {"base_url": hint["base_url"], "models": hint["models"]}
        client.put(f"/api/endpoints/{hint['name']}", json=wish).raise_for_status()
        found = looked(client)
        assert found["default"] == made(server) == "builtin"
        assert "endpoint" not in [hint["what"] for hint in found["hints"]], "it has been added"


def test_a_program_that_hangs_costs_no_session_its_agent(home: Path, tmp_path: Path) -> None:
    """It is asked for its version and never says one; what a session gets does not depend on it."""
    configure(home, install_hermes(tmp_path / "venv"))
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "goose"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\nsleep 600\n")
    program.chmod(0o755)
    with served(home, command=COMMAND) as server, server.client() as client:
        assert made(server) == "hermes"
        assert {"hermes", "goose", "tour"} <= {agent["name"] for agent in client.get("/api/agents").json()["agents"]}
        looked(client)
        assert (tmp_path / "asked").exists()
