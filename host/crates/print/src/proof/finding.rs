//! What is wrong with a page, and what to do about it.
use serde::{Deserialize, Serialize};

use crate::measures::Rectangle;

/// What is wrong with a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The page, counted from one.
    pub leaf: usize,
    pub rule: Rule,
    /// What breaks it, and by how much.
    pub what: String,
    /// Where in the templates it is made: `file:line:column`.
    pub place: Option<String>,
    pub area: Option<Rectangle>,
    /// How many things on this page break the rule from the same place.
    pub times: usize,
}

/// What every page must keep to.
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
    /// What matters stays inside the safe box.
    Safe,
    /// The printer's barcode has its place to itself.
    Barcode,
    /// Text stays inside the box that it was put in.
    Overflow,
    /// Every character has a glyph.
    Glyphs,
    /// Every file in the folder of fonts is a font.
    Font,
    /// A leaf's drawing is on its page.
    Drawing,
    /// Pictures have their own shape.
    Stretched,
    /// Nothing is written across a drawing.
    Covered,
    /// Text is seen.
    White,
    /// Type is large enough to be read.
    Small,
    /// Lines are thick enough to be printed.
    Thin,
    /// Pictures have enough pixels.
    Coarse,
    /// PDFs of the designer hold what printers print.
    Ornament,
    /// Ink is black.
    Ink,
    /// Paper has no links.
    Link,
}

impl Rule {
    /// What to do where it is broken.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Pages => "make what the leaf holds fit its box: each leaf is exactly one page",
            Self::Size => "take the page's width, height and bleed from data.formats",
            Self::Trim => "move it or make it smaller: what reaches past the page is cut off",
            Self::Live => "keep it inside the live box, which printers can reach",
            Self::Safe => "keep it inside the safe box: near the edges and the binding it gets lost",
            Self::Barcode => "leave the barcode's box empty: the printer puts one there",
            Self::Overflow => "make the text smaller, break it, or give it a larger box",
            Self::Glyphs => "add a font that has it to the folder fonts, and name it in the list of fonts",
            Self::Font => {
                "use a TrueType or OpenType file (.ttf, .otf or .ttc), or remove it: the server sees no others"
            }
            Self::Drawing => "place the file of data.drawings that the leaf names",
            Self::Stretched => "give one side alone, or both in the shape of the picture",
            Self::Covered => "move the text off the drawing, which is to be colored",
            Self::White => "print it in black, or on black",
            Self::Small => "set it at 7 pt or more",
            Self::Thin => "draw it 0.75 pt thick or more",
            Self::Coarse => "use a picture with 300 pixels to the inch or more, or place it smaller",
            Self::Ornament => "export the PDF in grayscale, flattened, with fonts embedded and without links",
            Self::Ink => "use black or white: everything else is printed as dots or in several inks",
            Self::Link => "remove the link: printers refuse files that have any",
        }
    }
}
