"""The `holdfast` command as a person types it."""

import importlib.metadata

import pytest

from holdfast import __version__
from holdfast.cli import main, with_command


def test_the_version_has_one_source(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"holdfast {__version__}\n"
    assert importlib.metadata.version("holdfast") == __version__


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ([], ["serve"]),
        (["--port", "9000"], ["serve", "--port", "9000"]),
        (["serve", "--no-open"], ["serve", "--no-open"]),
        (["--help"], ["--help"]),
        (["--version"], ["--version"]),
    ],
)
def test_serve_is_meant_when_no_command_is_named(typed: list[str], meant: list[str]) -> None:
    assert with_command(typed) == meant


def test_an_unknown_command_is_refused_with_the_ones_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["srve"])
    assert end.value.code == 2
    assert "'serve'" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["x", "-1", "65536", "8.7"])
def test_a_port_that_is_none_is_refused_with_a_sentence(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([f"--port={port}"])
    assert end.value.code == 2
    assert f"'{port}' is no port. Give a number from 0 (any free one) to 65535." in capsys.readouterr().err
