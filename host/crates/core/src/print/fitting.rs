//! The choice of a print format for an edition.
use linepress_print::{Purpose, has_wraparound};
use linepress_printers::{Edition, Unprintable};

use super::making::lay_out;
use super::options::{check_size, mismatch};
use super::{Manuscript, OfferedFormat, PrintRequest, formats};
use linepress_platform::app::App;
use linepress_platform::error::{Error, FormatMismatch};

/// The format of a book if the client requested none: the first one in which the edition prints the book. If there is
/// none, the first candidate, so that printing reports the reason for that one. None without candidates.
pub(crate) async fn default_format(
    candidates: Vec<OfferedFormat>,
    manuscript: &Manuscript,
    purpose: Purpose,
) -> Option<OfferedFormat> {
    if purpose.edition != Edition::Home {
        for offered in &candidates {
            if can_print(offered, manuscript, purpose).await {
                return Some(offered.clone());
            }
        }
    }
    candidates.into_iter().next()
}

/// The error for a book that cannot be printed in a format, with the formats that would work.
pub(super) async fn refusal(app: &App, request: &PrintRequest, reason: Unprintable) -> Error {
    let mut fitting = Vec::new();
    for offered in formats(app).iter() {
        if offered.format.aspect == request.manuscript.aspect
            && can_print(offered, &request.manuscript, request.purpose).await
        {
            fitting.push(offered.format.id.clone());
        }
    }
    mismatch(FormatMismatch::Unprintable { reason, fitting })
}

/// Returns whether the edition prints the book's interior in this format, and its cover if it has one. False when the
/// layout fails.
async fn can_print(offered: &OfferedFormat, manuscript: &Manuscript, purpose: Purpose) -> bool {
    let has_cover = manuscript.cover.is_none() || has_wraparound(offered.layout.templates());
    has_cover
        && lay_out(manuscript, offered, purpose)
            .await
            .is_ok_and(|leaves| check_size(purpose, offered, leaves.len()).is_ok())
}
