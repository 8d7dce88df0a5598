"""One settings object, and clear words about what can't be used."""

from pathlib import Path

import pytest

from holdfast.settings import BadSettings, read_settings


def test_the_home_is_in_the_users_folder_unless_said_otherwise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without an environment variable or an option the home is ~/.holdfast."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_settings({}).home == tmp_path / ".holdfast"


def test_an_option_beats_the_environment(tmp_path: Path) -> None:
    """The nearer word wins."""
    environ = {"HOLDFAST_HOME": str(tmp_path / "from-environment")}
    assert read_settings(environ).home == tmp_path / "from-environment"
    assert read_settings(environ, home=tmp_path / "from-option").home == tmp_path / "from-option"


def test_a_relative_home_does_not_move_with_the_working_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The home is absolute from the start."""
    monkeypatch.chdir(tmp_path)
    assert read_settings({"HOLDFAST_HOME": "here"}).home == tmp_path / "here"


def test_the_file_is_read(tmp_path: Path) -> None:
    """config.toml in the home sets what it names and leaves the rest alone."""
    (tmp_path / "config.toml").write_text('[server]\nport = 9000\n[log]\nlevel = "debug"\n')
    settings = read_settings({}, home=tmp_path)
    assert (settings.file.server.port, settings.file.server.host, settings.file.log.level) == (
        9000,
        "127.0.0.1",
        "debug",
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[server\n", "config.toml"),
        ("[server]\nport = 'eighty'\n", "$.server.port"),
        ("[server]\nprot = 80\n", "prot"),
        ("[log]\nlevel = 'loud'\n", "loud"),
    ],
)
def test_a_file_that_cant_be_used_is_named_with_the_reason(tmp_path: Path, text: str, hint: str) -> None:
    """Nothing is guessed: a wrong line is pointed at."""
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(BadSettings) as refusal:
        read_settings({}, home=tmp_path)
    assert hint in str(refusal.value)
    assert "config.toml" in str(refusal.value)


def test_bells_have_short_names_that_differ_by_home(tmp_path: Path) -> None:
    """A socket's path may have about a hundred characters, however long the home's is."""
    long_home = tmp_path / ("x" * 200)
    assert len(str(read_settings({}, home=long_home).bells.name)) < 40
    assert read_settings({}, home=long_home).bells != read_settings({}, home=tmp_path).bells
