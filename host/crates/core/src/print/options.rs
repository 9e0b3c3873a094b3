//! Options of a PDF: the format, the edition, and the part of the book.
use linepress_print::{Purpose, has_wraparound};
use linepress_printers::{Backs, Direction, Edition, Part, Size, Unprintable, check_pages};
use serde::{Deserialize, Serialize};

use super::{Manuscript, OfferedFormat};
use linepress_platform::error::{ErrorKind, FormatMismatch, Result};

/// The options of a PDF that a client requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintOptions {
    /// The id of a print format. If omitted, the first one that matches the book and in which the edition prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(default)]
    pub edition: Edition,
    #[serde(default)]
    pub backs: Backs,
    /// The part to print; the usual one of the edition if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

impl PrintOptions {
    /// The purpose of the PDF. In the home edition the interior is the whole book. An error when the edition has no
    /// such part.
    pub(crate) fn purpose(&self) -> Result<Purpose> {
        let part = match (self.edition, self.part) {
            (edition, None) => edition.usual_part(),
            (Edition::Home, Some(Part::Cover)) => return Err(mismatch(FormatMismatch::NoCoverAtHome)),
            (Edition::Home, Some(Part::Interior)) => Part::Book,
            (Edition::Kdp | Edition::Lulu, Some(Part::Book)) => {
                return Err(mismatch(FormatMismatch::TwoFiles {
                    printer: self.edition.name(),
                }));
            }
            (_, Some(part)) => part,
        };
        Ok(Purpose {
            edition: self.edition,
            backs: self.backs,
            part,
        })
    }
}

/// Checks that need no layout of the book.
pub(super) fn check_book(purpose: Purpose, manuscript: &Manuscript, offered: &OfferedFormat) -> Result<()> {
    if !Direction::of_language(&manuscript.language).is_bound_by(purpose.edition) {
        return Err(mismatch(FormatMismatch::ReadFromRight {
            printer: purpose.edition.name(),
        }));
    }
    if purpose.part != Part::Cover {
        return Ok(());
    }
    if manuscript.cover.is_none() {
        return Err(mismatch(FormatMismatch::NoCoverDrawing));
    }
    if !has_wraparound(offered.layout.templates()) {
        return Err(mismatch(FormatMismatch::NoWraparound {
            format: offered.format.id.clone(),
        }));
    }
    Ok(())
}

/// Checks that the printer prints this number of pages in this size.
pub(super) fn check_size(purpose: Purpose, offered: &OfferedFormat, pages: usize) -> Result<(), Unprintable> {
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    check_pages(purpose.edition, trim(offered), pages)
}

pub(super) fn trim(offered: &OfferedFormat) -> Size {
    Size::trimmed(&offered.format)
}

pub(super) fn mismatch(mismatch: FormatMismatch) -> linepress_platform::error::Error {
    ErrorKind::FormatMismatch(mismatch).into()
}
