"""Finding Hermes: by setting, by command, where installers put it; and what is said when it can't be used."""

from pathlib import Path

import apsw
import pytest

from holdfast.agents.hermes.find import BRIDGE, Found, find_hermes, spec
from holdfast.agents.hermes.sessions import list_sessions
from holdfast.server.examination import look_at_hermes
from holdfast.settings import File, HermesSettings, Settings


@pytest.fixture(autouse=True)
def nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine may have a Hermes of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    (tmp_path / "bin").mkdir()


def environment(folder: Path, *, version: str = "0.19.0", whole: bool = True) -> Path:
    """What an installed Hermes looks like."""
    packages = folder / "lib" / "python3.11" / "site-packages"
    (packages / f"hermes_agent-{version}.dist-info").mkdir(parents=True)
    if whole:
        (packages / "run_agent.py").touch()
    (folder / "bin").mkdir()
    (folder / "pyvenv.cfg").touch()
    python = folder / "bin" / "python"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    return python


def command(folder: Path, text: str) -> None:
    path = folder / "hermes"
    path.write_text(text)
    path.chmod(0o755)


def settings(tmp_path: Path, **hermes: str) -> Settings:
    return Settings(home=tmp_path / "home", file=File(hermes=HermesSettings(**hermes)))


def test_without_hermes_a_sentence_says_how_to_get_it(tmp_path: Path) -> None:
    found = find_hermes(settings(tmp_path))
    assert found.problem.startswith("Hermes is not installed. Install it with: ")
    finding = look_at_hermes(settings(tmp_path))
    assert finding.fine, "nobody has to have Hermes"
    assert finding.sentence == found.problem


def test_the_setting_names_a_python(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv")
    found = find_hermes(settings(tmp_path, python=str(python), home=str(tmp_path / "data")))
    assert (found.python, found.version, found.problem) == (str(python), "0.19.0", "")
    assert found.state == tmp_path / "data"
    started = spec(found)
    assert started.command == (str(python), "-P", str(BRIDGE))
    assert started.env == {"HERMES_HOME": str(tmp_path / "data"), "HERMES_DISABLE_LAZY_INSTALLS": "1"}


@pytest.mark.parametrize(
    "script",
    [
        "#!{python}\nimport sys\n",
        '#!/bin/sh\nexec "{python}" -m hermes_cli.main "$@"\n',
        "#!/usr/bin/env bash\nexec {folder}/bin/hermes $@\n",
    ],
)
def test_the_command_leads_to_its_python(tmp_path: Path, script: str) -> None:
    python = environment(tmp_path / "venv", version="0.20.1")
    command(tmp_path / "venv" / "bin", f"#!{python}\n")
    command(tmp_path / "bin", script.format(python=python, folder=tmp_path / "venv"))
    found = find_hermes(settings(tmp_path))
    assert (found.python, found.version, found.problem) == (str(python), "0.20.1", "")


def test_a_command_that_is_a_link_into_its_environment(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv")
    command(tmp_path / "venv" / "bin", f"#!{python}\n")
    (tmp_path / "bin" / "hermes").symlink_to(tmp_path / "venv" / "bin" / "hermes")
    assert find_hermes(settings(tmp_path)).python == str(python)


def test_known_places_are_looked_at(tmp_path: Path) -> None:
    python = environment(tmp_path / "person" / ".hermes" / "hermes-agent" / "venv")
    assert find_hermes(settings(tmp_path)).python == str(python)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ("damaged", "is damaged: its main module is missing. Reinstall it."),
        ("gone", "does not exist. Reinstall Hermes, or correct the setting."),
        ("empty", "has no Hermes. Install it there with: "),
        ("folder", "is not a program. Name the Python of Hermes there."),
    ],
)
def test_a_broken_hermes_is_said_to_be_broken(tmp_path: Path, broken: str, sentence: str) -> None:
    python = environment(tmp_path / "venv", whole=broken != "damaged")
    if broken == "gone":
        python.unlink()
    if broken == "empty":
        (tmp_path / "venv/lib/python3.11/site-packages/hermes_agent-0.19.0.dist-info").rmdir()
    named = python.parent if broken == "folder" else python
    chosen = settings(tmp_path, python=str(named))
    assert sentence in find_hermes(chosen).problem
    finding = look_at_hermes(chosen)
    assert not finding.fine
    assert sentence in finding.sentence


def test_a_profile_is_a_home_of_its_own(tmp_path: Path) -> None:
    python, home = environment(tmp_path / "venv"), tmp_path / "data"
    (home / "profiles" / "work").mkdir(parents=True)
    chosen = settings(tmp_path, python=str(python), home=str(home), profile="work")
    assert spec(find_hermes(chosen)).env["HERMES_HOME"] == str(home / "profiles" / "work")
    missing = find_hermes(settings(tmp_path, python=str(python), home=str(home), profile="play"))
    assert missing.problem.startswith("Hermes has no profile 'play'")
    (home / "active_profile").write_text("work\n")
    assert find_hermes(settings(tmp_path, python=str(python), home=str(home))).profile == "work"


def test_hermes_own_sessions_are_listed(tmp_path: Path) -> None:
    found = Found(python="python", version="0.19.0", home=tmp_path)
    assert list_sessions(found) == []
    database = apsw.Connection(str(tmp_path / "state.db"))
    database.execute(
        "CREATE TABLE sessions(id, source, title, started_at, message_count, parent_session_id, archived);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id, role, content);"
        "INSERT INTO sessions VALUES('a','cli','Old', 10.5, 4, NULL, 0),('b','telegram',NULL, 20, 2, NULL, 0),"
        "('c','cli','Hidden', 30, 2, NULL, 1),('d','subagent','Below', 40, 2, 'a', 0),"
        "('e','cli','Empty', 50, 0, NULL, 0);"
        "INSERT INTO messages(session_id, role, content) VALUES('a','user','hi'),('b','user','What  is\nnew?'),"
        "('c','user','x'),('d','user','x')"
    )
    database.close()
    listed = list_sessions(found)
    assert [(s.id, s.title, s.source, s.started, s.messages) for s in listed] == [
        ("b", "What is new?", "telegram", 20_000, 2),
        ("a", "Old", "cli", 10_500, 4),
    ]


def test_what_is_no_database_of_hermes_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"something else")
    assert list_sessions(Found(python="python", version="0.19.0", home=tmp_path)) == []
