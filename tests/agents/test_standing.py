import os
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.agents import catalog, standing
from holdfast.agents.known import KNOWN, TABLE, Known
from holdfast.agents.spec import AgentSpec
from holdfast.agents.standing import Standing, locate, located, look, package_version
from tests.journeys.house import alive
from tests.journeys.patience import wait_until

Environ = dict[str, str]


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    """A home with nothing in it, and a PATH with what every system has."""
    (tmp_path / "bin").mkdir()
    return {"HOME": str(tmp_path), "PATH": os.pathsep.join([str(tmp_path / "bin"), "/usr/bin", "/bin"])}


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., Path]:
    def install(name: str, body: str = "echo 1.2.3", folder: str = "bin") -> Path:
        program = tmp_path / folder / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        return program

    return install


def test_the_table_names_ten_agents_and_each_says_what_to_do() -> None:
    assert [(known.name, " ".join(known.command)) for known in TABLE] == [
        ("opencode", "opencode acp"),
        ("gemini", "gemini --acp"),
        ("claude", "claude-agent-acp"),
        ("codex", "codex-acp"),
        ("goose", "goose acp"),
        ("qwen", "qwen --acp"),
        ("copilot", "copilot --acp"),
        ("cline", "cline --acp"),
        ("kimi", "kimi acp"),
        ("openclaw", "openclaw acp"),
    ]
    assert all(known.install and known.sign_in and known.keys and known.accounts for known in TABLE)
    for known in TABLE:
        assert set(known.keys) <= set(catalog.find(known.name).keep)


@pytest.mark.parametrize("known", TABLE, ids=lambda known: known.name)
def test_each_is_missing_then_signed_out_then_ready(
    known: Known, environ: Environ, install: Callable[..., Path], tmp_path: Path
) -> None:
    spec = catalog.find(known.name)
    missing = look(spec, environ)
    assert not missing.installed
    assert missing.reason == f"{known.title} is not installed. Install it with `{known.install}`."
    install(known.command[0])
    signed_out = look(spec, environ)
    assert (signed_out.installed, signed_out.ready, signed_out.version) == (True, False, "1.2.3")
    assert known.sign_in in signed_out.reason
    assert look(spec, environ | {known.keys[0]: "key"}).ready
    for account in known.accounts:
        *folder, file = account.split(":")
        usual = tmp_path / (folder[1] if folder else file).removeprefix("~/")
        place = usual / file if folder else usual
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        assert look(spec, environ) == Standing(installed=True, ready=True, version="1.2.3")
        place.unlink()
        if folder:
            (tmp_path / "elsewhere" / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "elsewhere" / file).touch()
            assert look(spec, environ | {folder[0]: str(tmp_path / "elsewhere")}).ready


def test_a_program_off_the_path_is_found_and_started_by_its_whole_path(
    environ: Environ, install: Callable[..., Path]
) -> None:
    install("gemini", folder=".nvm/versions/node/v20.1.0/bin")
    new = install("gemini", folder=".nvm/versions/node/v22.1.0/bin")
    assert locate("gemini", environ) == new
    spec = located(catalog.find("gemini"), environ)
    assert spec.command == (str(new), "--acp")
    assert spec.env["PATH"] == f"{new.parent}{os.pathsep}{environ['PATH']}"
    nearer = install("gemini", folder=".local/bin")
    assert locate("gemini", environ) == nearer
    on_path = install("gemini")
    assert locate("gemini", environ) == on_path
    assert located(catalog.find("gemini"), environ) == catalog.find("gemini")


def test_the_version_comes_from_the_package_without_a_start(
    environ: Environ, install: Callable[..., Path], tmp_path: Path
) -> None:
    program = install("cli.js", "touch $HOME/started", folder="lib/node_modules/opencode-ai/bin")
    (program.parent.parent / "package.json").write_text('{"name": "opencode-ai", "version": "9.8.7"}')
    (tmp_path / "bin" / "opencode").symlink_to(program)
    assert package_version(tmp_path / "bin" / "opencode") == "9.8.7"
    assert look(catalog.find("opencode"), environ).version == "9.8.7"
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo 'It was not set up.' >&2; exit 1", "does not work: It was not set up. Install it again"),
        ("exit 127", "does not work: it ended with code 127. Install it again"),
    ],
)
def test_one_that_does_not_start_is_broken(
    environ: Environ, install: Callable[..., Path], body: str, said: str
) -> None:
    install("opencode", body)
    found = look(catalog.find("opencode"), environ, ask="always")
    assert (found.installed, found.ready, found.broken) == (True, False, True)
    assert said in found.reason


def test_one_that_is_slow_is_not_called_broken_and_leaves_nothing_behind(
    environ: Environ, install: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing, "ASKING", 2.0)
    install("opencode", "sleep 1000 & echo $! > $HOME/pid; wait")
    found = look(catalog.find("opencode"), environ | {"OPENCODE_API_KEY": "key"})
    assert found == Standing(installed=True, ready=True)
    said = tmp_path / "pid"
    for pid in said.read_text().split() if said.exists() else []:  # a busy machine may not have got that far
        # It is killed by then, and dies in its own time.
        wait_until(lambda pid=pid: not alive(int(pid)), "the end of what it started")


def test_an_agent_that_a_person_added_needs_only_its_program(environ: Environ, install: Callable[..., Path]) -> None:
    mine = AgentSpec(name="mine", title="Mine", command=("my-agent", "serve"))
    assert look(mine, environ).reason == ("my-agent is not there. Correct the command of [agents.mine] in config.toml.")
    install("my-agent", "exit 1")
    assert look(mine, environ, ask="always") == Standing(installed=True, ready=True)
    other = AgentSpec(name="gemini", title="Mine", command=("my-agent",))
    assert look(other, environ, ask="always").ready


def test_no_key_of_one_agent_reaches_another() -> None:
    assert "GH_TOKEN" not in catalog.find("opencode").keep
    assert "ANTHROPIC_API_KEY" not in catalog.find("codex").keep
    assert "OPENAI_API_KEY" not in catalog.find("gemini").keep


READY, UNREADY = Standing(installed=True, ready=True), Standing(installed=True, ready=False, reason="No.")


def test_names_are_unique_and_are_names() -> None:
    assert len(KNOWN) == len(TABLE) == 10
    assert all(name.isalpha() and name.islower() for name in KNOWN)
