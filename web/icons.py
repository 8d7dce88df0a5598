"""Draw the icons of the installed page from its favicon, by a browser of the machine: python web/icons.py

What it draws is kept beside the favicon, because a build has no browser. A maskable icon fills its square, and its
picture lies within the circle that every system leaves of it.
"""

import re
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = ROOT / "web/public"
PLAIN = {"icon-192.png": 192, "icon-512.png": 512}
FULL = {"icon-maskable-512.png": 512, "apple-touch-icon.png": 180}
INSET = "translate(2 2) scale(0.75)"
"""Where the picture lies in the 16 units of a square that is filled to its edges."""


def main() -> None:
    sys.path.insert(0, str(ROOT))
    from tests.browser.setup_chromium import find_chromium

    favicon = (PUBLIC / "favicon.svg").read_text("utf-8")
    filled = re.sub(r' rx="\d+"', "", favicon).replace("<path ", f'<path transform="{INSET}" ')
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--headless"])
        for name, size, picture in [(n, s, favicon) for n, s in PLAIN.items()] + [
            (n, s, filled) for n, s in FULL.items()
        ]:
            page = browser.new_page(viewport={"width": size, "height": size})
            sized = picture.replace("<svg ", f'<svg width="{size}" height="{size}" style="display:block" ')
            page.set_content(f'<body style="margin:0">{sized}</body>')
            page.screenshot(path=PUBLIC / name, omit_background=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
