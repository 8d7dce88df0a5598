"""Open the page where there is a screen."""

import webbrowser


def open_in_browser(link: str) -> None:
    """Open the link. A browser that would take over the terminal is not started."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    takes_terminal = isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    )
    if not takes_terminal:
        browser.open(link)
