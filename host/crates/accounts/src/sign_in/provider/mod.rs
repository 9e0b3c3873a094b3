//! Sign-in with an OpenID Connect provider: a browser is sent to the provider and comes back with a code, for which the
//! provider identifies the person.
//!
//! The provider's answer is bound to the browser that left by a secret that only the browser has, from which the nonce
//! and the code verifier are derived. Each journey to the provider can be completed once.
mod account;

use std::time::Duration;

use oauth2::{CsrfToken, PkceCodeChallenge, PkceCodeVerifier};

use super::{NewSession, store};
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::config::Oidc;
use linepress_platform::error::{Error, Result};
use linepress_platform::oidc::{self, Person};
use linepress_platform::secrets::Secret;

/// The time after which the browser must be back.
const JOURNEY_LIFETIME: Duration = Duration::from_secs(600);
/// The number of visits to the provider from one address. Separate from the limit of password attempts, because another
/// site can make a browser follow this link.
const DEPARTURES: Rate = Rate::new(60, Duration::from_secs(300));

/// The start of a browser's journey to the provider.
#[derive(Debug)]
pub struct Departure {
    /// The URL to which the browser is redirected.
    pub url: String,
    /// The secret that the browser keeps in a cookie until it is back.
    pub browser: Secret,
}

/// The parameters with which a browser comes back from the provider.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub state: String,
    pub code: Option<String>,
    /// The error code of a provider that did not sign the person in.
    pub error: Option<String>,
    /// The issuer that sent the answer.
    pub issuer: Option<String>,
}

/// A completed sign-in, and the page to which the person returns.
#[derive(Debug)]
pub struct Arrival {
    pub session: NewSession,
    pub return_to: String,
}

/// The reason why a sign-in failed. The messages are shown to the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error(
        "This sign-in is older than ten minutes, was ended already, or was begun in another browser. Please begin once more."
    )]
    UnknownJourney,
    #[error("You were not signed in there, so you are not signed in here.")]
    Declined,
    #[error("Your e-mail address is not verified there. Verify it first, and then come back.")]
    UnverifiedAddress,
    #[error("There is no account for you here. Ask the operator of this server to create one for your e-mail address.")]
    NoAccount,
    #[error(
        "The account with your e-mail address belongs to another person, who signed in from there before you. Ask the operator of this server."
    )]
    AnotherPerson,
    #[error("Your account here is closed or suspended. Ask the operator of this server to open it again.")]
    LockedOut,
    /// The cause is logged.
    #[error("Signing in there does not work at the moment. Please try again later, or sign in with a password.")]
    Failed,
}

fn settings(app: &App) -> Result<&Oidc> {
    let oidc = app.config.sign_in.oidc.as_ref();
    oidc.ok_or_else(|| Error::not_found("sign-in provider"))
}

/// The URL to which the provider sends browsers back.
fn callback_url(app: &App) -> String {
    format!("{}/sign-in/provider/callback", app.config.public_url)
}

/// Begins a journey to the provider. `return_to` is the page to which the person returns, and `client` the address of
/// the browser.
pub async fn depart(app: &App, return_to: &str, client: &str) -> Result<Result<Departure, Refusal>> {
    let oidc = settings(app)?;
    throttle::take(app, "visits to the sign-in provider", client, DEPARTURES).await?;
    let endpoints = match app.provider.endpoints(oidc, app.clock.now()).await {
        Ok(endpoints) => endpoints,
        Err(cause) => return Ok(Err(failed(&cause))),
    };
    let (state, browser) = (Secret::generate(&app.random), Secret::generate(&app.random));
    let verifier = PkceCodeVerifier::new(derived(&browser, "verifier"));
    let client = match oidc::client(oidc, callback_url(app), &endpoints) {
        Ok(client) => client,
        Err(cause) => return Ok(Err(failed(&cause))),
    };
    let (url, _) = client
        .authorize_url(|| CsrfToken::new(state.expose().to_owned()))
        .add_scopes(["openid", "email"].map(|scope| oauth2::Scope::new(scope.into())))
        .add_extra_param("nonce", derived(&browser, "nonce"))
        .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
        .url();
    let now = app.clock.now();
    let mut tx = app.database.begin().await?;
    let journey = store::Journey {
        state_hash: &state.hash(),
        browser_hash: &browser.hash(),
        return_to,
    };
    store::insert_journey(&mut tx, &journey, now, now.plus(JOURNEY_LIFETIME)).await?;
    tx.commit().await?;
    Ok(Ok(Departure {
        url: url.into(),
        browser,
    }))
}

/// Completes a journey and signs the person in. `browser` is the secret from the browser's cookie.
pub async fn arrive(app: &App, browser: &str, answer: &Answer) -> Result<Result<Arrival, Refusal>> {
    let oidc = settings(app)?;
    let (Some(browser), Some(state)) = (Secret::from_text(browser), Secret::from_text(&answer.state)) else {
        return Ok(Err(Refusal::UnknownJourney));
    };
    let mut tx = app.database.begin().await?;
    let ended = store::end_journey(&mut tx, &state.hash(), &browser.hash(), app.clock.now()).await?;
    // Committed even if the sign-in then fails, so that a journey is completed at most once.
    tx.commit().await?;
    let Some(return_to) = ended else {
        return Ok(Err(Refusal::UnknownJourney));
    };
    let person = match identify(app, oidc, &browser, answer).await {
        Ok(person) => person,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let session = account::sign_in(app, oidc, &person).await?;
    Ok(session.map(|session| Arrival { session, return_to }))
}

/// Asks the provider to identify the person.
async fn identify(app: &App, oidc: &Oidc, browser: &Secret, answer: &Answer) -> Result<Person, Refusal> {
    let endpoints = app
        .provider
        .endpoints(oidc, app.clock.now())
        .await
        .map_err(|cause| failed(&cause))?;
    // RFC 9207: an answer from another provider must not be sent to this one.
    let from_elsewhere = match &answer.issuer {
        Some(issuer) => *issuer != oidc.issuer,
        None => endpoints.names_itself,
    };
    if from_elsewhere {
        return Err(failed("the answer was sent by another provider"));
    }
    if let Some(error) = &answer.error {
        tracing::info!(
            error = error.escape_debug().to_string(),
            "sign-in provider declined the sign-in"
        );
        return Err(Refusal::Declined);
    }
    let code = answer.code.as_deref().ok_or_else(|| failed("the answer has no code"))?;
    let tokens = app
        .provider
        .exchange(oidc, callback_url(app), &endpoints, code, derived(browser, "verifier"));
    let tokens = tokens.await.map_err(|cause| failed(&cause))?;
    let expected = oidc::Expected {
        issuer: &oidc.issuer,
        client_id: &oidc.client_id,
        nonce: &derived(browser, "nonce"),
        now: app.clock.now(),
    };
    let person = oidc::read_id_token(&tokens.id_token, &expected).map_err(failed)?;
    match (&person.email, &endpoints.userinfo) {
        (None, Some(userinfo)) => {
            let person = app.provider.complete(person, userinfo, &tokens.access_token).await;
            person.map_err(|cause| failed(&cause))
        }
        _ => Ok(person),
    }
}

/// Logs the cause, which the person who signs in cannot change.
fn failed(cause: &str) -> Refusal {
    tracing::warn!(cause, "sign-in with the provider failed");
    Refusal::Failed
}

/// A value of the journey that is derived from the browser's secret.
fn derived(browser: &Secret, what: &str) -> String {
    use base64::Engine as _;
    use hmac::{Hmac, KeyInit as _, Mac as _};
    let mut mac =
        Hmac::<sha2::Sha256>::new_from_slice(browser.expose().as_bytes()).expect("HMAC takes a key of any length");
    mac.update(what.as_bytes());
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

/// Deletes the expired journeys of browsers that did not come back; returns their number.
pub async fn forget_expired_journeys(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_expired_journeys(&mut tx, now).await?;
    tx.commit().await?;
    Ok(forgotten)
}
