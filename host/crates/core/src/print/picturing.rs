//! Pictures of the pages of PDFs, for previews.
use std::ops::RangeInclusive;
use std::time::Duration;

use bytes::Bytes;
use linepress_print::{Excerpt, PrintError};
use linepress_printers::Direction;

use super::PrintRequest;
use super::printing::{OpenPdf, pdf_of, unavailable};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::AccountId;
use linepress_platform::storage::StoredObject;

/// The longer side of the picture of a page in pixels: as high as a screen.
const LONGER_SIDE_PIXELS: u16 = 1_100;

/// Pages of the PDF, by their indexes from 0, side by side in the reading direction, as a JPEG, and the version of the
/// PDF. The PDF is made first if necessary. Fails as unavailable after `limit`.
pub(crate) async fn picture(
    app: &App,
    request: &PrintRequest,
    pages: RangeInclusive<usize>,
    limit: Duration,
) -> Result<(Bytes, String)> {
    let mut excerpts: Vec<Excerpt> = pages.map(|page| Excerpt::of_page(page, LONGER_SIDE_PIXELS)).collect();
    if Direction::of_language(&request.manuscript.language) == Direction::RightToLeft {
        excerpts.reverse();
    }
    let pictured = async {
        let OpenPdf { object, version } = pdf_of(app, request, limit).await?;
        let (_, picture) = excerpts_of(app, &request.account, object, &excerpts).await?;
        Ok((picture, version))
    };
    tokio::time::timeout(limit, pictured).await.map_err(|_| unavailable())?
}

/// A PDF of this account, and parts of it, side by side, as a JPEG. Fails as unavailable if it takes too long.
pub async fn excerpts_of(
    app: &App,
    account: &AccountId,
    pdf: StoredObject,
    excerpts: &[Excerpt],
) -> Result<(Bytes, Bytes)> {
    // A PDF in memory is large, so it shares the places of books that are being typeset, as a check does.
    let _place = app.printing.place(account).await;
    let pdf = pdf.whole().await.map_err(Error::unavailable)?;
    let permit = app.renderer.permit().await;
    match permit.picture(pdf.clone(), excerpts).await {
        Ok(picture) => Ok((pdf, picture.into())),
        Err(PrintError::TimedOut(_)) => Err(unavailable()),
        Err(error) => Err(Error::internal(error)),
    }
}
