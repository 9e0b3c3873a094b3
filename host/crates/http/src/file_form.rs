//! A form with a file, as `multipart/form-data`, read field by field.
use axum::extract::multipart::{self, MultipartError};
use axum::extract::{FromRequest as _, Multipart, Request};
use axum::http::{StatusCode, header};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};

use super::Failure;
use super::body::{check_length, is_caused_by};
use super::paced::{NoFieldInWindow, Progress, paced};
use crate::json::shortened;
use linepress_core::artwork::transfers;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::fair_share::Permit;
use linepress_platform::field::Field;
use linepress_platform::ids::AccountId;
use linepress_platform::importer::{ReceiveError, SpooledFile};

/// The longest text field that is read. It is above the limit of every field, so that the field's own check reports the
/// error.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// The most bytes that a form may have in addition to the file.
const MAX_ALL_TEXTS_BYTES: u64 = 1 << 20;
/// The most fields in a form, which is more than any form of ours has.
const MAX_FIELDS: usize = 64;

/// A form that is being received. It holds one of the account's places for transfers.
pub struct FileForm {
    form: Multipart,
    progress: Progress,
    fields: usize,
    _place: Option<Permit>,
}

/// A field of a form that is being received.
pub struct FormField<'a> {
    field: multipart::Field<'a>,
    progress: &'a Progress,
}

/// Returns true if the request declares `multipart/form-data`.
pub fn is_file_form(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE);
    kind.and_then(|kind| kind.to_str().ok()).is_some_and(|kind| {
        kind.trim_start()
            .to_ascii_lowercase()
            .starts_with("multipart/form-data")
    })
}

impl FileForm {
    pub async fn open(app: &App, account: &AccountId, request: Request) -> Result<Self, Failure> {
        check_length(
            request.headers(),
            "The form",
            app.config.import_limit() + MAX_ALL_TEXTS_BYTES,
        )?;
        let place = transfers::place(app, account).await?;
        Self::begin(app, request, Some(place)).await
    }

    /// Opens a form like [`Self::open`], for a transfer that has its place already.
    pub async fn open_in_place(app: &App, request: Request) -> Result<Self, Failure> {
        check_length(
            request.headers(),
            "The form",
            app.config.import_limit() + MAX_ALL_TEXTS_BYTES,
        )?;
        Self::begin(app, request, None).await
    }

    async fn begin(app: &App, request: Request, place: Option<Permit>) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        let (body, progress) = paced(body);
        let form = Multipart::from_request(Request::from_parts(parts, body), app).await;
        Ok(Self {
            form: form.map_err(|rejection| broken(&rejection.body_text()))?,
            progress,
            fields: 0,
            _place: place,
        })
    }

    /// Returns the next field, or `None` at the end of the form.
    pub async fn next(&mut self) -> Result<Option<FormField<'_>>, Failure> {
        if self.fields == MAX_FIELDS {
            return Err(broken("it has too many fields"));
        }
        self.fields += 1;
        let field = self.form.next_field().await.map_err(|error| unreadable(&error))?;
        self.progress.report();
        Ok(field.map(|field| FormField {
            field,
            progress: &self.progress,
        }))
    }
}

impl FormField<'_> {
    pub fn name(&self) -> &str {
        self.field.name().unwrap_or_default()
    }

    /// The file name that the browser sent; `None` for a field without a file.
    pub fn file_name(&self) -> Option<&str> {
        self.field.file_name()
    }

    pub async fn text(mut self) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.field.chunk().await.map_err(|error| unreadable(&error))? {
            self.progress.report();
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_TEXT_BYTES {
                return Err(Failure::too_large("A text field of the form", MAX_TEXT_BYTES as u64));
            }
        }
        String::from_utf8(bytes)
            .map_err(|_| Error::invalid_field(Field::named(shortened(self.name())), "must be text in UTF-8").into())
    }

    pub async fn file(self, app: &App) -> Result<SpooledFile, Failure> {
        let Self { field, progress } = self;
        receive(app, field.inspect(|_| progress.report()), unreadable).await
    }
}

/// Receives a file from a client. `unreadable` converts the error of a stream that breaks off.
pub async fn receive<E>(
    app: &App,
    stream: impl Stream<Item = Result<Bytes, E>>,
    unreadable: impl FnOnce(&E) -> Failure,
) -> Result<SpooledFile, Failure> {
    let limit = app.config.import_limit();
    app.importer.receive(stream, limit).await.map_err(|error| match error {
        ReceiveError::TooLarge { limit } => ErrorKind::FileTooLarge { field: None, limit }.into(),
        ReceiveError::Source(error) => unreadable(&error),
        ReceiveError::Keep(error) => Error::unavailable(error).into(),
    })
}

fn unreadable(error: &MultipartError) -> Failure {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return Failure::too_large("The form", MAX_TEXT_BYTES as u64);
    }
    if is_caused_by::<NoFieldInWindow>(error) {
        return broken("the part before a field is too long");
    }
    broken("it is incomplete, or a boundary is in the wrong place")
}

fn broken(problem: &str) -> Failure {
    Failure::invalid_request(format!(
        "The body is not valid multipart/form-data: {}.",
        problem.trim_end_matches('.')
    ))
}
