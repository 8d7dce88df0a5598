"""`holdfast` with a server that soon takes a silent runner for dead, so that a test need not wait as long."""

import sys

from holdfast.cli import main
from holdfast.core import recovery

SECONDS = 4.0

if __name__ == "__main__":
    setattr(recovery, "SILENCE", SECONDS)  # noqa: B010  a constant that the type checker guards
    sys.exit(main())
