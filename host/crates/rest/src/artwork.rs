//! Artwork in a request: a file in `multipart/form-data`, or JSON that names an upload or an address.
use axum::Extension;
use axum::extract::{FromRequest, FromRequestParts as _, Request};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::extract::{Body, MAX_BODY_BYTES, is_json};
use linepress_accounts::caller::Caller;
use linepress_http::Failure;
use linepress_http::file_form::{FileForm, is_file_form};
use linepress_http::json::{parse_value, shortened};
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::field::Field;
use linepress_platform::importer::SpooledFile;

/// The fields of a request, which are the same in a form and in JSON, and the file that a form contains.
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
            let Body(fields) = Body::<T, MAX_BODY_BYTES>::from_request(request, app).await?;
            return Ok(Self { fields, file: None });
        }
        let (mut parts, body) = request.into_parts();
        let caller = Extension::<Caller>::from_request_parts(&mut parts, app).await;
        let Extension(caller) = caller.map_err(Error::internal)?;
        let form = FileForm::open(app, caller.account_id(), Request::from_parts(parts, body)).await?;
        read(app, form).await
    }
}

/// Reads a form. Its fields become the equivalent JSON; the field `character_ids` is repeated for each id.
async fn read<T: DeserializeOwned>(app: &App, mut form: FileForm) -> Result<ArtworkBody<T>, Failure> {
    let mut fields = Map::new();
    let mut file = None;
    while let Some(field) = form.next().await? {
        match field.name() {
            "image" if file.is_some() => {
                return Err(Error::invalid_field(Field::image(), "must not be repeated").into());
            }
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
                let message = "replaces the file: send it in a JSON body instead of a form";
                return Err(Error::invalid_field(Field::named(name.to_owned()), message).into());
            }
            name if field.file_name().is_some() => {
                let message = "must not be a file: send the file in the field image";
                return Err(Error::invalid_field(Field::named(shortened(name)), message).into());
            }
            name => {
                let name = name.to_owned();
                if fields.contains_key(&name) {
                    return Err(Error::invalid_field(Field::named(name), "must not be repeated").into());
                }
                fields.insert(name, Value::String(field.text().await?));
            }
        }
    }
    Ok(ArtworkBody {
        fields: parse_value(Value::Object(fields)).map_err(for_form)?,
        file,
    })
}

/// Adapts an error about missing fields to forms, which have the field `image` in place of `upload_id` and `image_url`.
fn for_form(error: Error) -> Error {
    let ErrorKind::ValidationFailed(mut details) = error.kind else {
        return error;
    };
    for detail in &mut details {
        detail.message = detail.message.replace("upload_id, image_url", "image");
    }
    Error::validation(details)
}
