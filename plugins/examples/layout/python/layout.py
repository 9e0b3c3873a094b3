"""A layout that prints one drawing on each sheet, after a title page."""

from typing import Optional

from wit_world import exports
from wit_world.exports.layout import Book, Description, Format, LayoutError_Invalid, Leaf
from wit_world.imports.types import Aspect, Pixels
from componentize_py_types import Err


class Layout(exports.Layout):
    def describe(self) -> Description:
        return Description(
            id="acme.quilt",
            name="Quilt",
            version="0.1.0",
            formats=formats(),
            extra=[],
        )

    def lay_out(self, book: Book, format_id: str) -> list[Leaf]:
        """Arranges the pages of the book, starting with the first right-hand page.

        Backs are blank unless the book asks for printed ones, because markers bleed through paper.
        """
        if not any(known.id == format_id and known.aspect == book.aspect for known in formats()):
            raise Err(LayoutError_Invalid(f"{format_id} does not print books of this aspect"))
        has_printed_backs = ("backs", "printed") in book.extra
        leaves = [leaf("title"), leaf("blank")]
        for drawing in range(len(book.drawings)):
            leaves.append(leaf("drawing", drawing))
            if not has_printed_backs:
                leaves.append(leaf("blank"))
        return leaves


def formats() -> list[Format]:
    """The print formats, with the preferred format of each aspect first. Ids must differ from those of other layouts."""
    return [
        page_format("acme_quilt_square", "Quilt Square", Aspect.SQUARE, (215_900, 215_900), (1024, 1024), "square.typ"),
        page_format("acme_quilt_letter", "Quilt US Letter", Aspect.PORTRAIT, (215_900, 279_400), (1152, 1536), "letter.typ"),
        page_format("acme_quilt_landscape", "Quilt US Letter Landscape", Aspect.LANDSCAPE, (279_400, 215_900), (1536, 1152), "landscape.typ"),
    ]


def page_format(
    format_id: str, name: str, aspect: Aspect, trim: tuple[int, int], pixels: tuple[int, int], template: str
) -> Format:
    """A format without bleed. `trim` is the size of the paper in micrometers, and `pixels` that of a picture."""
    return Format(
        id=format_id,
        name=name,
        aspect=aspect,
        trim_width=trim[0],
        trim_height=trim[1],
        bleed=0,
        recommended=Pixels(pixels[0], pixels[1]),
        template=template,
        extra=[],
    )


def leaf(kind: str, drawing: Optional[int] = None) -> Leaf:
    """A page. The template prints it by its kind."""
    return Leaf(kind=kind, drawing=drawing, extra=[])
