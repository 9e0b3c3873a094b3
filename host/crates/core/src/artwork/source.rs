//! The sources of a client's artwork: a file in the request, a file that was uploaded before, or an https URL.
use std::sync::Arc;

use linepress_egress::FetchError;
use linepress_imaging::Prepared;
use linepress_model::{Aspect, Audience};

use super::{NewArtwork, uploads};
use crate::objects;
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::IdempotencyKey;
use linepress_drawings::queue::SourcePicture;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::fair_share::Permit;
use linepress_platform::field::Field;
use linepress_platform::ids::{ArtworkId, UploadId};
use linepress_platform::importer::{ReceiveError, SpooledFile};
use linepress_platform::scopes::Scopes;

/// A source of artwork.
#[derive(Debug)]
pub enum Source {
    File(SpooledFile),
    Upload(UploadId),
    Url(String),
}

impl Source {
    /// The source that a request names. An error unless exactly one of the three is given.
    pub fn from_request(
        file: Option<SpooledFile>,
        upload_id: Option<&UploadId>,
        image_url: Option<&str>,
    ) -> Result<Self> {
        match (file, upload_id, image_url) {
            (Some(file), None, None) => Ok(Self::File(file)),
            (None, Some(id), None) => Ok(Self::Upload(id.clone())),
            (None, None, Some(url)) => Ok(Self::Url(url.into())),
            (None, None, None) => Err(Error::invalid_field(
                Field::image(),
                "is needed: send the file as multipart/form-data, or name an upload_id or an https image_url",
            )),
            _ => Err(Error::invalid_field(
                Field::image(),
                "must come once: as a file, by upload_id or by image_url",
            )),
        }
    }
}

/// The digest by which a request's file is compared with that of a repeat. None without a key, because only requests
/// with a key are compared.
pub(crate) async fn digest_for(key: Option<&IdempotencyKey>, file: Option<&SpooledFile>) -> Result<Option<String>> {
    match (key, file) {
        (Some(_), Some(file)) => file.digest().await.map(Some).map_err(Error::internal),
        _ => Ok(None),
    }
}

/// Obtains the artwork, normalizes it to the given aspect or to the nearest one, measures it for the audience and
/// stores its objects.
pub async fn receive(
    app: &App,
    caller: &Caller,
    source: Source,
    aspect: Option<Aspect>,
    audience: Audience,
) -> Result<(NewArtwork, Aspect)> {
    caller.require(Scopes::WRITING)?;
    let permit = Arc::new(app.importer.admit(caller.account_id()).await?);
    let file = open(app, caller, source, &permit).await?;
    let (prepared, aspect) = app.importer.import(file, aspect, permit).await?;
    store_imported(app, prepared, aspect, audience).await
}

/// The same for a cover in color.
pub(crate) async fn receive_in_color(
    app: &App,
    caller: &Caller,
    source: Source,
    aspect: Aspect,
    audience: Audience,
) -> Result<(NewArtwork, Aspect)> {
    caller.require(Scopes::WRITING)?;
    let permit = Arc::new(app.importer.admit(caller.account_id()).await?);
    let file = open(app, caller, source, &permit).await?;
    let (prepared, aspect) = app.importer.import_in_color(file, Some(aspect), permit).await?;
    store_imported(app, prepared, aspect, audience).await
}

async fn open(app: &App, caller: &Caller, source: Source, permit: &Arc<Permit>) -> Result<SpooledFile> {
    match source {
        Source::File(file) => Ok(file),
        Source::Upload(id) => uploads::open(app, caller, &id, &Field::upload_id()).await,
        Source::Url(url) => fetch(app, &url, permit.clone()).await,
    }
}

async fn store_imported(
    app: &App,
    prepared: Prepared,
    aspect: Aspect,
    audience: Audience,
) -> Result<(NewArtwork, Aspect)> {
    let folder = format!("imports/{}", ArtworkId::generate(app.clock.now(), &app.random));
    Ok((NewArtwork::store(app, &folder, prepared, audience).await?, aspect))
}

/// Prepares an uploaded picture for a provider to draw from, and stores it. It is deleted again unless a drawing refers
/// to it.
pub(crate) async fn receive_source(
    app: &App,
    caller: &Caller,
    upload: &UploadId,
    field: &Field,
) -> Result<SourcePicture> {
    caller.require(Scopes::WRITING)?;
    let permit = app.importer.admit(caller.account_id()).await?;
    let file = uploads::open(app, caller, upload, field).await?;
    store_source(app, file, permit).await
}

/// Prepares a picture from the request for a provider to draw from, and stores it. It is deleted again unless a drawing
/// refers to it.
pub(crate) async fn receive_source_file(app: &App, caller: &Caller, file: SpooledFile) -> Result<SourcePicture> {
    caller.require(Scopes::WRITING)?;
    let permit = app.importer.admit(caller.account_id()).await?;
    store_source(app, file, permit).await
}

async fn store_source(app: &App, file: SpooledFile, permit: Permit) -> Result<SourcePicture> {
    let jpeg = app.importer.source(file, permit).await?;
    let source = SourcePicture {
        key: format!("sources/{}.jpg", ArtworkId::generate(app.clock.now(), &app.random)),
        byte_size: i64::try_from(jpeg.len()).unwrap_or(i64::MAX),
    };
    objects::announce(app, &[&source.key]).await?;
    app.storage.put(&source.key, jpeg).await?;
    Ok(source)
}

async fn fetch(app: &App, url: &str, permit: Arc<Permit>) -> Result<SpooledFile> {
    let limit = app.config.import_limit();
    let file = app.fetcher.fetch(url, limit, permit).await.map_err(fetch_error)?;
    app.importer.receive(file, limit).await.map_err(|error| match error {
        ReceiveError::TooLarge { limit } => fetch_error(FetchError::TooLarge { limit }),
        ReceiveError::Source(error) => fetch_error(error),
        ReceiveError::Keep(error) => Error::unavailable(error),
    })
}

/// Converts a failed fetch to an error about the field `image_url`.
pub(crate) fn fetch_error(error: FetchError) -> Error {
    let field = Field::image_url();
    let message = error.to_string();
    match error {
        FetchError::Url(_) => Error::invalid_field(field, message),
        FetchError::Failed(cause) => Error::invalid_field(field, message).with_cause(cause),
        FetchError::TooLarge { limit } => ErrorKind::FileTooLarge {
            field: Some(field),
            limit,
        }
        .into(),
    }
}
