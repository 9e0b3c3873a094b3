//! The signed-in account: the session cookie of a browser, and the CSRF token that shows that a form was rendered for
//! the session.
use axum::extract::{FromRequestParts, OptionalFromRequestParts, OriginalUri};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse as _, Redirect, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::html::{self, Frame, Section};
use super::same_origin;
use super::session_cookie::session_token;
use linepress_accounts::accounts::Account;
use linepress_accounts::caller::Caller;
use linepress_accounts::sign_in::{self, CurrentSession};
use linepress_platform::app::App;
use linepress_platform::maintenance::{self, Maintenance};

/// A visitor whose browser has a current session.
#[derive(Clone, Debug)]
pub struct SignedIn {
    pub account: Account,
    /// The value of the hidden field `csrf_token` of each form. It is masked differently in each page, so that the
    /// length of a compressed page reveals nothing about it.
    pub csrf_token: String,
    caller: Caller,
    proof: Proof,
    maintenance: Option<Maintenance>,
}

/// The unmasked CSRF token, which shows that a form belongs to a session.
type Proof = [u8; 32];

impl SignedIn {
    pub fn caller(&self) -> Caller {
        self.caller.clone()
    }

    /// The frame around a page in this section.
    pub fn frame(&self, section: Section) -> Frame {
        Frame {
            section,
            email: self.account.email.clone(),
            credits: self.account.credits,
            is_operator: self.caller.is_operator(),
            csrf_token: self.csrf_token.clone(),
            notice: self.maintenance.as_ref().map(Maintenance::notice),
        }
    }

    /// Returns true if the CSRF token belongs to this session. For multipart forms; urlencoded forms use `CsrfForm`.
    pub fn has_sent(&self, csrf_token: &str) -> bool {
        let Some(sent) = unmasked(csrf_token) else {
            return false;
        };
        // Constant time: the comparison does not stop at the first difference.
        let differences = self.proof.iter().zip(sent).map(|(ours, theirs)| ours ^ theirs);
        differences.fold(0, |all, different| all | different) == 0
    }

    async fn find(parts: &Parts, app: &App) -> Result<Option<Self>, Response> {
        Self::from_headers(app, &parts.headers)
            .await
            .map_err(|error| html::internal_error_page(&error))
    }

    /// Returns the session of a request with these headers, or `None` if it has none or the session has ended. A
    /// response that streams for minutes calls this again.
    pub async fn from_headers(app: &App, headers: &HeaderMap) -> linepress_platform::error::Result<Option<Self>> {
        let Some(token) = session_token(app, headers) else {
            return Ok(None);
        };
        let Some(CurrentSession { account, caller }) = sign_in::find_session(app, &token).await? else {
            return Ok(None);
        };
        let proof = proof_from(&token);
        let mut pad = Proof::default();
        app.random.fill(&mut pad);
        Ok(Some(Self {
            account,
            csrf_token: masked(&proof, &pad),
            caller,
            proof,
            maintenance: maintenance::current(app).await?,
        }))
    }
}

/// Redirects visitors who are not signed in to the sign-in page, which returns them afterwards.
impl FromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        Self::find(parts, app).await?.ok_or_else(|| to_sign_in(parts, app))
    }
}

/// For pages that are also shown to visitors who are not signed in.
impl OptionalFromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Option<Self>, Response> {
        Self::find(parts, app).await
    }
}

/// Derives the proof from the session token. The token cannot be derived from the proof.
fn proof_from(session_token: &str) -> Proof {
    let mut mac = Hmac::<Sha256>::new_from_slice(session_token.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(b"csrf_token");
    mac.finalize().into_bytes().into()
}

/// The pad, followed by the proof XOR the pad.
fn masked(proof: &Proof, pad: &Proof) -> String {
    let under_pad = proof.iter().zip(pad).map(|(proof, pad)| proof ^ pad);
    let bytes: Vec<u8> = pad.iter().copied().chain(under_pad).collect();
    URL_SAFE_NO_PAD.encode(bytes)
}

fn unmasked(csrf_token: &str) -> Option<Proof> {
    let bytes = URL_SAFE_NO_PAD.decode(csrf_token).ok()?;
    let (pad, under_pad) = bytes.split_at_checked(size_of::<Proof>())?;
    let under_pad: &Proof = under_pad.try_into().ok()?;
    Some(std::array::from_fn(|at| pad[at] ^ under_pad[at]))
}

/// Redirects to the sign-in page. After sign-in the browser returns to the requested page, or to the page that the form
/// was on.
fn to_sign_in(parts: &Parts, app: &App) -> Response {
    let is_page = matches!(parts.method, Method::GET | Method::HEAD);
    let back = if is_page {
        let original = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |uri| &uri.0);
        Some(original.path_and_query().map_or("/", |path| path.as_str()).to_owned())
    } else {
        same_origin::path_of_form_page(app, &parts.headers)
    };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    if let Some(back) = back {
        query.append_pair("return_to", &back);
    }
    // Without a session, a form or a cookie can only come from a session that has ended.
    if !is_page || session_token(app, &parts.headers).is_some() {
        query.append_pair("ended", "yes");
    }
    Redirect::to(&format!("/sign-in?{}", query.finish())).into_response()
}
