//! Forms with a picture.
use axum::extract::{FromRequest, FromRequestParts as _, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

use super::form::{Fields, check_plan};
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::{self, IdempotencyKey};
use linepress_http::file_form::{FileForm, is_file_form};
use linepress_http::form::forged;
use linepress_http::session::SignedIn;
use linepress_http::{ErrorCode, Failure, html};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::importer::SpooledFile;

/// A form with a picture, from an account whose plan allows changes.
pub(super) struct Upload {
    pub signed_in: SignedIn,
    pub caller: Caller,
    pub fields: Fields,
    /// `None` if no file was chosen.
    pub file: Option<SpooledFile>,
}

impl Upload {
    /// Rejects a form with neither a file nor an address.
    pub(super) async fn check(&self, app: &App, key: &IdempotencyKey) -> Result<(), Error> {
        if self.file.is_some() || !self.fields.text("image_url").is_empty() {
            return Ok(());
        }
        let missing = Error::invalid_field(Field::image(), "is required: choose a picture");
        Err(idempotency::conflict_if_used(app, &self.caller, Some(key), missing).await)
    }
}

/// Converts a failure into a page. For a picture that is too large it names the limit in megabytes.
fn refusal(app: &App, failure: Failure) -> Response {
    if failure.code != ErrorCode::PayloadTooLarge {
        return failure.into_response();
    }
    let most = app.config.import_limit() / 1_000_000;
    let advice = format!(
        "The picture is too large: it may have at most {most} MB. Go back, choose a smaller one, and send the form again. Everything you \
         typed is still there."
    );
    html::error_page(StatusCode::PAYLOAD_TOO_LARGE, "That did not work", &advice)
}

impl FromRequest<App> for Upload {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let signed_in = SignedIn::from_request_parts(&mut parts, app).await?;
        let request = Request::from_parts(parts.clone(), body);
        if !is_file_form(&request) {
            return Err(html::error_page(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "That did not work",
                "Send a form with a file as multipart/form-data, as browsers do.",
            ));
        }
        check_plan(&signed_in).map_err(Failure::into_response)?;
        let form = FileForm::open(app, &signed_in.account.id, request).await;
        let form = form.map_err(|failure| refusal(app, failure))?;
        let (fields, file) = read(app, &signed_in, form).await?;
        // The session, or the plan, may have ended while the form was being sent.
        let signed_in = SignedIn::from_request_parts(&mut parts, app).await?;
        check_plan(&signed_in).map_err(Failure::into_response)?;
        Ok(Self {
            caller: signed_in.caller(),
            signed_in,
            fields,
            file,
        })
    }
}

/// Reads the form. The CSRF token must be the first field, so that no file is received from a form of another site.
async fn read(app: &App, signed_in: &SignedIn, mut form: FileForm) -> Result<(Fields, Option<SpooledFile>), Response> {
    let mut fields = Fields::default();
    let mut file = None;
    let mut is_ours = false;
    while let Some(field) = form.next().await.map_err(Failure::into_response)? {
        let name = field.name().to_owned();
        if !is_ours {
            if name != "csrf_token" {
                return Err(forged());
            }
            let sent = field.text().await.map_err(Failure::into_response)?;
            is_ours = signed_in.has_sent(&sent);
            if !is_ours {
                return Err(forged());
            }
        } else if name == "image" && file.is_none() {
            // If no file was chosen, browsers send the field without a file name.
            let is_chosen = field.file_name().is_some_and(|name| !name.is_empty());
            let received = field.file(app).await.map_err(|failure| refusal(app, failure))?;
            file = is_chosen.then_some(received);
        } else if field.file_name().is_some() {
            let complaint = Error::invalid_field(Field::image(), "must not be repeated");
            return Err(Failure::from(complaint).into_response());
        } else {
            fields.push(&name, field.text().await.map_err(Failure::into_response)?);
        }
    }
    if !is_ours {
        return Err(forged());
    }
    Ok((fields, file))
}
