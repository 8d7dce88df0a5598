import os
from pathlib import Path

import pytest

from holdfast.agents.acp.files import NoFile, NotReadable, NotWritable, read_text, write_text
from holdfast.core.errors import Refused
from holdfast.workspace.files import OutOfBounds, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "work").mkdir()
    (tmp_path / "outside").write_text("secret")
    return Workspace(tmp_path / "work")


@pytest.mark.parametrize(
    ("line", "limit", "read"),
    [
        (None, None, "one\r\ntwo\nthree"),
        (2, None, "two\nthree"),
        (2, 1, "two\n"),
        (None, 2, "one\r\ntwo\n"),
        (0, 1, "one\r\n"),
        (4, None, ""),
        (1, 0, ""),
    ],
)
def test_lines_are_counted_from_one_and_kept_as_they_are(
    workspace: Workspace, line: int | None, limit: int | None, read: str
) -> None:
    (workspace.root / "a").write_bytes(b"one\r\ntwo\nthree")
    assert read_text(workspace, "a", line, limit) == read
    assert read_text(workspace, str(workspace.root / "a"), line, limit) == read


def test_what_was_written_is_what_is_read_and_permissions_stay(workspace: Workspace) -> None:
    write_text(workspace, "new/folder/a", "höhe\r\n")
    target = workspace.root / "new/folder/a"
    target.chmod(0o750)
    write_text(workspace, str(target), "other")
    assert target.read_text() == "other"
    assert target.stat().st_mode & 0o777 == 0o750
    assert [path.name for path in target.parent.iterdir()] == ["a"]


def test_a_link_that_stays_inside_is_followed_and_stays_a_link(workspace: Workspace) -> None:
    (workspace.root / "a").write_text("old")
    (workspace.root / "link").symlink_to("a")
    write_text(workspace, "link", "new")
    assert (workspace.root / "a").read_text() == "new"
    assert (workspace.root / "link").is_symlink()


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "file-link", "folder-link/outside", "deep/../../outside"]
)
def test_nothing_outside_is_read_or_written(workspace: Workspace, path: str) -> None:
    (workspace.root / "file-link").symlink_to("../outside")
    (workspace.root / "folder-link").symlink_to("..")
    (workspace.root / "a").mkdir()
    with pytest.raises(OutOfBounds, match="outside of the workspace"):
        read_text(workspace, path)
    with pytest.raises(OutOfBounds):
        write_text(workspace, path, "changed")
    assert (workspace.root.parent / "outside").read_text() == "secret"


def test_what_is_excluded_is_excluded_unless_it_holds_the_workspace(tmp_path: Path) -> None:
    home = tmp_path / "home"
    own = home / "workspaces" / "s"
    own.mkdir(parents=True)
    (home / "token").write_text("secret")
    (own / "a").write_text("mine")
    with pytest.raises(OutOfBounds, match="belongs to Holdfast"):
        read_text(Workspace(tmp_path, [home]), "home/token")
    assert read_text(Workspace(own, [home]), "a") == "mine"


def test_what_is_no_text_file_is_refused_in_a_sentence(workspace: Workspace) -> None:
    (workspace.root / "binary").write_bytes(b"\xff\xfe\x00")
    (workspace.root / "loop").symlink_to("loop")
    os.mkfifo(workspace.root / "pipe")
    (workspace.root / "folder").mkdir()
    for path, refusal, words in [
        ("missing", NoFile, "There is no file missing"),
        ("binary", NotReadable, "not UTF-8"),
        ("pipe", OutOfBounds, "no ordinary file"),
        ("folder", OutOfBounds, "no ordinary file"),
        ("loop", Refused, "loop"),
        ("a\0b", OutOfBounds, "no path"),
    ]:
        with pytest.raises(refusal, match=words):
            read_text(workspace, path)
    for path in ("pipe", "folder"):
        with pytest.raises(NotWritable, match="no ordinary file"):
            write_text(workspace, path, "x")
    with pytest.raises(NotWritable, match="half a character"):
        write_text(workspace, "a", "\ud800")
    assert not (workspace.root / "a").exists()


@pytest.mark.parametrize(
    "path", ["x" * 300, f"{'y' * 200}/" * 30 + "z", "file/x", "loop/x", "a\0b", "~nobody-of-that-name/x"]
)
def test_a_path_that_cant_be_looked_at_is_refused_in_a_sentence(workspace: Workspace, path: str) -> None:
    (workspace.root / "file").write_text("x")
    (workspace.root / "loop").symlink_to("loop")
    for refused in (lambda: read_text(workspace, path), lambda: write_text(workspace, path, "x")):
        with pytest.raises(Refused) as told:
            refused()
        assert str(told.value).endswith(".")
