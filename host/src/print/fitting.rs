//! The print formats in which an edition prints a book.
use linepress_print::{Purpose, has_wraparound};
use linepress_printers::{Edition, Unprintable};

use super::making::lay_out;
use super::options::{check_size, mismatch};
use super::{Manuscript, OfferedFormat, PrintRequest, formats};
use crate::app::App;
use crate::error::{Error, FormatMismatch};

/// The format of a book that none was chosen for: the first in which the edition prints it. Where there is none it is the
/// first of all, and printing then says what is wrong with that one.
pub async fn default_format(
    candidates: Vec<OfferedFormat>,
    manuscript: &Manuscript,
    purpose: Purpose,
) -> Option<OfferedFormat> {
    if purpose.edition != Edition::Home {
        for offered in &candidates {
            if fits(offered, manuscript, purpose).await {
                return Some(offered.clone());
            }
        }
    }
    candidates.into_iter().next()
}

/// The refusal of a book in a format, with the formats that would do.
pub(super) async fn refusal(app: &App, request: &PrintRequest, reason: Unprintable) -> Error {
    let mut fitting = Vec::new();
    for offered in formats(app) {
        if offered.format.aspect == request.manuscript.aspect
            && fits(&offered, &request.manuscript, request.purpose).await
        {
            fitting.push(offered.format.id);
        }
    }
    mismatch(FormatMismatch::Unprintable { reason, fitting })
}

/// Whether the edition prints the book in this format: its interior, and its cover where the book has one. A layout that
/// fails is passed over.
async fn fits(offered: &OfferedFormat, manuscript: &Manuscript, purpose: Purpose) -> bool {
    let has_cover = manuscript.cover.is_none() || has_wraparound(offered.layout.templates());
    has_cover
        && lay_out(manuscript, offered, purpose)
            .await
            .is_ok_and(|leaves| check_size(purpose, offered, leaves.len()).is_ok())
}
