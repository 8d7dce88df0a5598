"""The one resolver: what lies outside stays outside, by whatever way it is named."""

import os
import sys
from pathlib import Path

import pytest

from holdfast.workspace.files import NoWorkspace, OutOfBounds, Workspace, check_root

PATH_MAX = 4096
"""Characters of a path that a system takes, at most."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a few files, links that lead out of it, and something outside worth reading."""
    root = tmp_path / "work"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("one\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret\n")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "file-link").symlink_to(tmp_path / "outside" / "secret.txt")
    (root / "chain").symlink_to(root / "link")
    (root / "inner").symlink_to(root / "src")
    (root / "dangling").symlink_to(tmp_path / "outside" / "not-yet")
    (root / "loop").symlink_to(root / "loop")
    (root / "keys").mkdir()
    return root


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root, excluded=(root / "keys",))


@pytest.mark.parametrize("path", ["src/a.py", "./src/../src/a.py", "inner/a.py", "new/deep/file.txt", ".", "src//a.py"])
def test_what_lies_inside_is_found(workspace: Workspace, path: str) -> None:
    assert workspace.resolve(path).is_relative_to(workspace.root)
    assert workspace.inside(path)


def test_an_absolute_path_inside_is_as_good(workspace: Workspace, root: Path) -> None:
    assert workspace.resolve(root / "src" / "a.py") == root / "src" / "a.py"


@pytest.mark.parametrize(
    "path",
    [
        "..", "../outside/secret.txt", "src/../../outside", "/etc/passwd", "/", "~", "~/x", "~root/x", "link",
        "link/secret.txt", "link/new.txt", "file-link", "chain/secret.txt", "dangling", "loop", "keys", "keys/x",
        "src/../keys/x", "", " ", "a\0b", "\ud800", ".env", "sub/.env.local", ".ssh/id_rsa", "server.pem",
        ".git-credentials",
    ],
)  # fmt: skip
def test_what_lies_outside_or_is_closed_is_refused_in_a_sentence(workspace: Workspace, path: str) -> None:
    with pytest.raises(OutOfBounds) as refused:
        workspace.resolve(path)
    assert str(refused.value).endswith(".")
    assert not workspace.inside(path)


def test_a_neighbour_with_the_same_beginning_is_outside(workspace: Workspace, root: Path) -> None:
    root.with_name("work-too").mkdir()
    with pytest.raises(OutOfBounds):
        workspace.resolve("../work-too/x")


def test_a_workspace_in_an_excluded_place_is_there_on_purpose(tmp_path: Path) -> None:
    (tmp_path / "home" / "workspaces" / "s1").mkdir(parents=True)
    workspace = Workspace(tmp_path / "home" / "workspaces" / "s1", excluded=(tmp_path / "home",))
    assert workspace.resolve("x") == tmp_path / "home" / "workspaces" / "s1" / "x"
    with pytest.raises(OutOfBounds):
        workspace.resolve("../../token")


@pytest.mark.parametrize("root", ["home", "home/workspaces", "home/logs", "home/workspaces/../store", "by-link"])
def test_no_other_place_of_a_home_is_a_workspace(tmp_path: Path, root: str) -> None:
    """Only the folders that a home holds for its sessions are worked in; its own stay closed, roots included."""
    home = tmp_path / "home"
    (home / "workspaces" / "s1").mkdir(parents=True)
    (tmp_path / "by-link").symlink_to(home)
    with pytest.raises(NoWorkspace, match="belongs to Holdfast itself"):
        check_root(tmp_path / root, home)
    for path in (".", "token", "workspaces/s1/x"):
        assert not Workspace(tmp_path / root, excluded=(home,)).inside(path)
    check_root(home / "workspaces" / "s1", home)
    check_root(tmp_path, home)


@pytest.mark.parametrize("folder", ["a\0b", "~nobody-of-that-name/x", "loop/x", "\ud800"])
def test_what_can_be_no_folder_is_refused_in_a_sentence(tmp_path: Path, folder: str) -> None:
    if folder == "loop/x" and sys.version_info >= (3, 13):
        pytest.skip("Python follows it as far as it goes; whoever starts there is told")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(NoWorkspace, match=r"^'.*' can't be a folder to work in \(.*[^.]\)\. Choose another one"):
        check_root(folder if folder[0] == "~" else f"{tmp_path}/{folder}", tmp_path / "home")


def test_what_lies_below_is_only_what_may_be_touched(workspace: Workspace, root: Path) -> None:
    (root / "keys" / "k").write_text("x")
    (root / ".ENV").write_text("x")
    (root / "skipped").mkdir()
    (root / "skipped" / "x").write_text("x")
    assert [path.name for path in workspace.below(root, {"skipped"})] == ["a.py"]


def test_what_cant_be_looked_at_hides_nothing_else(workspace: Workspace, root: Path) -> None:
    """One file whose whole path is longer than a system takes, as one in a folder that is closed to us."""
    below = os.open(root, os.O_RDONLY)
    length = len(str(root))
    while length < PATH_MAX - 20:
        name = "d" * min(200, PATH_MAX - 10 - length)
        os.mkdir(name, dir_fd=below)
        before, below = below, os.open(name, os.O_RDONLY, dir_fd=below)
        os.close(before)
        length += 1 + len(name)
    os.close(os.open("f" * 100, os.O_WRONLY | os.O_CREAT, dir_fd=below))
    os.close(below)
    (root / "z.py").write_text("x")
    found = {path.name for path in workspace.below(root)}
    assert found == {"a.py", "z.py"}


def test_examples_of_secrets_are_none(workspace: Workspace) -> None:
    assert workspace.inside(".env.example")


def test_a_link_put_in_the_way_after_the_look_is_not_followed(workspace: Workspace, root: Path, tmp_path: Path) -> None:
    real = workspace.resolve("src/a.py")
    real.unlink()
    real.symlink_to(tmp_path / "outside" / "secret.txt")
    with pytest.raises(OSError, match="symbolic"):
        workspace.read_bytes(real, 100)
    workspace.write_text(real, "mine\n")
    assert (tmp_path / "outside" / "secret.txt").read_text() == "secret\n"
    assert not (root / "src" / "a.py").is_symlink()


def test_a_folder_that_became_a_link_after_the_look_leads_nowhere(
    workspace: Workspace, root: Path, tmp_path: Path
) -> None:
    real = workspace.resolve("src/secret.txt")
    (root / "src").rename(root / "moved")
    (root / "src").symlink_to(tmp_path / "outside")
    with pytest.raises(OutOfBounds):
        workspace.read_bytes(real, 100)
    with pytest.raises(OutOfBounds):
        workspace.write_text(real, "mine\n")
    assert (tmp_path / "outside" / "secret.txt").read_text() == "secret\n"
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["secret.txt"]


def test_what_is_no_ordinary_file_is_not_opened(workspace: Workspace, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(OutOfBounds, match="no ordinary file"):
        workspace.read_bytes(workspace.resolve("pipe"), 1)


def test_a_file_is_written_whole_and_keeps_its_permissions(workspace: Workspace, root: Path) -> None:
    (root / "src" / "a.py").chmod(0o755)
    workspace.write_text(workspace.resolve("src/a.py"), "two\n")
    assert (root / "src" / "a.py").read_text() == "two\n"
    assert (root / "src" / "a.py").stat().st_mode & 0o777 == 0o755
    assert [path.name for path in (root / "src").iterdir()] == ["a.py"]
