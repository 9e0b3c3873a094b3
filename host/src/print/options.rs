//! What is printed of a book, and where.
use linepress_print::{Purpose, has_wraparound};
use linepress_printers::{Backs, Direction, Edition, Part, Size, Unprintable, check_pages};
use serde::{Deserialize, Serialize};

use super::{Manuscript, OfferedFormat};
use crate::error::{ErrorKind, FormatMismatch, Result};

/// What a client says about a PDF.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintOptions {
    /// The id of a print format; the first that matches the book, and that the edition prints it in, when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(default)]
    pub edition: Edition,
    #[serde(default)]
    pub backs: Backs,
    /// What the edition usually prints when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

impl PrintOptions {
    /// What is made. At home the whole book is its interior.
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

/// What can be said before the book is laid out.
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

/// Fails when the printer does not print so many pages of this size.
pub(super) fn check_size(purpose: Purpose, offered: &OfferedFormat, pages: usize) -> Result<(), Unprintable> {
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    check_pages(purpose.edition, trim(offered), pages)
}

pub(super) fn trim(offered: &OfferedFormat) -> Size {
    Size {
        width: offered.format.trim_width_um,
        height: offered.format.trim_height_um,
    }
}

pub(super) fn mismatch(mismatch: FormatMismatch) -> crate::error::Error {
    ErrorKind::FormatMismatch(mismatch).into()
}
