//! The events that a walk reports.
use lopdf::Dictionary;

use crate::content::Ink;
use crate::content::picture::Picture;
use crate::page::Rectangle;

/// An event that matters to a printer.
pub(crate) enum Event<'a> {
    Picture(Picture),
    /// A color space is chosen, or a picture is printed in it.
    Ink {
        ink: Ink,
        is_picture: bool,
    },
    Font(&'a Dictionary),
    Text(Text),
    /// A line is drawn with this width in points.
    Line(f64),
    /// A shape is filled or outlined. A white shape leaves no ink.
    Shape {
        bounds: Rectangle,
        is_white: bool,
    },
    Transparency(&'static str),
    /// Something is printed.
    Paint,
    Damage(&'static str),
}

/// A text that is shown on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    /// The start of its line on the page.
    pub(crate) place: (f64, f64),
    /// The size of its type on the page, in points.
    pub(crate) size: f64,
    pub(crate) is_hidden: bool,
    pub(crate) has_missing_glyph: bool,
}
