//! The problems that a proof reports, and how to fix them.
use serde::{Deserialize, Serialize};

use crate::measures::Rectangle;

/// A problem on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The page, counted from 1.
    pub leaf: usize,
    pub rule: Rule,
    /// The element that breaks the rule, and by how much.
    pub what: String,
    /// The place in the templates that creates the element, as `file:line:column`.
    pub place: Option<String>,
    pub area: Option<Rectangle>,
    /// The number of elements on this page that break the rule from the same place.
    pub times: usize,
}

/// A rule that every page must follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Each leaf is one page.
    Pages,
    /// The page has the size of the print format.
    Size,
    /// Nothing is cut off.
    Trim,
    /// Ink stays inside the live box, or bleeds.
    Live,
    /// Text and drawings stay inside the safe box.
    Safe,
    /// The box of the printer's barcode is empty.
    Barcode,
    /// Text stays inside its container.
    Overflow,
    /// Every character has a glyph.
    Glyphs,
    /// Every file in the `fonts` folder is a font.
    Font,
    /// A leaf's drawing is on its page.
    Drawing,
    /// Pictures keep their proportions.
    Stretched,
    /// No text is printed across a drawing.
    Covered,
    /// Text is visible.
    White,
    /// Type is large enough to read.
    Small,
    /// Lines are thick enough to print.
    Thin,
    /// Pictures have enough pixels.
    Coarse,
    /// A designer's PDFs contain only what printers accept.
    Ornament,
    /// A designer's SVGs consist of shapes.
    Vector,
    /// Ink is black.
    Ink,
    /// Pages have no links.
    Link,
}

impl Rule {
    /// The instruction for fixing a page that breaks the rule.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Pages => "make what the leaf holds fit its box: each leaf is exactly one page",
            Self::Size => "take the page's width, height and bleed from data.formats",
            Self::Trim => "move it or make it smaller: anything past the page is cut off",
            Self::Live => "keep it inside the live box: printers cannot print outside it",
            Self::Safe => "keep it inside the safe box: anything near the edges or the binding may be lost",
            Self::Barcode => "leave the barcode's box empty: the printer puts one there",
            Self::Overflow => "make the text smaller, break it, or give it a larger box",
            Self::Glyphs => "add a font that has it to the folder fonts, and name it in the list of fonts",
            Self::Font => {
                "use a TrueType or OpenType file (.ttf, .otf or .ttc), or remove it: the server reads no other formats"
            }
            Self::Drawing => "place the file of data.drawings that the leaf names",
            Self::Stretched => "set only the width or only the height, or keep the picture's proportions",
            Self::Covered => "move the text off the drawing, which readers color in",
            Self::White => "print it in black, or on black",
            Self::Small => "set it at 7 pt or more",
            Self::Thin => "draw it 0.75 pt thick or more",
            Self::Coarse => "use a picture with at least 300 pixels per inch, or place it smaller",
            Self::Ornament => "export the PDF in grayscale, flattened, with fonts embedded and without links",
            Self::Vector => {
                "convert text to outlines, flatten masks and blend modes, and remove filters and pictures from the SVG"
            }
            Self::Ink => "use black or white: everything else is printed as dots or in several inks",
            Self::Link => "remove the link: printers refuse files that have any",
        }
    }
}
