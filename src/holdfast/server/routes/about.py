"""What this is, and whether all that it stands on is well."""

import asyncio

from holdfast import __version__
from holdfast.server.endpoint import get
from holdfast.server.examination import examine
from holdfast.server.schema.house import About, Examination
from holdfast.server.wired import Wired
from holdfast.store.sqlite.connection import migrations

LICENCE = "MIT"


@get("/api/about", summary="Which version this is, and where it keeps what it knows")
async def about(wiring: Wired) -> About:
    return About(
        version=__version__,
        store_format=len(migrations()),
        home=str(wiring.settings.home),
        licence=LICENCE,
    )


@get(
    "/api/examination",
    summary="Look at everything that it stands on, as `holdfast doctor` does",
    description="It reads the whole store, which takes its time if that is large; nothing waits for it.",
)
async def look_at_everything(wiring: Wired) -> Examination:
    return Examination(findings=await asyncio.to_thread(lambda: list(examine(wiring.settings))))


ROUTES = (about, look_at_everything)
