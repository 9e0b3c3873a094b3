//! Artwork in a request: a file in `multipart/form-data`, or JSON that names where it is.
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, FromRequestParts as _, Multipart, Request};
use axum::http::{StatusCode, header};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::extract::{Body, MAX_BODY, check_length, is_caused_by, is_json, parse_value, shortened};
use super::paced::{NothingForth, Progress, paced};
use crate::app::App;
use crate::artwork::transfers;
use crate::caller::Caller;
use crate::error::{Error, ErrorKind};
use crate::http::Failure;
use crate::importer::{ReceiveError, SpooledFile};

/// The longest text in a form: more than any field may have, so that the field itself complains.
const MAX_TEXT: usize = 64 * 1024;
/// What a form may say that it has beside the file.
const MAX_TEXTS: u64 = 1 << 20;
/// More fields than any form has.
const MAX_FIELDS: usize = 64;

/// The fields of a request, the same in a form and in JSON, and the file beside them.
pub(super) struct ArtworkBody<T> {
    pub fields: T,
    pub file: Option<SpooledFile>,
}

impl<T: DeserializeOwned> FromRequest<App> for ArtworkBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        if !is_form(&request) {
            if !is_json(request.headers()) {
                let message =
                    "Send the file as multipart/form-data, or JSON that names an upload_id or an https image_url.";
                return Err(Failure::unsupported_media_type(message));
            }
            let Body(fields) = Body::<T, MAX_BODY>::from_request(request, app).await?;
            return Ok(Self { fields, file: None });
        }
        let (mut parts, body) = request.into_parts();
        check_length(&parts.headers, "The form", app.config.import_limit() + MAX_TEXTS)?;
        let caller = Caller::from_request_parts(&mut parts, app).await?;
        let _place = transfers::place(app, &caller.account_id).await?;
        let (body, progress) = paced(body);
        let form = Multipart::from_request(Request::from_parts(parts, body), app).await;
        let form = form.map_err(|rejection| broken(&rejection.body_text()))?;
        read(app, form, &progress).await
    }
}

fn is_form(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE);
    kind.and_then(|kind| kind.to_str().ok()).is_some_and(|kind| {
        kind.trim_start()
            .to_ascii_lowercase()
            .starts_with("multipart/form-data")
    })
}

/// Fields become the JSON that says the same; `character_ids` comes once for each.
async fn read<T: DeserializeOwned>(
    app: &App,
    mut form: Multipart,
    progress: &Progress,
) -> Result<ArtworkBody<T>, Failure> {
    let mut fields = Map::new();
    let mut file = None;
    for _ in 0..MAX_FIELDS {
        let Some(field) = form.next_field().await.map_err(|error| unreadable(&error))? else {
            return Ok(ArtworkBody {
                fields: parse_value(Value::Object(fields)).map_err(in_a_form)?,
                file,
            });
        };
        progress.made();
        match field.name().unwrap_or_default() {
            "image" if file.is_some() => return Err(Error::invalid_field("image", "must come once").into()),
            "image" => {
                let field = field.inspect(|_| progress.made());
                file = Some(receive(app, field, unreadable).await?);
            }
            "character_ids" => {
                let id = Value::String(text("character_ids", field, progress).await?);
                let ids = fields
                    .entry("character_ids")
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(ids) = ids {
                    ids.push(id);
                }
            }
            name @ ("upload_id" | "image_url") => {
                let complaint = "stands in place of the file: send it in a JSON body";
                return Err(Error::invalid_field(name, complaint).into());
            }
            name if field.file_name().is_some() => {
                let complaint = "is a file: the field of the file is called image";
                return Err(Error::invalid_field(shortened(name), complaint).into());
            }
            name => {
                let name = name.to_owned();
                if fields.contains_key(&name) {
                    return Err(Error::invalid_field(name, "must come once").into());
                }
                let text = text(&name, field, progress).await?;
                fields.insert(name, Value::String(text));
            }
        }
    }
    Err(broken("it has too many fields"))
}

/// Of the fields that there are, a form has the file in place of those that lead to it.
fn in_a_form(error: Error) -> Error {
    let ErrorKind::ValidationFailed(mut details) = error.kind else {
        return error;
    };
    for detail in &mut details {
        detail.message = detail.message.replace("upload_id, image_url", "image");
    }
    Error::validation(details)
}

/// Receives a client's file; `unreadable` says what is wrong when it breaks off.
pub(super) async fn receive<E>(
    app: &App,
    stream: impl Stream<Item = Result<Bytes, E>>,
    unreadable: impl FnOnce(&E) -> Failure,
) -> Result<SpooledFile, Failure> {
    let limit = app.config.import_limit();
    app.importer.receive(stream, limit).await.map_err(|error| match error {
        ReceiveError::TooLarge { limit } => ErrorKind::FileTooLarge { field: "", limit }.into(),
        ReceiveError::Source(error) => unreadable(&error),
        ReceiveError::Keep(error) => Error::internal(error).into(),
    })
}

async fn text(name: &str, mut field: Field<'_>, progress: &Progress) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|error| unreadable(&error))? {
        progress.made();
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_TEXT {
            return Err(Failure::too_large("A text field of the form", MAX_TEXT as u64));
        }
    }
    String::from_utf8(bytes).map_err(|_| Error::invalid_field(shortened(name), "must be text in UTF-8").into())
}

fn unreadable(error: &MultipartError) -> Failure {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return Failure::too_large("The form", MAX_TEXT as u64);
    }
    if is_caused_by::<NothingForth>(error) {
        return broken("what comes before a field is too long");
    }
    broken("it ends or is cut in the wrong place")
}

fn broken(problem: &str) -> Failure {
    Failure::invalid_request(format!(
        "The body is not the multipart/form-data that it says it is: {}.",
        problem.trim_end_matches('.')
    ))
}
