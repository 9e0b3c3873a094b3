//! Forms from browsers, as `application/x-www-form-urlencoded`.
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::same_origin;
use super::session::SignedIn;
use super::{FORM, html, is_of_kind};
use linepress_platform::app::App;

pub use super::same_origin::forged;

/// A form that was rendered for this session. Another site can make the browser send a form, but it cannot read the
/// CSRF token.
#[derive(Debug)]
pub struct CsrfForm<T> {
    pub signed_in: SignedIn,
    pub form: T,
}

/// The size limit of a form, in bytes: enough for a page or a character with the longest texts. Some forms have their
/// own limit.
const MAX_FORM_BYTES: usize = 64 * 1024;

/// The hidden field of every form.
#[derive(Deserialize)]
struct CsrfField {
    #[serde(default)]
    csrf_token: String,
}

impl<T: DeserializeOwned> FromRequest<App> for CsrfForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        Self::read(request, app, MAX_FORM_BYTES, async |_| Ok(())).await
    }
}

impl<T: DeserializeOwned> CsrfForm<T> {
    /// Reads a form of at most `max_bytes`, after `admit` has accepted the sender. The value that `admit` returns is
    /// held until the form has been read.
    pub(crate) async fn read<Place>(
        request: Request,
        app: &App,
        max_bytes: usize,
        admit: impl AsyncFnOnce(&SignedIn) -> Result<Place, Response>,
    ) -> Result<Self, Response> {
        let read = LastingForm::<T>::read(request, app, max_bytes, admit).await?;
        if !read.is_current {
            return Err(forged());
        }
        Ok(read.sent)
    }
}

/// A form that may also have been rendered for an earlier session of the same browser, if the browser reports that the
/// form comes from this site. Such a form may save texts, and nothing more.
#[derive(Debug)]
pub struct LastingForm<T> {
    pub sent: CsrfForm<T>,
    /// True if the form was rendered for the current session.
    pub is_current: bool,
}

impl<T: DeserializeOwned> LastingForm<T> {
    /// Reads a form like `CsrfForm`.
    pub async fn read<Place>(
        request: Request,
        app: &App,
        max_bytes: usize,
        admit: impl AsyncFnOnce(&SignedIn) -> Result<Place, Response>,
    ) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let _place = admit(&signed_in(&mut parts, app).await?).await?;
        let body = read(&parts.headers, body, max_bytes).await?;
        // The session may have ended while the form was being sent.
        let signed_in = signed_in(&mut parts, app).await?;
        let csrf: CsrfField = parse(&body).map_err(incomplete)?;
        let is_current = signed_in.has_sent(&csrf.csrf_token);
        if !is_current && !same_origin::is_reported(app, &parts.headers) {
            return Err(forged());
        }
        let form = parse(&body).map_err(incomplete)?;
        Ok(Self {
            sent: CsrfForm { signed_in, form },
            is_current,
        })
    }
}

async fn signed_in(parts: &mut Parts, app: &App) -> Result<SignedIn, Response> {
    <SignedIn as FromRequestParts<App>>::from_request_parts(parts, app).await
}

/// The size limit of a form from a visitor who is not signed in, in bytes.
const MAX_ANONYMOUS_FORM_BYTES: usize = 16 * 1024;

/// A form from a visitor who need not be signed in. `same_origin` rejects such forms from other sites.
#[derive(Debug)]
pub struct AnonymousForm<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for AnonymousForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, _: &App) -> Result<Self, Response> {
        let (parts, body) = request.into_parts();
        let body = read(&parts.headers, body, MAX_ANONYMOUS_FORM_BYTES).await?;
        parse(&body).map(Self).map_err(incomplete)
    }
}

fn refused(status: StatusCode, advice: &str) -> Response {
    html::error_page(status, "That did not work", advice)
}

/// The body of a form of at most `max_bytes`.
async fn read(headers: &HeaderMap, body: Body, max_bytes: usize) -> Result<Bytes, Response> {
    if !is_of_kind(headers, FORM) {
        let advice = "Send the form as application/x-www-form-urlencoded, as browsers do.";
        return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, advice));
    }
    let too_large = |_| {
        let advice = "The form is too large, or ended too early.";
        refused(StatusCode::PAYLOAD_TOO_LARGE, advice)
    };
    to_bytes(body, max_bytes).await.map_err(too_large)
}

/// Parses the fields of a form. Rejects a repeated field where the form has only one.
fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, serde_urlencoded::de::Error> {
    serde_urlencoded::from_bytes(body)
}

fn incomplete(error: serde_urlencoded::de::Error) -> Response {
    let advice = format!("The form is not complete: {error}.");
    refused(StatusCode::BAD_REQUEST, &advice)
}
