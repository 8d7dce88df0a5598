"""What is found on a machine, and whom a session gets that names nobody."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.agents import standing
from holdfast.agents.survey import Local, Surveyed, default_among, local_servers, take_survey
from holdfast.settings import File, HermesSettings, Settings
from tests.agents.hermes.installed import install_hermes
from tests.agents.ollama import models_served


@pytest.mark.parametrize(("hermes", "builtin", "other"), list(itertools.product([True, False], repeat=3)), ids=str)
def test_hermes_comes_first_then_a_model_then_the_tour(*, hermes: bool, builtin: bool, other: bool) -> None:
    agents = [
        Surveyed(name="other", title="", family="acp", ready=other),
        Surveyed(name="tour", title="", family="tour", ready=True),
        Surveyed(name="builtin", title="", family="builtin", ready=builtin),
        Surveyed(name="hermes", title="", family="hermes", ready=hermes),
    ]
    assert default_among(agents) == ("hermes" if hermes else "builtin" if builtin else "tour")


@pytest.fixture
def ollama() -> Iterator[Local]:
    with models_served() as port:
        yield Local("ollama", "Ollama", f"http://127.0.0.1:{port}/v1")


def test_what_is_on_the_machine_becomes_a_choice_of_one_press(
    tmp_path: Path, ollama: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    sessions = tmp_path / "old" / "webui" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "a.json").write_text("{}")
    environ = {
        "PATH": str(tmp_path),
        "HOME": str(tmp_path),
        "HERMES_HOME": str(tmp_path / "old"),
        "OPENAI_API_KEY": "k",
    }
    *_, found = take_survey(
        Settings(home=tmp_path / "home"), environ, [ollama, Local("none", "None", "http://127.0.0.1:9/v1")]
    )
    hints = {(hint.what, hint.name): hint for hint in found.hints}
    assert set(hints) == {("endpoint", "ollama"), ("key", "openai"), ("import", "hermes-webui")}
    assert hints["endpoint", "ollama"].models == ("llama", "qwen")
    assert hints["endpoint", "ollama"].detail == "2 models on this machine"
    assert hints["key", "openai"].detail == "OPENAI_API_KEY"
    assert hints["import", "hermes-webui"].detail == f"1 session in {tmp_path / 'old' / 'webui'}"
    assert found.default == "tour"


def test_what_files_tell_is_told_before_anybody_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that hangs when it is asked for its version holds up nothing but its own version."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(standing, "ASKING", 1.0)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "goose").write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\nsleep 600\n")
    (programs / "goose").chmod(0o755)
    file = File(hermes=HermesSettings(python=str(install_hermes(tmp_path / "venv")), home=str(tmp_path / "hermes")))
    environ = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path), "GOOSE_PROVIDER": "x"}
    surveys = take_survey(Settings(home=tmp_path / "home", file=file), environ, [])
    first = next(surveys)
    assert not (tmp_path / "asked").exists()
    assert (first.default, [(hint.what, hint.name) for hint in first.hints]) == (
        "hermes",
        [("agent", "hermes"), ("agent", "goose")],
    )
    (last,) = surveys
    assert (tmp_path / "asked").exists()
    assert last == first


@pytest.mark.parametrize(
    ("wanted", "port"),
    [
        ("127.0.0.1:11500", 11500),
        ("http://localhost:11500", 11500),
        ("0.0.0.0:11500", 11500),
        (":11500", 11500),
        ("", 11434),
        ("0.0.0.0", 11434),
        ("gpu.example.com:11500", 11434),
        ("127.0.0.1:many", 11434),
    ],
)
def test_ollama_is_looked_for_where_its_own_variable_says(wanted: str, port: int) -> None:
    """On this machine, and nowhere else."""
    assert local_servers({"OLLAMA_HOST": wanted})[0].base_url == f"http://127.0.0.1:{port}/v1"


def test_a_machine_with_nothing_has_the_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    environ = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    *_, found = take_survey(Settings(home=tmp_path / "home"), environ, [])
    assert [agent.name for agent in found.agents if agent.ready] == ["tour"]
    assert (found.hints, found.default) == ((), "tour")
