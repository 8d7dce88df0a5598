"""What the page says in each language, and what of another language is in sight."""

import functools
import json
import re
import subprocess
import sys

import hatch_build
from tests.browser.desk import Seat

GAP = "¤"
SEEN = """() => {
    const shown = (node) => node.checkVisibility({checkOpacity: false, checkVisibilityCSS: true})
    const found = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) if (shown(walker.currentNode.parentElement)) found.push(walker.currentNode.data)
    for (const node of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
        if (shown(node))
            for (const name of ['aria-label', 'title', 'placeholder', 'alt']) found.push(node.getAttribute(name) ?? '')
    return [document.title, ...found].map((text) => text.trim()).filter((text) => text !== '')
}"""
CUT = """() => [...document.querySelectorAll('button, a.quiet, label, summary, h1, h2, h3, .row, .foot, .actions')]
    .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth + 1)
    .filter((node) => node.clientWidth > 1 && getComputedStyle(node).textOverflow !== 'ellipsis')
    .map((node) => node.textContent.trim()).filter((text) => text !== '')"""


@functools.cache
def words(language: str) -> dict[str, str]:
    """All that the page can say, by its path; what is left open is `GAP`."""
    command = [sys.executable, "hatch_build.py", "npm", "exec", "--silent", "-c", "node words.mjs"]
    ran = subprocess.run(command, cwd=hatch_build.ROOT, check=True, capture_output=True, text=True, encoding="utf-8")
    return json.loads(ran.stdout)[language]


def pattern(said: str) -> re.Pattern[str]:
    return re.compile(".+".join(re.escape(part) for part in said.split(GAP)), re.DOTALL)


@functools.cache
def foreign(other: str, language: str) -> list[re.Pattern[str]]:
    """What only somebody who speaks the other language would say."""
    ours = set(words(language).values())
    theirs = {said for said in words(other).values() if said not in ours and re.search(r"\w\w", said)}
    return [pattern(said) for said in theirs]


def in_sight(seat: Seat, other: str, language: str) -> list[str]:
    """What is seen or heard in the page, of what the other language says."""
    seen: list[str] = seat.page.evaluate(SEEN)
    parts = [part for text in seen for part in (text, *text.split(" · "))]
    return [part for part in parts if any(each.fullmatch(part) for each in foreign(other, language))]


def cut_off(seat: Seat) -> list[str]:
    """Buttons, headings, and rows of buttons, that have no room for their words."""
    return list(seat.page.evaluate(CUT))
