//! Pictures of the pages of PDFs, for previews.
use std::time::Duration;

use bytes::Bytes;
use linepress_print::{Excerpt, PrintError};

use super::PrintRequest;
use super::making::content_key;
use super::printing::{pdf_of, unavailable};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::AccountId;
use linepress_platform::storage::StoredObject;

/// The longer side of a picture in pixels: as high as a screen.
const LONGER_SIDE_PIXELS: u16 = 1_100;

/// A page of the PDF, by its index from 0, as a JPEG. The PDF is made first if necessary. Fails as unavailable after `limit`.
pub(crate) async fn picture(app: &App, request: &PrintRequest, page: usize, limit: Duration) -> Result<Bytes> {
    let pictured = async {
        let pdf = pdf_of(app, request, limit).await?;
        let (_, picture) = excerpt_of(app, &request.account, pdf, &Excerpt::of_page(page, LONGER_SIDE_PIXELS)).await?;
        Ok(picture)
    };
    tokio::time::timeout(limit, pictured).await.map_err(|_| unavailable())?
}

/// A PDF of this account, and a part of it as a JPEG. Fails as unavailable if it takes too long.
pub async fn excerpt_of(
    app: &App,
    account: &AccountId,
    pdf: StoredObject,
    excerpt: &Excerpt,
) -> Result<(Bytes, Bytes)> {
    // A PDF in memory is large, so it shares the places of books that are being typeset, as a check does.
    let _place = app.printing.place(account).await;
    let pdf = pdf.whole().await.map_err(Error::internal)?;
    let permit = app.renderer.permit().await;
    match permit.picture(pdf.clone(), excerpt).await {
        Ok(picture) => Ok((pdf, picture.into())),
        Err(PrintError::TimedOut(_)) => Err(unavailable()),
        Err(error) => Err(Error::internal(error)),
    }
}

/// A text that changes with the contents of the PDF.
pub(crate) async fn version(app: &App, request: &PrintRequest) -> Result<String> {
    let mut version = content_key(app, request).await?;
    version.truncate(16);
    Ok(version)
}
