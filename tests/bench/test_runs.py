"""The measurements run: what they measure is there, and a server is measured by its address in both languages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.house import House

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow]


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


def test_a_quick_run_writes_a_table_a_file_and_a_picture(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("n.json", "n.svg")]
    done = run("-m", "bench", "--quick", "--json", paths[0], "--plot", paths[1], "list", "http", "import")
    assert done.returncode == 0, done.stderr
    numbers = json.loads(Path(paths[0]).read_bytes())["numbers"]
    assert {each["group"] for each in numbers} == {"list", "http", "import"}
    assert all(each["value"] > 0 for each in numbers)
    assert "http: open a session of 2,000 messages" in done.stdout
    assert Path(paths[1]).read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize("language", [(), ("--dialect",)])
def test_a_server_is_measured_by_its_address(tmp_path: Path, language: tuple[str, ...]) -> None:
    with House(tmp_path / "home") as house:
        server = house.start()
        # Long enough that a client which comes late still hears it in pieces.
        said = ("--say", "!stream 60 50", "--rounds", "2", "--json", str(tmp_path / "n.json"))
        done = run("bench/http.py", "--base", server.link, "--token", server.token.strip(), *said, *language)
        assert done.returncode == 0, done.stderr
        assert [each["name"] for each in json.loads((tmp_path / "n.json").read_bytes())["numbers"]] == [
            "the session list",
            "message to first word",
            "open the session",
            "between two pieces of the answer",
        ]
        refused = run("bench/http.py", "--base", server.link, "--token", "wrong", "--rounds", "1")
        assert refused.returncode == 1
        assert "did not answer as it should" in refused.stderr
