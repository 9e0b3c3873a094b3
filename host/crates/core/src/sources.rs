//! The source picture of a request: a page or a character may be drawn from a picture that was uploaded before, or that
//! came with the request.
use std::time::Duration;

use serde::Serialize;

use crate::artwork;
use crate::generation::{self, Accepted};
use crate::objects;
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency;
use linepress_accounts::order::Order;
use linepress_drawings::queue::{NewDrawingJob, SourcePicture};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::UploadId;
use linepress_platform::importer::SpooledFile;

/// The time for which the source picture of a drawing is stored. A drawing that waits longer loses it.
const SOURCE_LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// The source picture that a request gives. It is stored before the request is accepted, and [`Source::release`]
/// deletes it if no drawing came of the request.
pub(crate) struct Source {
    is_given: bool,
    /// The digest of a file that came with the request.
    digest: Option<String>,
    /// None if none is given, and for a repeated request, whose upload may be gone because the earlier request used it.
    picture: Option<SourcePicture>,
}

impl Source {
    /// Stores the picture that a request gives: the file that came with it, or the upload that it names.
    pub(crate) async fn receive(
        app: &App,
        caller: &Caller,
        order: &Order,
        (upload, file): (Option<&UploadId>, Option<SpooledFile>),
    ) -> Result<Self> {
        let digest = match &file {
            Some(file) => Some(file.digest().await.map_err(Error::internal)?),
            None => None,
        };
        let is_given = file.is_some() || upload.is_some();
        let picture = if !is_given || idempotency::is_used(app, caller, order.key()).await? {
            None
        } else {
            generation::check_source(app, true)?;
            match (upload, file) {
                (_, Some(file)) => Some(artwork::receive_source_file(app, caller, file).await?),
                (Some(upload), None) => {
                    Some(artwork::receive_source(app, caller, upload, &Field::source_upload_id()).await?)
                }
                (None, None) => None,
            }
        };
        Ok(Self {
            is_given,
            digest,
            picture,
        })
    }

    /// The arguments that identify a request: a file that came with it is not part of its fields.
    pub(crate) fn arguments<'a, T>(&'a self, request: &'a T) -> Arguments<'a, T> {
        match &self.digest {
            Some(digest) => Arguments::WithFile(request, digest),
            None => Arguments::Fields(request),
        }
    }

    /// Returns true if a picture is given.
    pub(crate) fn is_given(&self) -> bool {
        self.is_given
    }

    /// Has the job draw from the picture, if one is given.
    pub(crate) async fn draw_from(&self, app: &App, tx: &mut Tx, job: &mut NewDrawingJob) -> Result<()> {
        if let Some(picture) = &self.picture {
            objects::discard_at(tx, &[&picture.key], app.clock.now().plus(SOURCE_LIFETIME)).await?;
            job.request.source = Some(picture.clone());
        } else if self.is_given {
            return Err(Error::internal(
                "an idempotency key was deleted while its request was executed",
            ));
        }
        Ok(())
    }

    /// Deletes the picture unless a drawing refers to it. `outcome` is that of the request.
    pub(crate) async fn release<T>(&self, app: &App, order: &Order, outcome: Result<Option<&Accepted<T>>, &Error>) {
        let Some(picture) = &self.picture else { return };
        let is_unused = match outcome {
            Ok(accepted) => accepted.is_none_or(|accepted| accepted.replayed || order.is_rehearsal()),
            // After an internal error it is unknown what was committed, and the sweep of unused objects decides.
            Err(error) => !error.is_internal(),
        };
        if is_unused {
            objects::abandon(app, &[&picture.key]).await;
        }
    }
}

/// The arguments that identify a request.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Arguments<'a, T> {
    Fields(&'a T),
    /// The fields, and the digest of a file.
    WithFile(&'a T, &'a str),
}
