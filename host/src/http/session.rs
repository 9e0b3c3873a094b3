//! Who is signed in: the session cookie of a browser, and the token in its forms that shows that they are ours.
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequestParts, OriginalUri, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::{Cookie, SameSite};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;

use super::form;
use crate::accounts::Account;
use crate::app::App;
use crate::caller::Caller;
use crate::sign_in::{self, NewSession};

/// Somebody whose browser has a session.
#[derive(Clone, Debug)]
pub(crate) struct SignedIn {
    pub(crate) account: Account,
    /// Stands in each form as the hidden field `csrf_token`.
    pub(crate) csrf_token: String,
}

impl SignedIn {
    pub(crate) fn caller(&self) -> Caller {
        Caller {
            account_id: self.account.id.clone(),
            email: self.account.email.clone(),
            plan: self.account.plan,
        }
    }

    /// Whether this is the token of this session's forms. For forms that are not urlencoded; others are a `CsrfForm`.
    pub(crate) fn has_sent(&self, csrf_token: &str) -> bool {
        // The comparison takes as long wherever the two begin to differ.
        let differences = self.csrf_token.bytes().zip(csrf_token.bytes());
        let different = differences.fold(0, |all, (ours, theirs)| all | (ours ^ theirs));
        self.csrf_token.len() == csrf_token.len() && different == 0
    }

    async fn find(parts: &Parts, app: &App) -> Result<Option<Self>, Response> {
        let Some(token) = session_token(app, &parts.headers) else {
            return Ok(None);
        };
        match sign_in::account_of(app, &token).await {
            Ok(account) => Ok(account.map(|account| Self {
                account,
                csrf_token: csrf_token(&token),
            })),
            Err(error) => {
                tracing::error!(error = %error, cause = error.cause(), "a session could not be looked up");
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Err(refusal(
                    status,
                    "Something went wrong on our side. Please try again later.",
                ))
            }
        }
    }
}

/// Where nobody is signed in this leads to the sign-in page, and back from there.
impl FromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        Self::find(parts, app).await?.ok_or_else(|| to_sign_in(parts))
    }
}

/// For pages that look different to whoever is signed in.
impl OptionalFromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Option<Self>, Response> {
        Self::find(parts, app).await
    }
}

/// A form of a page that this session was shown: another site can have a browser send a form, but cannot read the token.
#[derive(Debug)]
pub(crate) struct CsrfForm<T> {
    pub(crate) signed_in: SignedIn,
    pub(crate) form: T,
}

/// The largest form: a book of a hundred pages with the longest texts.
const MAX_FORM: usize = 4 * 1024 * 1024;

/// What each form holds beside its own fields.
#[derive(Deserialize)]
struct Hidden {
    #[serde(default)]
    csrf_token: String,
}

impl<T: DeserializeOwned> FromRequest<App> for CsrfForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let signed_in = <SignedIn as FromRequestParts<App>>::from_request_parts(&mut parts, app).await?;
        let body = form::read(Request::from_parts(parts, body), MAX_FORM).await?;
        let hidden: Hidden = form::parse(&body)?;
        if !signed_in.has_sent(&hidden.csrf_token) {
            return Err(forged());
        }
        Ok(Self {
            signed_in,
            form: form::parse(&body)?,
        })
    }
}

/// The largest form of somebody who is not signed in.
const MAX_ANONYMOUS_FORM: usize = 16 * 1024;

/// A form of somebody who need not be signed in. `same_origin` keeps other sites from sending it.
#[derive(Debug)]
pub(crate) struct AnonymousForm<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for AnonymousForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, _: &App) -> Result<Self, Response> {
        let body = form::read(request, MAX_ANONYMOUS_FORM).await?;
        form::parse(&body).map(Self)
    }
}

/// The session that a browser shows, if it shows one.
pub(crate) fn session_token(app: &App, headers: &HeaderMap) -> Option<String> {
    let name = cookie_name(app);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}

/// Lets the browser keep a session that has just begun.
pub(crate) fn begun(app: &App, session: &NewSession, mut response: Response) -> Response {
    // For the log.
    response.extensions_mut().insert(session.account.id.clone());
    let longest = sign_in::LONGEST_SESSION.as_secs();
    let cookie = cookie(
        app,
        session.token.expose().to_owned(),
        i64::try_from(longest).unwrap_or(i64::MAX),
    );
    with_cookie(response, &cookie)
}

/// Has the browser forget its session.
pub(crate) fn ended(app: &App, response: Response) -> Response {
    with_cookie(response, &cookie(app, String::new(), 0))
}

fn with_cookie(mut response: Response, cookie: &Cookie<'_>) -> Response {
    if let Ok(value) = HeaderValue::from_str(&cookie.to_string()) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    response
}

fn cookie(app: &App, value: String, seconds: i64) -> Cookie<'static> {
    Cookie::build((cookie_name(app), value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_secure(app))
        .max_age(cookie::time::Duration::seconds(seconds))
        .build()
}

/// With the prefix a browser takes the cookie from this very host alone, and only over TLS.
fn cookie_name(app: &App) -> &'static str {
    if is_secure(app) {
        "__Host-linepress"
    } else {
        "linepress"
    }
}

pub(crate) fn is_secure(app: &App) -> bool {
    app.config.public_url.starts_with("https://")
}

/// Follows from the session's token, which nobody can find from it.
fn csrf_token(session_token: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(session_token.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(b"csrf_token");
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

/// To the sign-in page; from a page that can be asked for again, with the way back.
fn to_sign_in(parts: &Parts) -> Response {
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return Redirect::to("/sign-in").into_response();
    }
    let original = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |uri| &uri.0);
    let path = original.path_and_query().map_or("/", |path| path.as_str());
    let path: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
    Redirect::to(&format!("/sign-in?return_to={path}")).into_response()
}

/// The form came from elsewhere, or from before another sign-in.
pub(super) fn forged() -> Response {
    refusal(
        StatusCode::FORBIDDEN,
        "This form is too old, or is not from this site. Nothing was changed. Go back, load the page again, and send the form once more.",
    )
}

/// What a browser shows of a request that was refused before a page had it.
pub(super) fn refusal(status: StatusCode, message: &str) -> Response {
    (status, message.to_owned()).into_response()
}
