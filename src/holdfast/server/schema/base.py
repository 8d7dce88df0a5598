"""What every value of the wire is made of."""

from typing import Annotated

import msgspec
from msgspec import Meta

Id = Annotated[str, Meta(max_length=64)]
Title = Annotated[str, Meta(max_length=200)]
Name = Annotated[str, Meta(max_length=200)]
Folder = Annotated[str, Meta(max_length=4096)]
Tags = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=50)], ...], Meta(max_length=20)]
Text = Annotated[str, Meta(max_length=1_000_000)]
Reason = Annotated[str, Meta(max_length=2000)]
DeviceName = Annotated[str, Meta(max_length=64)]


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a request says. A field that we do not know is a mistake of its sender."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a request gets."""
