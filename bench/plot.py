"""The numbers as a picture: how much of its goal each one needs. What stays left of the line meets it."""

from collections.abc import Iterator, Sequence
from html import escape

from bench.measure import Number

WIDTH, ROW, TOP, BAR = 960, 24, 56, 10
LABELS, UNIT = 430, 360
"""Where the bars begin, and how long one is that just meets its goal."""
LONGEST = 1.15
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #17201d }
  .quiet { fill: #5b6762 } .head { font-size: 15px; font-weight: 600 }
  .bar { fill: #0f6b5c } .missed { fill: #b3382c } .track { fill: #17201d; fill-opacity: .07 }
  .goal { stroke: #17201d; stroke-opacity: .45; stroke-dasharray: 3 3 } .ground { fill: #fbfaf7 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6ece8 } .quiet { fill: #8e9b95 } .bar { fill: #5cc4ae } .missed { fill: #ef8d80 }
    .track { fill: #e6ece8; fill-opacity: .1 } .goal { stroke: #e6ece8 } .ground { fill: #111815 }
  }
"""


def plot(numbers: Sequence[Number], about: str) -> str:
    """A picture in SVG of those that have a goal, in their order."""
    shown = [number for number in numbers if number.share is not None]
    height = TOP + ROW * len(shown) + 28
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>How much of its goal each number needs</title><style>{STYLE}</style>",
            f'<rect class="ground" width="{WIDTH}" height="{height}" rx="10"/>',
            '<text class="head" x="20" y="30">How much of its goal each number needs</text>',
            f'<text class="quiet" x="{LABELS + UNIT}" y="30" text-anchor="middle">the goal</text>',
            *(line for row, number in enumerate(shown) for line in _row(number, TOP + ROW * row)),
            f'<path class="goal" d="M{LABELS + UNIT} 38V{height - 24}"/>',
            f'<text class="quiet" x="20" y="{height - 10}">{escape(about)}</text>',
            "</svg>\n",
        ]
    )


def _row(number: Number, y: int) -> Iterator[str]:
    share = number.share or 0.0
    length = max(2.0, min(share, LONGEST) * UNIT)
    kind = "bar" if number.met else "missed"
    text = y + BAR + 3
    label = escape(_short(f"{number.group}: {number.name}"))
    yield f'<text x="{LABELS - 12}" y="{text}" text-anchor="end">{label}</text>'
    yield f'<rect class="track" x="{LABELS}" y="{y + 4}" width="{UNIT}" height="{BAR}" rx="3"/>'
    yield f'<rect class="{kind}" x="{LABELS}" y="{y + 4}" width="{length:.1f}" height="{BAR}" rx="3"/>'
    yield f'<text class="quiet" x="{LABELS + UNIT * LONGEST + 12:.0f}" y="{text}">{share:.0%}</text>'


def _short(text: str, most: int = 66) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
