"""An image provider that draws a quilt of panels with a shape in each."""

import json
import math
import struct
import zlib

from wit_world import exports
from wit_world.exports.provider import (
    Description,
    DrawError_Unavailable,
    Drawing,
    DrawRequest,
)
from wit_world.imports import config, log
from wit_world.imports.types import Aspect, Audience, Media
from componentize_py_types import Err

# Half the width of a line in pixels. Young children need thick lines.
PEN = {Audience.TODDLER: 5, Audience.CHILD: 4, Audience.TEEN: 3, Audience.ADULT: 2}


class Provider(exports.Provider):
    def describe(self) -> Description:
        return Description(
            id="acme.quilt",
            name="Quilt",
            version="0.1.0",
            aspects=[Aspect.SQUARE, Aspect.PORTRAIT, Aspect.LANDSCAPE],
            max_references=0,
            extra=[],
        )

    def draw(self, request: DrawRequest) -> Drawing:
        columns = columns_of(config.get())
        page = Page(request.size.width, request.size.height, PEN[request.audience])
        # The same request gives the same drawing. A different seed gives a different one.
        dice = Dice(request.seed ^ zlib.crc32(request.prompt.encode()))
        quilt(page, columns, dice)
        log.write(log.Level.DEBUG, f"a quilt of {columns} columns")
        return Drawing(image=Media("image/png", bytes(page.png())), extra=[("model", "quilt")])


def columns_of(settings: str) -> int:
    """Reads the only setting, which config.json documents."""
    columns = json.loads(settings).get("columns", 4)
    if not isinstance(columns, int) or not 2 <= columns <= 8:
        raise Err(DrawError_Unavailable("the setting columns must be 2 to 8"))
    return columns


def quilt(page: "Page", columns: int, dice: "Dice") -> None:
    side = page.width // columns
    rows = page.height // side
    left, top = (page.width - columns * side) // 2, (page.height - rows * side) // 2
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * side + side // 2, top + row * side + side // 2
            outline(page, x, y, side // 2, square)
            outer, inner = [(circle, circle), (diamond, circle), (circle, diamond)][dice.roll(3)]
            outline(page, x, y, side * 2 // 5, outer)
            outline(page, x, y, side // 5, inner)


def square(dy: int, size: int) -> int:
    return size


def diamond(dy: int, size: int) -> int:
    return size - abs(dy)


def circle(dy: int, size: int) -> int:
    return math.isqrt(size * size - dy * dy)


def outline(page: "Page", x: int, y: int, size: int, half_width) -> None:
    """Fills the area between a shape and a slightly smaller copy of it."""
    outer, inner = size + page.pen, size - page.pen
    for dy in range(-outer, outer + 1):
        far = half_width(dy, outer)
        near = half_width(dy, inner) if abs(dy) < inner else 0
        page.ink(x - far, x - near, y + dy)
        page.ink(x + near, x + far, y + dy)


class Page:
    """A white page with one bit per pixel. A set bit is white."""

    def __init__(self, width: int, height: int, pen: int):
        self.width, self.height, self.pen = width, height, pen
        self.stride = (width + 7) // 8
        self.bits = bytearray(b"\xff" * self.stride * height)

    def ink(self, left: int, right: int, y: int) -> None:
        if not 0 <= y < self.height:
            return
        for x in range(max(left, 0), min(right, self.width)):
            self.bits[y * self.stride + x // 8] &= ~(0x80 >> (x % 8)) & 0xFF

    def png(self) -> bytes:
        header = struct.pack(">IIBBBBB", self.width, self.height, 1, 0, 0, 0, 0)
        rows = b"".join(
            b"\0" + self.bits[y * self.stride : (y + 1) * self.stride]
            for y in range(self.height)
        )
        chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in chunks
        )


class Dice:
    """A pseudorandom number generator (splitmix64). The same seed gives the same numbers."""

    def __init__(self, seed: int):
        self.state = seed

    def roll(self, sides: int) -> int:
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 & mask
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & mask
        return (mixed ^ (mixed >> 31)) % sides
