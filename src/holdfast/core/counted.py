"""A number with what it counts, for sentences that people read."""


def counted(number: int, noun: str) -> str:
    """`1 turn`, `2 turns`: the noun as it stands for one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
