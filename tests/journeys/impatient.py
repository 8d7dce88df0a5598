"""`holdfast` with a server that soon takes a silent runner for dead, and one that never comes to its session for lost:
a test need not wait as long."""

import sys

from holdfast.cli import main
from holdfast.core import recovery

LIMITS = {"SILENCE": 4.0, "STARTING": 8.0}

if __name__ == "__main__":
    for limit, seconds in LIMITS.items():
        setattr(recovery, limit, seconds)
    sys.exit(main())
