"""Numbers that somebody else names: of tokens, of millionths of a currency, of seconds.

Law: whatever is claimed, what is written down can be stored, added up, and shown. What can't be true counts as nothing.
"""

MOST = 10**12


def plausible(claimed: float) -> int:
    """The number, whole; 0 if it is negative, without bounds, or more than anybody has ever used."""
    return round(claimed) if 0 <= claimed <= MOST else 0
