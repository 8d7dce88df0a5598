"""Formulas are drawn in their own place: whole, and never over anything else."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, expect

from tests.browser.desk import Seat, Theme, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OUTSIDE = (
    r"would go$\kern-8.4em\raisebox{-5.9em}{\texttt{XXXXX}}$",
    r"would go$\kern-8.4em\smash{\raisebox{-5.9em}{\texttt{XXXXX}}}$",
    r"would go$\rlap{\raisebox{-5.9em}{\texttt{XXXXX}}}$",
    r"would go$\raisebox{-5.9em}{\rlap{\texttt{XXXXX}}}$",
)
USUAL = (
    r"A half $\frac{1}{2}$, a tower $\frac{\frac{a}{b}}{\frac{c}{d}}$, and $\dfrac{x^2}{y_1}$.",
    r"Roots $\sqrt{2}$, $\sqrt[3]{\frac{x}{y}}$ and $\sqrt{1+\sqrt{1+x}}$ in text.",
    r"Sums $\sum_{i=1}^{n} i^2$, $\displaystyle\sum_{i=1}^{n} f_i$, $\int_0^\infty e^{-x}\,dx$, $\prod_k a_k$.",
    r"Marks $\hat{x}$, $\vec{AB}$, $\overline{z}$, $\underbrace{a+b}_{c}$, $f''$, $x^{y^{z}}$, $a_{b_{c}}$.",
    r"Letters $f$, $j$, $\mathcal{Q}$, $\mathbb{R}$, $\lim_{x\to 0} f(x)$, $\binom{n}{k}$, $\left(\frac{a}{b}\right)$.",
    r"A matrix $\begin{pmatrix} a & b \\ c & d \end{pmatrix}$ among words.",
    "998. far\\n999. down\\n1000. a list",
)


def area(node: Locator, beside: float, *, mask: Sequence[Locator] = ()) -> bytes:
    """What is drawn where this is, and so much beside it."""
    box = node.bounding_box()
    assert box is not None
    across, down = box["width"] + 2 * beside, box["height"] + 2 * min(beside, 0)
    clip: FloatRect = {"x": box["x"] - beside, "y": box["y"] - min(beside, 0), "width": across, "height": down}
    return node.page.screenshot(clip=clip, mask=mask, animations="disabled")


ROUND = 16
FREE = """() => {
    const sheet = new CSSStyleSheet()
    sheet.insertRule('.prose, .prose .math { overflow: visible !important }')
    document.adoptedStyleSheets = [sheet]
}"""


@pytest.mark.contract("A10")
@pytest.mark.parametrize("formula", OUTSIDE)
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_no_formula_draws_into_a_card(
    chromium: Browser, house: House, person: Person, formula: str, screen: str
) -> None:
    """A card that waits looks the same whether the formula before it is there or not."""
    session = person.begin(title="Math")
    with desk(chromium, house, screen=screen, reduced_motion="reduce") as place:
        seat = place.tab(session)
        person.say(session, f"!say I will look what {formula}\n!approve rm -rf build")
        expect(seat.cards).to_have_count(1)
        expect(seat.page.locator(".math math")).to_have_count(1)
        seat.rest()
        drawn = card(seat)
        seat.shot(f"formula-{screen}")
        seat.page.evaluate("document.querySelector('.math').style.visibility = 'hidden'")
        assert card(seat) == drawn


def card(seat: Seat) -> bytes:
    """What is drawn in the card, but for its round corners. How long it has waited changes by itself."""
    return area(seat.cards, -ROUND, mask=[seat.cards.locator("header .meta")])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_usual_formulas_and_long_lists_are_whole(chromium: Browser, house: House, person: Person, theme: Theme) -> None:
    """They look the same whether they are kept in their place or not."""
    session = person.begin(title="Usual math")
    with desk(chromium, house, theme=theme) as place:
        seat = place.tab(session)
        person.say(session, "!say " + "\\n\\n".join(USUAL))
        expect(seat.page.locator(".math math").last).to_be_visible()
        seat.expect_idle()
        seat.expect_still()
        seat.page.mouse.move(0, 0)
        seat.shot(f"formulas-{theme}")
        log = seat.page.get_by_role("log")
        assert seat.prose.locator("li").count() == 3
        kept = area(log, 40)
        seat.page.evaluate(FREE)
        assert area(log, 40) == kept


def test_a_wide_formula_scrolls_in_its_own_place(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Wide math")
    with desk(chromium, house, screen="phone") as place:
        seat = place.tab(session)
        person.say(session, "!say $$" + "+".join(f"x_{{{i}}}^2" for i in range(40)) + "$$")
        formula = seat.page.locator(".math.display")
        expect(formula.locator("math")).to_be_visible()
        expect(formula).to_have_attribute("tabindex", "0")
        formula.evaluate("(node) => node.scrollTo({ left: 200, behavior: 'instant' })")
        assert formula.evaluate("(node) => node.scrollLeft") == 200
        seat.expect_fits()
