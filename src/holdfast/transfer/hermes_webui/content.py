"""What a message holds: its words, the reasoning inside of them, pictures, and parts that have no place here."""

import base64
import binascii
import re
from collections.abc import Iterable, Sequence

import msgspec

from holdfast.agents.acp.thinking import Piece, Splitter
from holdfast.core.events import Attachment
from holdfast.store.blobs import Blobs
from holdfast.transfer.values import Fields, several, spelled, storable

DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,", re.ASCII)
LARGEST_PICTURE = 50_000_000
WORDS = ("text", "input_text", "output_text")
PICTURES = ("image_url", "input_image", "image")


class Content(msgspec.Struct, kw_only=True):
    """`strange` names the kinds of parts that could not be taken."""

    text: str = ""
    thought: str = ""
    pictures: list[str] = []
    strange: list[str] = []


def read_content(value: object) -> Content:
    """A content as it is written: text, nothing, or a list of parts."""
    parts = several(value)
    if not parts:
        return Content(text="" if value == [] else spelled(value))
    found = Content()
    words: list[str] = []
    for part in parts:
        about = Fields(part)
        kind = about.text("type")
        if isinstance(part, str):
            words.append(storable(part))
        elif kind in WORDS or (not kind and about.text("text")):
            words.append(about.text("text"))
        elif kind == "thinking":
            found.thought += about.text("thinking", "text")
        elif kind in PICTURES:
            found.pictures.append(about.text("image_url", "url") or about.fields("image_url").text("url"))
        else:
            found.strange.append(kind or "unknown")
    found.text = "\n\n".join(word for word in words if word)
    return found


def parted(text: str) -> Sequence[Piece]:
    """Words and the reasoning that a model put inside of them, in their order."""
    if "<think" not in text.lower():
        return [Piece("text", text)] if text else []
    splitter = Splitter()
    return [*splitter.feed(text), *splitter.release()]


def stored(pictures: Iterable[str], blobs: Blobs) -> tuple[list[Attachment], int]:
    """Pictures that lie in the message itself, as files; and how many could not be taken."""
    taken: list[Attachment] = []
    lost = 0
    for url in pictures:
        found = DATA_URL.match(url)
        body = None if found is None or len(url) > LARGEST_PICTURE else _bytes(url[found.end() :])
        if found is None or body is None:
            lost += 1
            continue
        blob = blobs.put([body])
        name = f"picture-{len(taken) + 1}.{found[1].rpartition('/')[2][:10]}"
        taken.append(Attachment(name=name, blob=blob.name, media_type=found[1], size=blob.size))
    return taken, lost


def _bytes(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True) or None
    except (binascii.Error, ValueError):
        return None
