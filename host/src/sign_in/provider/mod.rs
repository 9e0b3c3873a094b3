//! Signing in with an OpenID Connect provider: a browser leaves for the provider and comes back with a code, for which the
//! provider tells us who it is.
//!
//! What the provider returns is bound to the browser that left: by a secret that only the browser keeps, from which the
//! nonce and the verifier of the code are derived. Each journey can be ended once.
mod account;

use std::time::Duration;

use oauth2::{CsrfToken, PkceCodeChallenge, PkceCodeVerifier};

use super::{NewSession, store};
use crate::app::App;
use crate::config::Oidc;
use crate::error::{Error, Result};
use crate::oidc::{self, Person};
use crate::secrets::Secret;
use crate::throttle::{self, Rate};

/// How long a browser may be away.
const JOURNEY: Duration = Duration::from_secs(600);
/// Visits from one address. A limit apart from the one of passwords: another site can make a browser follow this link.
const DEPARTURES: Rate = Rate::new(60, Duration::from_secs(300));
/// A browser on its way to the provider.
#[derive(Debug)]
pub struct Departure {
    /// Where it goes.
    pub url: String,
    /// What it keeps until it is back.
    pub browser: Secret,
}

/// What a browser brings back from the provider.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub state: String,
    pub code: Option<String>,
    /// Set when the provider signed nobody in.
    pub error: Option<String>,
    /// Which provider it was.
    pub issuer: Option<String>,
}

/// Somebody is signed in, and goes where they were going.
#[derive(Debug)]
pub struct Arrival {
    pub session: NewSession,
    pub return_to: String,
}

/// Why nobody is signed in. The messages are for people.
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
    #[error("There is no account for you here. Ask whoever runs this server to make one for your e-mail address.")]
    NoAccount,
    #[error(
        "The account with your e-mail address belongs to somebody else here, who signed in from there before you. Ask whoever runs this server."
    )]
    AnotherPerson,
    #[error("Your account here is closed. Ask whoever runs this server to open it again.")]
    Closed,
    /// The cause is in the log.
    #[error("Signing in there does not work at the moment. Please try again later, or sign in with a password.")]
    Failed,
}

fn settings(app: &App) -> Result<&Oidc> {
    let oidc = app.config.sign_in.oidc.as_ref();
    oidc.ok_or_else(|| Error::not_found("sign-in provider"))
}

/// Where the provider sends browsers back to.
fn way_back(app: &App) -> String {
    format!("{}/sign-in/provider/callback", app.config.public_url)
}

/// Sends a browser to the provider. `return_to` is where it was going, and `client` where it comes from.
pub async fn depart(app: &App, return_to: &str, client: &str) -> Result<Result<Departure, Refusal>> {
    let oidc = settings(app)?;
    throttle::take(app, "visits to the sign-in provider", client, DEPARTURES).await?;
    let endpoints = match app.provider.endpoints(oidc, app.clock.now()).await {
        Ok(endpoints) => endpoints,
        Err(cause) => return Ok(Err(failed(&cause))),
    };
    let (state, browser) = (Secret::generate(&app.random), Secret::generate(&app.random));
    let verifier = PkceCodeVerifier::new(derived(&browser, "verifier"));
    let client = match oidc::client(oidc, way_back(app), &endpoints) {
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
    store::insert_journey(&mut tx, &journey, now, now.plus(JOURNEY)).await?;
    tx.commit().await?;
    Ok(Ok(Departure {
        url: url.into(),
        browser,
    }))
}

/// Signs in whoever came back. `browser` is what the browser kept.
pub async fn arrive(app: &App, browser: &str, answer: &Answer) -> Result<Result<Arrival, Refusal>> {
    let oidc = settings(app)?;
    let (Some(browser), Some(state)) = (Secret::from_text(browser), Secret::from_text(&answer.state)) else {
        return Ok(Err(Refusal::UnknownJourney));
    };
    let mut tx = app.database.begin().await?;
    let ended = store::end_journey(&mut tx, &state.hash(), &browser.hash(), app.clock.now()).await?;
    // Whatever comes of it, it cannot be ended once more.
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

/// Asks the provider who came back.
async fn identify(app: &App, oidc: &Oidc, browser: &Secret, answer: &Answer) -> Result<Person, Refusal> {
    let endpoints = app
        .provider
        .endpoints(oidc, app.clock.now())
        .await
        .map_err(|cause| failed(&cause))?;
    // RFC 9207: an answer of another provider must not be taken to this one.
    let from_elsewhere = match &answer.issuer {
        Some(issuer) => *issuer != oidc.issuer,
        None => endpoints.names_itself,
    };
    if from_elsewhere {
        return Err(failed("the answer is of another provider"));
    }
    if let Some(error) = &answer.error {
        tracing::info!(
            error = error.escape_debug().to_string(),
            "the provider signed nobody in"
        );
        return Err(Refusal::Declined);
    }
    let code = answer.code.as_deref().ok_or_else(|| failed("the answer has no code"))?;
    let tokens = app
        .provider
        .exchange(oidc, way_back(app), &endpoints, code, derived(browser, "verifier"));
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

/// Logs why it did not work: whoever signs in can do nothing about it.
fn failed(cause: &str) -> Refusal {
    tracing::warn!(cause, "signing in with the provider failed");
    Refusal::Failed
}

/// One of the values that belong to a journey; only the browser's secret leads to it.
fn derived(browser: &Secret, what: &str) -> String {
    use base64::Engine as _;
    use hmac::{Hmac, KeyInit as _, Mac as _};
    let mut mac =
        Hmac::<sha2::Sha256>::new_from_slice(browser.expose().as_bytes()).expect("HMAC takes a key of any length");
    mac.update(what.as_bytes());
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

/// Forgets browsers that did not come back.
pub async fn forget_expired_journeys(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_expired_journeys(&mut tx, now).await?;
    tx.commit().await?;
    Ok(forgotten)
}
