"""`holdfast doctor`: look at everything that Holdfast stands on, and say what to do about what is wrong."""

import os
from argparse import ArgumentParser, Namespace

from holdfast import __version__
from holdfast.commands.command import Command
from holdfast.commands.home import add_home


def add_options(parser: ArgumentParser) -> None:
    add_home(parser)


def run(arguments: Namespace) -> int:
    from holdfast.server.examination import examine_from

    print(f"Holdfast {__version__}")
    findings = list(examine_from(os.environ, arguments.home))
    for finding in findings:
        print(f"{'ok' if finding.fine else 'PROBLEM':8}{finding.sentence}")
    wrong = sum(not finding.fine for finding in findings)
    print("All is well." if not wrong else f"{wrong} thing{'s' if wrong > 1 else ''} to mend.")
    return 1 if wrong else 0


COMMAND = Command(
    name="doctor",
    summary="look at everything Holdfast stands on and say what is wrong",
    add_options=add_options,
    run=run,
)
