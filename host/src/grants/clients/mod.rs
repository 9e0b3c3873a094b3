//! Clients: the apps that ask people to let them act. They register themselves, or publish a document about themselves.
mod document;
mod metadata;
pub(crate) mod redirect_uri;
mod store;

use std::time::Duration;

use linepress_model::text_enum;
use serde::Serialize;

use crate::app::App;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::{AccountId, ClientId};
use crate::secrets::Secret;
use crate::throttle::{self, Rate};

pub use metadata::{ClientMetadata, Details, MetadataError, SentMetadata};

/// A client that is not used for so long is forgotten.
const UNUSED: Duration = Duration::from_secs(90 * 24 * 3600);
/// A client to which nobody ever granted anything is forgotten after this: it can register, or be looked at, again.
const UNWANTED: Duration = DAY;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A host that many people use registers for each of them.
const REGISTRATIONS_BY_ADDRESS: Rate = Rate::new(60, Duration::from_secs(3600));
const REGISTRATIONS_BY_SITE: Rate = Rate::new(240, Duration::from_secs(3600));
/// Clients to which nothing was ever granted. The oldest ones beyond this are deleted: a limit that refused registrations
/// would let a few addresses lock every new client out.
const MAX_UNGRANTED_CLIENTS: i64 = 10_000;

text_enum! {
    /// How a client shows that it is itself.
    #[derive(Default)]
    pub enum AuthMethod {
        /// Not at all: it could keep no secret. PKCE binds what it gets to what it asked for.
        None = "none",
        #[default]
        Basic = "client_secret_basic",
        Post = "client_secret_post",
    }
}

/// A client that is known.
#[derive(Clone, Debug, Serialize)]
pub struct Client {
    pub id: ClientId,
    /// Of a client that publishes a document about itself: its address.
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
    /// The host whose owner vouches for the client; nothing for one that registered itself.
    pub fn host(&self) -> Option<String> {
        self.document_url.as_deref().and_then(host_of)
    }

    /// Returns whether all redirects of a client with a document lead to the person's own device.
    pub fn is_only_local(&self) -> bool {
        self.document_url.is_some()
            && self
                .redirect_uris
                .iter()
                .all(|uri| redirect_uri::is_on_this_machine(uri))
    }

    /// Whether a browser may be sent there for this client.
    pub fn allows_redirect_to(&self, uri: &str) -> bool {
        self.redirect_uris.iter().any(|own| redirect_uri::matches(own, uri))
    }

    /// Whether this opens the client's registration.
    pub fn is_opened_by(&self, registration_token: &str) -> bool {
        let sent = Secret::from_text(registration_token).map(|token| token.hash());
        sent.is_some() && sent == self.registration_hash
    }
}

/// A client that registered itself, and its secrets, which are in here and nowhere else.
#[derive(Debug)]
pub struct Registered {
    pub id: ClientId,
    pub created_at: Timestamp,
    /// Of a client that shows that it is itself.
    pub secret: Option<Secret>,
    /// Shows the client its registration.
    pub registration_token: Secret,
}

/// Takes one of the registrations that an address, and the IPv6 site that it belongs to, may make.
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
    store::insert_registered(&mut tx, client, &registered, now.plus(UNWANTED)).await?;
    tx.commit().await?;
    Ok(registered)
}

/// The client of this name, if it is known and was not revoked. `name` is how the client names itself.
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

/// Returns the client as `find` does, after its document was fetched if it publishes one and what is known of it is old. `account`
/// is the account of the person for whom the document is fetched.
pub async fn resolve(app: &App, name: &str, account: &AccountId) -> Result<Option<Client>> {
    if names_document(name) {
        return document::resolve(app, name, account).await;
    }
    find(app, name).await
}

/// Returns whether the name is an address from which a document could be fetched.
pub(crate) fn may_have_document(name: &str) -> bool {
    names_document(name) && document::check_address(name).is_ok()
}

fn names_document(name: &str) -> bool {
    // Texts with a NUL must not reach the database.
    name.starts_with("https://") && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The client of this name, when it has shown that it is itself. What is wrong otherwise is nobody's business.
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

/// Every client, the oldest first.
pub async fn list(app: &App) -> Result<Vec<Client>> {
    Ok(store::list(&app.database.read).await?)
}

/// Ends a client and all that was granted to it; false when there is none of this id that has not ended. One that publishes a
/// document stays known, and so stays out; one that registered itself is forgotten as soon as its grants are.
pub async fn revoke(app: &App, id: &ClientId) -> Result<bool> {
    let now = app.clock.now();
    let mut tx = app.database.begin().await?;
    super::revoke_all_of_client(app, &mut tx, id, now).await?;
    let revoked = store::revoke(&mut tx, id, now).await?;
    tx.commit().await?;
    Ok(revoked)
}

/// Ends every client whose document is on `host`, and all that was granted to them; returns how many those were.
pub async fn revoke_host(app: &App, host: &str) -> Result<usize> {
    let clients = list(app).await?;
    let of_host = clients
        .iter()
        .filter(|client| client.revoked_at.is_none() && client.host().as_deref() == Some(host));
    let mut revoked = 0;
    for client in of_host {
        revoked += usize::from(revoke(app, &client.id).await?);
    }
    Ok(revoked)
}

/// Whether the client may still be granted something, as this transaction sees it.
pub(super) async fn is_active(tx: &mut Tx, id: &ClientId) -> Result<bool> {
    Ok(store::is_active(tx, id).await?)
}

/// The host in the address of a client's document.
pub(super) fn host_of(document_url: &str) -> Option<String> {
    url::Url::parse(document_url).ok()?.host_str().map(str::to_owned)
}

/// Puts off the day on which the client is forgotten.
pub(super) async fn note_use(tx: &mut Tx, id: &ClientId, now: Timestamp) -> Result<()> {
    let unused = now.plus(UNUSED);
    Ok(store::keep_until(tx, id, unused, unused.minus(DAY)).await?)
}

/// Deletes clients that were not used, those that registered themselves and have ended, and the oldest ones that were never
/// granted anything where there are too many; returns how many those were.
pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    let expired = store::delete_expired(tx, now).await?;
    let excess = store::delete_oldest_ungranted(tx, now.plus(UNWANTED), MAX_UNGRANTED_CLIENTS).await?;
    Ok(expired + excess)
}
