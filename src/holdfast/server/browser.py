"""Open the page where there is a screen.

Law: the code of a link is in no command line. Everybody on the machine can read those of everybody's programs, and
whoever is first uses the code. So a browser is given a file that only its owner can read, which leads on to the link.
"""

import webbrowser
from html import escape
from pathlib import Path

from holdfast.server import private

FILE = "open.html"
LEADING = '<!doctype html><meta http-equiv="refresh" content="0; url={0}"><a href="{0}">Holdfast</a>\n'


def open_in_browser(home: Path, link: str) -> None:
    """Open the link. A browser that would take over the terminal is not started."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    takes_terminal = isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    )
    if not takes_terminal:
        private.replace(home / FILE, LEADING.format(escape(link)))
        browser.open((home / FILE).absolute().as_uri())


def forget(home: Path) -> None:
    """Remove the file that led to a link."""
    (home / FILE).unlink(missing_ok=True)
