//! Clients: the apps that ask people to let them act.
mod store;

use std::time::Duration;

use linepress_model::text_enum;

use crate::app::App;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::ClientId;
use crate::secrets::Secret;

/// A client that is not used for so long is forgotten.
const UNUSED: Duration = Duration::from_secs(90 * 24 * 3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

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

/// What a client says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientMetadata {
    pub name: String,
    pub redirect_uris: Vec<String>,
    pub auth_method: AuthMethod,
    /// The rest, as JSON.
    pub metadata: String,
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
    store::insert_registered(&mut tx, client, &registered, now.plus(UNUSED)).await?;
    tx.commit().await?;
    Ok(registered)
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

/// Forgets clients that nobody used; returns how many those were.
pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    Ok(store::delete_expired(tx, now).await?)
}
