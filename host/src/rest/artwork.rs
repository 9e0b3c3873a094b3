//! Artwork in a request: a file in `multipart/form-data`, or JSON that names where it is.
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use bytes::Bytes;
use futures::Stream;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::extract::{Body, is_json, parse_value};
use super::reply::Failure;
use crate::app::App;
use crate::artwork::{Aspect, ReceiveError, SpooledFile};
use crate::error::{Error, ErrorCode, Result};
use crate::ids::CharacterId;

/// The longest text in a form: more than any field may have, so that the field itself complains.
const MAX_TEXT: usize = 64 * 1024;
/// More fields than any form has.
const MAX_FIELDS: usize = 64;

/// The fields of a request, the same in a form and in JSON, and the file beside them.
pub struct ArtworkBody<T> {
    pub fields: T,
    pub file: Option<SpooledFile>,
}

/// Finished artwork that becomes a page.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the form is read field by field; this describes it")]
pub struct ImportForm {
    /// A PNG, JPEG or WebP.
    #[schema(value_type = String, content_media_type = "application/octet-stream")]
    image: Vec<u8>,
    /// Printed with the page, and the name it goes by.
    #[schema(min_length = 1, max_length = 200, format = "line", example = "A fox, by hand")]
    title: String,
    /// One line printed under the drawing.
    #[schema(
        max_length = 300,
        nullable = false,
        format = "optional_line",
        example = "Drawn by Ada"
    )]
    caption: Option<String>,
    /// The nearest to the picture's shape when it is left out.
    #[schema(nullable = false)]
    aspect: Option<Aspect>,
    /// Ready characters that appear on the page: the field once for each.
    #[schema(value_type = Vec<CharacterId>, required = false, max_items = 8, nullable = false)]
    character_ids: Option<Vec<String>>,
}

/// Finished artwork for a page that exists.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the form is read field by field; this describes it")]
pub struct ImageForm {
    /// A PNG, JPEG or WebP.
    #[schema(value_type = String, content_media_type = "application/octet-stream")]
    image: Vec<u8>,
}

impl<T: DeserializeOwned> FromRequest<App> for ArtworkBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        if !is_form(&request) {
            if !is_json(request.headers()) {
                let message =
                    "Send the file as multipart/form-data, or JSON that names an upload_id or an https image_url.";
                return Err(Failure(Error::new(ErrorCode::UnsupportedMediaType, message)));
            }
            let Body(fields) = Body::from_request(request, app).await?;
            return Ok(Self { fields, file: None });
        }
        let form = Multipart::from_request(request, app).await;
        let form = form.map_err(|rejection| broken(&rejection.body_text()))?;
        Ok(read(form, app.config.import_limit()).await?)
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
async fn read<T: DeserializeOwned>(mut form: Multipart, limit: u64) -> Result<ArtworkBody<T>> {
    let mut fields = Map::new();
    let mut file = None;
    for _ in 0..MAX_FIELDS {
        let Some(field) = form.next_field().await.map_err(|error| unreadable(&error))? else {
            return Ok(ArtworkBody {
                fields: parse_value(Value::Object(fields))?,
                file,
            });
        };
        match field.name().unwrap_or_default() {
            "image" if file.is_some() => return Err(Error::invalid_field("image", "must come once")),
            "image" => file = Some(receive(field, limit, unreadable).await?),
            "character_ids" => {
                let id = Value::String(text(field).await?);
                let ids = fields
                    .entry("character_ids")
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(ids) = ids {
                    ids.push(id);
                }
            }
            name @ ("upload_id" | "image_url") => {
                let complaint = "stands in place of the file: send it in a JSON body";
                return Err(Error::invalid_field(name, complaint));
            }
            name => {
                let name = name.to_owned();
                if fields.contains_key(&name) {
                    return Err(Error::invalid_field(name, "must come once"));
                }
                fields.insert(name, Value::String(text(field).await?));
            }
        }
    }
    Err(broken("it has too many fields"))
}

/// Receives a client's file; `unreadable` says what is wrong when it breaks off.
pub async fn receive<E>(
    stream: impl Stream<Item = Result<Bytes, E>>,
    limit: u64,
    unreadable: impl FnOnce(&E) -> Error,
) -> Result<SpooledFile> {
    SpooledFile::receive(stream, limit).await.map_err(|error| match error {
        ReceiveError::TooLarge { limit } => Error::new(
            ErrorCode::PayloadTooLarge,
            format!("The file is larger than {limit} bytes."),
        ),
        ReceiveError::Source(error) => unreadable(&error),
        ReceiveError::Keep(error) => Error::internal(error),
    })
}

async fn text(mut field: Field<'_>) -> Result<String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|error| unreadable(&error))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_TEXT {
            let message = format!("A text field of the form is larger than {MAX_TEXT} bytes.");
            return Err(Error::new(ErrorCode::PayloadTooLarge, message));
        }
    }
    String::from_utf8(bytes).map_err(|_| broken("a text field is not UTF-8"))
}

fn unreadable(error: &MultipartError) -> Error {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return Error::new(ErrorCode::PayloadTooLarge, "The form is too large.");
    }
    broken("it ends or is cut in the wrong place")
}

fn broken(problem: &str) -> Error {
    Error::invalid_request(format!(
        "The body is not the multipart/form-data that it says it is: {}.",
        problem.trim_end_matches('.')
    ))
}
