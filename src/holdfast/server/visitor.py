"""Who makes a request, as the gate found it. Routes that need to know ask for it by name (`wired.Visiting`)."""

from typing import NamedTuple

SCOPE = "holdfast.visitor"
"""Where the gate leaves it in a request's scope."""


class Visitor(NamedTuple):
    """`device` is the id of a signed-in device, empty for the token itself, None for a stranger at an open address.

    `origin` is the page's address as the visitor sees it, without the path.
    """

    address: str
    origin: str
    device: str | None
