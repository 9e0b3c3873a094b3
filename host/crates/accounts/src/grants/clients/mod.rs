//! Clients: the apps that ask for grants. A client registers itself or publishes a document about itself.
mod document;
mod metadata;
pub mod redirect_uri;
mod store;

use std::time::Duration;

use linepress_model::text_enum;
use serde::Serialize;

use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, ClientId};
use linepress_platform::secrets::Secret;

pub use metadata::{ClientMetadata, Details, MetadataError, SentMetadata};

/// The time after its last use for which a client is remembered.
const UNUSED_LIFETIME: Duration = Duration::from_secs(90 * 24 * 3600);
/// The time for which a client without any grant is remembered: it can register or publish its document again.
const UNGRANTED_LIFETIME: Duration = DAY;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// High enough for hosted apps that register a client for each of their many users from one address.
const REGISTRATIONS_BY_ADDRESS: Rate = Rate::new(60, Duration::from_secs(3600));
const REGISTRATIONS_BY_SITE: Rate = Rate::new(240, Duration::from_secs(3600));
/// The number of clients that were never granted anything. The oldest ones beyond it are deleted: a limit that refused
/// registrations would let a few addresses block every new client.
const MAX_UNGRANTED_CLIENTS: i64 = 10_000;

text_enum! {
    /// The way a client authenticates itself.
    #[derive(Default)]
    pub enum AuthMethod {
        /// No authentication, because the client cannot protect a secret. PKCE binds its code to its request.
        None = "none",
        #[default]
        Basic = "client_secret_basic",
        Post = "client_secret_post",
    }
}

/// A registered client, or one with a document that was fetched.
#[derive(Clone, Debug, Serialize)]
pub struct Client {
    pub id: ClientId,
    /// The URL of the document; `None` for a client that registered itself.
    pub document_url: Option<String>,
    pub name: String,
    pub redirect_uris: Vec<String>,
    pub auth_method: AuthMethod,
    #[serde(skip)]
    secret_hash: Option<String>,
    #[serde(skip)]
    registration_hash: Option<String>,
    #[serde(skip)]
    pub details: Details,
    #[serde(skip)]
    fresh_until: Option<Timestamp>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

impl Client {
    /// The host whose owner vouches for the client; `None` for a client that registered itself.
    pub fn host(&self) -> Option<String> {
        self.document_url.as_deref().and_then(host_of)
    }

    /// Returns true when all redirects of a client with a document lead to the person's own device.
    pub fn is_only_local(&self) -> bool {
        self.document_url.is_some()
            && self
                .redirect_uris
                .iter()
                .all(|uri| redirect_uri::is_on_this_machine(uri))
    }

    /// Returns true when a browser may be redirected to `uri` for this client.
    pub fn allows_redirect_to(&self, uri: &str) -> bool {
        self.redirect_uris.iter().any(|own| redirect_uri::matches(own, uri))
    }

    /// Returns true when this is the token of the client's registration.
    pub fn is_opened_by(&self, registration_token: &str) -> bool {
        let sent = Secret::from_text(registration_token).map(|token| token.hash());
        sent.is_some() && sent == self.registration_hash
    }
}

/// A client that registered itself, with its secrets, which are not stored.
#[derive(Debug)]
pub struct Registered {
    pub id: ClientId,
    pub created_at: Timestamp,
    /// The client secret; `None` for a client that does not authenticate itself.
    pub secret: Option<Secret>,
    /// The token with which the client can read its registration.
    pub registration_token: Secret,
}

/// Takes one of the registrations that an address, and the IPv6 site of the address, may make per hour.
pub async fn take_registration(app: &App, address: &str, site: Option<&str>) -> Result<()> {
    throttle::take(
        app,
        "registrations from this address",
        address,
        REGISTRATIONS_BY_ADDRESS,
    )
    .await?;
    match site {
        Some(site) => throttle::take(app, "registrations from this network", site, REGISTRATIONS_BY_SITE).await,
        None => Ok(()),
    }
}

/// Registers a client.
pub async fn register(app: &App, client: &ClientMetadata) -> Result<Registered> {
    let now = app.clock.now();
    let registered = Registered {
        id: ClientId::generate(now, &app.random),
        created_at: now,
        secret: (client.auth_method != AuthMethod::None).then(|| Secret::generate(&app.random)),
        registration_token: Secret::generate(&app.random),
    };
    let mut tx = app.database.begin().await?;
    store::insert_registered(&mut tx, client, &registered, now.plus(UNGRANTED_LIFETIME)).await?;
    tx.commit().await?;
    Ok(registered)
}

/// The client with this `client_id`; `None` when it is unknown or was revoked.
pub async fn find(app: &App, name: &str) -> Result<Option<Client>> {
    let found = if names_document(name) {
        store::find_document(&app.database.read, name).await?
    } else {
        let id = ClientId::from_client(name);
        if id.names_nothing() {
            return Ok(None);
        }
        store::find(&app.database.read, &id).await?
    };
    Ok(found.filter(|client| client.revoked_at.is_none()))
}

/// Returns the client like `find`, but first fetches its document if the client publishes one and the stored version is
/// not fresh. `account` is the account on whose behalf the document is fetched.
pub async fn resolve(app: &App, name: &str, account: &AccountId) -> Result<Option<Client>> {
    if names_document(name) {
        return document::resolve(app, name, account).await;
    }
    find(app, name).await
}

/// Returns true when the `client_id` is an address from which a document could be fetched.
pub fn may_have_document(name: &str) -> bool {
    names_document(name) && document::check_address(name).is_ok()
}

fn names_document(name: &str) -> bool {
    // Text with a NUL must not reach the database.
    name.starts_with("https://") && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The client with this `client_id`, if the secret is right. The caller does not learn which of the two is wrong.
pub async fn authenticate(app: &App, name: &str, secret: Option<&str>) -> Result<Option<Client>> {
    let found = find(app, name).await?;
    Ok(found.filter(|client| {
        let sent = secret.filter(|secret| !secret.is_empty());
        let sent = sent.map(|secret| Secret::from_text(secret).map(|secret| secret.hash()));
        match (&client.secret_hash, sent) {
            (None, None) => true,
            (Some(hash), Some(Some(sent))) => *hash == sent,
            _ => false,
        }
    }))
}

/// Every client, oldest first.
pub async fn list(app: &App) -> Result<Vec<Client>> {
    Ok(store::list(&app.database.read).await?)
}

/// Revokes a client and all grants to it; returns false when no active client has this id. A client with a document
/// stays in the database, and so stays blocked; a client that registered itself is deleted once its grants are.
pub async fn revoke(app: &App, id: &ClientId) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let revoked = revoke_within(app, &mut tx, id).await?;
    tx.commit().await?;
    Ok(revoked)
}

/// Revokes a client like `revoke`, in a transaction.
pub async fn revoke_within(app: &App, tx: &mut Tx, id: &ClientId) -> Result<bool> {
    let now = app.clock.now();
    super::revoke_all_of_client(app, tx, id, now).await?;
    Ok(store::revoke(tx, id, now).await?)
}

/// Returns true when the client is not revoked, as this transaction sees it.
pub(super) async fn is_active(tx: &mut Tx, id: &ClientId) -> Result<bool> {
    Ok(store::is_active(tx, id).await?)
}

/// The host in the URL of a client's document.
pub(super) fn host_of(document_url: &str) -> Option<String> {
    url::Url::parse(document_url).ok()?.host_str().map(str::to_owned)
}

/// Records a use, which postpones the deletion of the client.
pub(super) async fn note_use(tx: &mut Tx, id: &ClientId, now: Timestamp) -> Result<()> {
    let unused = now.plus(UNUSED_LIFETIME);
    Ok(store::keep_until(tx, id, unused, unused.minus(DAY)).await?)
}

/// Deletes unused clients, revoked clients that registered themselves, and the oldest clients without grants beyond the
/// limit; returns their number.
pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    let expired = store::delete_expired(tx, now).await?;
    let excess = store::delete_oldest_ungranted(tx, now.plus(UNGRANTED_LIFETIME), MAX_UNGRANTED_CLIENTS).await?;
    Ok(expired + excess)
}
