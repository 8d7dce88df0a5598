"""What a person attached to a message, as blocks of a prompt."""

import base64
from pathlib import Path
from typing import Any

from holdfast.core.events import Attachment

INLINE = 8 * 1024 * 1024
"""The largest picture that is sent within the prompt; others are linked."""


def enclose(attachment: Attachment, path: Path, *, pictures: bool) -> dict[str, Any]:
    """A picture as it is, if the agent can look at `pictures`; any other file as a link, which every agent takes."""
    if pictures and attachment.media_type.startswith("image/") and path.stat().st_size <= INLINE:
        picture = base64.b64encode(path.read_bytes()).decode("ascii")
        return {"type": "image", "mimeType": attachment.media_type, "data": picture}
    return {
        "type": "resource_link",
        "name": attachment.name,
        "uri": path.as_uri(),
        "mimeType": attachment.media_type,
        "size": attachment.size,
    }
