"""A browser is led to the link without anybody else on the machine seeing its code."""

import stat
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from holdfast.server.browser import forget, open_in_browser

LINK = "http://127.0.0.1:8787/#code=the-code_1"


class Screen(webbrowser.BaseBrowser):
    """Keeps what it was started with, as its command line would show it."""

    def __init__(self) -> None:
        super().__init__("screen")
        self.shown: list[str] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:  # noqa: FBT001, FBT002, ARG002  its shape
        self.shown.append(url)
        return True


def test_the_code_is_in_no_command_line_but_in_a_file_of_the_owners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen()
    monkeypatch.setattr(webbrowser, "get", lambda: screen)
    home = tmp_path / "a home"
    home.mkdir()
    open_in_browser(home, LINK)
    (shown,) = screen.shown
    assert "the-code_1" not in shown
    page = Path(unquote(urlsplit(shown).path))
    assert page.parent == home
    assert f'content="0; url={LINK}"' in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    forget(home)
    forget(home)
    assert not page.exists()


def test_without_a_screen_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> webbrowser.BaseBrowser:
        raise webbrowser.Error

    for found in (none, lambda: webbrowser.GenericBrowser("lynx")):
        monkeypatch.setattr(webbrowser, "get", found)
        open_in_browser(tmp_path, LINK)
    assert list(tmp_path.iterdir()) == []
