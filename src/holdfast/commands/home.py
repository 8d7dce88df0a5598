"""The option that every command has: which home it works on."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from holdfast import faults
from holdfast.settings import Settings, read_settings


def add_home(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--home", type=Path, help="where Holdfast keeps what it knows (default: HOLDFAST_HOME or ~/.holdfast)"
    )


def settings_for(arguments: Namespace) -> Settings:
    """The settings of the home that was chosen, with the faults armed that a test asked for."""
    settings = read_settings(os.environ, home=arguments.home)
    faults.arm(settings.faults)
    return settings
