"""A QR code: its parts, and as lines for a terminal, two rows in a line of half blocks, light on dark as cameras like
it."""

from itertools import zip_longest

import qrcode
from qrcode.constants import ERROR_CORRECT_L

# Above and below, light or dark. A terminal's ground may be either, so both colours are drawn.
BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
COLOURS = "\x1b[97;40m"
PLAIN = "\x1b[0m"


def drawn(text: str) -> str:
    """`text` as lines to print."""
    return "\n".join(f"{COLOURS}{line}{PLAIN}" for line in lines(modules(text)))


def modules(text: str) -> list[list[bool]]:
    """Which parts of the picture are dark, row by row, with a light border around it."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_L, border=2)
    code.add_data(text)
    code.make(fit=True)
    return code.get_matrix()


def lines(rows: list[list[bool]]) -> list[str]:
    """Each two rows of modules as a line of characters."""
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue=[False] * len(rows[0]))
    return ["".join(BLOCKS[above, below] for above, below in zip(*pair, strict=True)) for pair in pairs]
