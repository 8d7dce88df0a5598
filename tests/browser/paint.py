"""Pictures made small: at most 256 colours, which a page of few colours bears without a trace.

The browser reads the picture and chooses the colours; what is written is a PNG with a palette, and nothing else. The
page's own colours are always among them: a tick is a few green pixels, and would be grey among so many greys.
"""

import base64
import re
import struct
import zlib
from pathlib import Path

from playwright.sync_api import Page

TOKENS = Path(__file__).parents[2] / "web/src/tokens.css"
CHOOSE = """async ({picture, own}) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob())
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)
    const counts = new Map()
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
    const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]
    // Of colours that nobody could tell apart, the most frequent stands for all.
    const buckets = new Map()
    for (const [pixel, count] of [...counts].sort((a, b) => b[1] - a[1])) {
        const key = parts(pixel).map((part) => part >> 2).join()
        const found = buckets.get(key)
        if (found === undefined) buckets.set(key, {pixel, count})
        else found.count += count
    }
    // Greys are many, and one of them is soon like another: the stronger a colour, the more it counts.
    const worth = ({pixel, count}) => count * (1 + Math.max(...parts(pixel)) - Math.min(...parts(pixel)))
    const found = [...buckets.values()].sort((a, b) => worth(b) - worth(a)).map(({pixel}) => parts(pixel))
    const chosen = [...new Map([...own, ...found].map((each) => [each.join(), each])).values()].slice(0, 256)
    const nearest = (pixel) => {
        const [r, g, b] = parts(pixel)
        let best = 0
        let least = Infinity
        chosen.forEach(([red, green, blue], i) => {
            const far = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2
            if (far < least) [least, best] = [far, i]
        })
        return best
    }
    const places = new Map([...counts.keys()].map((pixel) => [pixel, nearest(pixel)]))
    let text = ''
    for (const pixel of pixels) text += String.fromCharCode(places.get(pixel))
    return {width: image.width, height: image.height, palette: chosen.flat(), indexes: btoa(text)}
}"""


def small(page: Page, picture: bytes) -> bytes:
    """The same picture, in fewer bytes. The page may be any that is open, without a content policy."""
    found = page.evaluate(CHOOSE, {"picture": base64.b64encode(picture).decode(), "own": own()})
    width, height, indexes = found["width"], found["height"], base64.b64decode(found["indexes"])
    lines = b"".join(b"\0" + indexes[start : start + width] for start in range(0, width * height, width))
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"PLTE", bytes(found["palette"])), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def own() -> list[list[int]]:
    """The colours of both themes."""
    return [list(bytes.fromhex(colour)) for colour in re.findall(r"#([0-9a-f]{6});", TOKENS.read_text("utf-8"))]


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
