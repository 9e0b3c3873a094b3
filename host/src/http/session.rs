//! Who is signed in: the session cookie of a browser, and the token in its forms that shows that they are ours.
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
use crate::accounts::Account;
use crate::app::App;
use crate::caller::Caller;
use crate::sign_in;

pub(crate) use super::form::CsrfForm;

/// Somebody whose browser has a session.
#[derive(Clone, Debug)]
pub(crate) struct SignedIn {
    pub(crate) account: Account,
    /// The hidden field `csrf_token` of each form. Each page writes it differently, so that the length of a compressed page tells
    /// nothing about it.
    pub(crate) csrf_token: String,
    proof: Proof,
}

/// What shows that a form is of this session.
type Proof = [u8; 32];

impl SignedIn {
    pub(crate) fn caller(&self) -> Caller {
        Caller {
            account_id: self.account.id.clone(),
            email: self.account.email.clone(),
            plan: self.account.plan,
            key_id: None,
            grant: None,
        }
    }

    /// What stands around a page in this section.
    pub(crate) fn frame(&self, section: Section) -> Frame {
        Frame {
            section,
            email: self.account.email.clone(),
            credits: self.account.credits,
            csrf_token: self.csrf_token.clone(),
        }
    }

    /// Whether this is the token of this session's forms. For forms that are not urlencoded; others are a `CsrfForm`.
    pub(crate) fn has_sent(&self, csrf_token: &str) -> bool {
        let Some(sent) = unmasked(csrf_token) else {
            return false;
        };
        // The comparison takes as long wherever the two begin to differ.
        let differences = self.proof.iter().zip(sent).map(|(ours, theirs)| ours ^ theirs);
        differences.fold(0, |all, different| all | different) == 0
    }

    async fn find(parts: &Parts, app: &App) -> Result<Option<Self>, Response> {
        Self::of(app, &parts.headers)
            .await
            .map_err(|error| html::failed(&error))
    }

    /// The session that these headers of a request show, if it has not ended. A response that goes on for minutes asks again.
    pub(crate) async fn of(app: &App, headers: &HeaderMap) -> crate::error::Result<Option<Self>> {
        let Some(token) = session_token(app, headers) else {
            return Ok(None);
        };
        let account = sign_in::account_of(app, &token).await?;
        Ok(account.map(|account| {
            let proof = proof_of(&token);
            let mut pad = Proof::default();
            app.random.fill(&mut pad);
            Self {
                account,
                csrf_token: masked(&proof, &pad),
                proof,
            }
        }))
    }
}

/// Where nobody is signed in this leads to the sign-in page, and back from there.
impl FromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        Self::find(parts, app).await?.ok_or_else(|| to_sign_in(parts, app))
    }
}

/// For pages that look different to whoever is signed in.
impl OptionalFromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Option<Self>, Response> {
        Self::find(parts, app).await
    }
}

/// Follows from the session's token, which cannot be found from it.
fn proof_of(session_token: &str) -> Proof {
    let mut mac = Hmac::<Sha256>::new_from_slice(session_token.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(b"csrf_token");
    mac.finalize().into_bytes().into()
}

/// The pad, and the proof under it.
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

/// To the sign-in page, with the way back: to the page that was asked for, or to the one that the form stands on.
fn to_sign_in(parts: &Parts, app: &App) -> Response {
    let is_page = matches!(parts.method, Method::GET | Method::HEAD);
    let back = if is_page {
        let original = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |uri| &uri.0);
        Some(original.path_and_query().map_or("/", |path| path.as_str()).to_owned())
    } else {
        same_origin::page_of_form(app, &parts.headers)
    };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    if let Some(back) = back {
        query.append_pair("return_to", &back);
    }
    // Only somebody who was signed in has a form, or a session that is over.
    if !is_page || session_token(app, &parts.headers).is_some() {
        query.append_pair("ended", "yes");
    }
    Redirect::to(&format!("/sign-in?{}", query.finish())).into_response()
}
