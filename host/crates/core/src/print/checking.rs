//! Preflight checks of a book's PDF.
use std::time::Duration;

use linepress_preflight::{Expected, Report};
use linepress_printers::Part;

use super::PrintRequest;
use super::making::lay_out;
use super::options::trim;
use super::printing::{pdf_of, unavailable};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};

/// Checks the PDF, which is made first if necessary. Fails as unavailable after `limit`.
pub async fn check(app: &App, request: &PrintRequest, limit: Duration) -> Result<Report> {
    let checked = async {
        let pdf = pdf_of(app, request, limit).await?.object;
        let purpose = request.purpose;
        // The width of a cover depends on the number of interior pages.
        let pages = match purpose.part {
            Part::Cover => Some(lay_out(&request.manuscript, &request.offered, purpose).await?.len()),
            Part::Interior | Part::Book => None,
        };
        let expected = Expected {
            edition: purpose.edition,
            part: Some(purpose.part),
            pages: pages.map(|pages| u32::try_from(pages).unwrap_or(u32::MAX)),
            trim: Some(trim(&request.offered)),
            color: false,
            paper: None,
            has_barcode: !request.manuscript.isbn.is_empty(),
        };
        // A PDF in memory is large, so checks share the places of books that are being typeset, with the same limit per
        // account.
        let _place = app.printing.place(&request.account).await;
        let bytes = pdf.whole().await.map_err(Error::unavailable)?;
        let permit = app.renderer.permit().await;
        permit.check(bytes, &expected).await.map_err(Error::internal)
    };
    tokio::time::timeout(limit, checked).await.map_err(|_| unavailable())?
}
