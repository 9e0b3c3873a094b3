//! Artwork in a request: a file in `multipart/form-data`, or JSON that names where it is.
use axum::extract::{FromRequest, FromRequestParts as _, Request};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::extract::{Body, MAX_BODY, is_json};
use crate::app::App;
use crate::caller::Caller;
use crate::error::{Error, ErrorKind};
use crate::http::Failure;
use crate::http::file_form::{FileForm, is_file_form};
use crate::importer::SpooledFile;
use crate::json::{parse_value, shortened};

/// The fields of a request, the same in a form and in JSON, and the file beside them.
pub(super) struct ArtworkBody<T> {
    pub fields: T,
    pub file: Option<SpooledFile>,
}

impl<T: DeserializeOwned> FromRequest<App> for ArtworkBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        if !is_file_form(&request) {
            if !is_json(request.headers()) {
                let message =
                    "Send the file as multipart/form-data, or JSON that names an upload_id or an https image_url.";
                return Err(Failure::unsupported_media_type(message));
            }
            let Body(fields) = Body::<T, MAX_BODY>::from_request(request, app).await?;
            return Ok(Self { fields, file: None });
        }
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, app).await?;
        let form = FileForm::open(app, &caller.account_id, Request::from_parts(parts, body)).await?;
        read(app, form).await
    }
}

/// Fields become the JSON that says the same; `character_ids` comes once for each.
async fn read<T: DeserializeOwned>(app: &App, mut form: FileForm) -> Result<ArtworkBody<T>, Failure> {
    let mut fields = Map::new();
    let mut file = None;
    while let Some(field) = form.next().await? {
        match field.name() {
            "image" if file.is_some() => return Err(Error::invalid_field("image", "must come once").into()),
            "image" => file = Some(field.file(app).await?),
            "character_ids" => {
                let id = Value::String(field.text().await?);
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
                fields.insert(name, Value::String(field.text().await?));
            }
        }
    }
    Ok(ArtworkBody {
        fields: parse_value(Value::Object(fields)).map_err(in_a_form)?,
        file,
    })
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
