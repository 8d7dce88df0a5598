"""One command: its name, what it does in a line, its options, and what runs it."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Command:
    """`run` returns the exit code. It may raise a HoldfastError, which is then said as a sentence."""

    name: str
    summary: str
    add_options: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
