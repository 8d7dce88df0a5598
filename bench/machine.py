"""What was measured on."""

import os
import platform
import time
from pathlib import Path

import apsw
import msgspec


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    taken: str
    cores: int
    processor: str
    memory: str
    system: str
    python: str
    sqlite: str
    load: float
    """How many processes wanted to run in the minute before, none of them ours."""

    def __str__(self) -> str:
        return (
            f"{self.taken}: {self.cores} cores ({self.processor}), {self.memory}, {self.system}, Python {self.python}, "
            f"SQLite {self.sqlite}; load {self.load:.1f} before it began"
        )


def look() -> Machine:
    return Machine(
        taken=time.strftime("%Y-%m-%d", time.gmtime()),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        processor=_processor(),
        memory=f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB",
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
        python=platform.python_version(),
        sqlite=apsw.sqlite_lib_version(),
        load=os.getloadavg()[0],
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()
