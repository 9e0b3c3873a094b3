//! The SQL of clients.
use super::{AuthMethod, Client, ClientMetadata, Registered};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::ClientId;

/// A list of strings, stored as JSON.
struct JsonList(Vec<String>);

impl TryFrom<String> for JsonList {
    type Error = serde_json::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        serde_json::from_str(&text).map(Self)
    }
}

#[derive(sqlx::FromRow)]
struct ClientRow {
    id: ClientId,
    document_url: Option<String>,
    name: String,
    #[sqlx(try_from = "String")]
    redirect_uris: JsonList,
    #[sqlx(try_from = "String")]
    auth_method: AuthMethod,
    secret_hash: Option<String>,
    registration_hash: Option<String>,
    metadata: String,
    fresh_until: Option<Timestamp>,
    created_at: Timestamp,
    expires_at: Timestamp,
    revoked_at: Option<Timestamp>,
}

impl ClientRow {
    fn into_client(self) -> sqlx::Result<Client> {
        Ok(Client {
            id: self.id,
            document_url: self.document_url,
            name: self.name,
            redirect_uris: self.redirect_uris.0,
            auth_method: self.auth_method,
            secret_hash: self.secret_hash,
            registration_hash: self.registration_hash,
            details: serde_json::from_str(&self.metadata).map_err(|error| sqlx::Error::Decode(error.into()))?,
            fresh_until: self.fresh_until,
            created_at: self.created_at,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
        })
    }
}

/// A query for clients; `$rest` is its WHERE or ORDER BY clause.
macro_rules! select_clients {
    ($rest:literal) => {
        concat!(
            "SELECT id, document_url, name, redirect_uris, auth_method, secret_hash, registration_hash, metadata, \
               fresh_until, created_at, expires_at, revoked_at FROM oauth_clients ",
            $rest
        )
    };
}

pub(super) async fn find(pool: &Reader, id: &ClientId) -> sqlx::Result<Option<Client>> {
    let row: Option<ClientRow> = sqlx::query_as(select_clients!("WHERE id = $1 AND document_url IS NULL"))
        .bind(id)
        .fetch_optional(pool)
        .await?;
    row.map(ClientRow::into_client).transpose()
}

pub(super) async fn find_document(pool: &Reader, address: &str) -> sqlx::Result<Option<Client>> {
    let row: Option<ClientRow> = sqlx::query_as(select_clients!("WHERE document_url = $1"))
        .bind(address)
        .fetch_optional(pool)
        .await?;
    row.map(ClientRow::into_client).transpose()
}

/// Returns true when the client is not revoked, as this transaction sees it.
pub(super) async fn is_active(tx: &mut Tx, id: &ClientId) -> sqlx::Result<bool> {
    let found: Option<String> = sqlx::query_scalar("SELECT id FROM oauth_clients WHERE id = $1 AND revoked_at IS NULL")
        .bind(id)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(found.is_some())
}

pub(super) async fn list(pool: &Reader) -> sqlx::Result<Vec<Client>> {
    let rows: Vec<ClientRow> = sqlx::query_as(select_clients!("ORDER BY id")).fetch_all(pool).await?;
    rows.into_iter().map(ClientRow::into_client).collect()
}

pub(super) async fn insert_registered(
    tx: &mut Tx,
    client: &ClientMetadata,
    registered: &Registered,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO oauth_clients (id, name, redirect_uris, auth_method, secret_hash, registration_hash, metadata, \
           created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(&registered.id)
    .bind(&client.name)
    .bind(json(&client.redirect_uris)?)
    .bind(client.auth_method.as_str())
    .bind(registered.secret.as_ref().map(|secret| secret.hash()))
    .bind(registered.registration_token.hash())
    .bind(json(&client.details)?)
    .bind(registered.created_at)
    .bind(expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

fn json(value: &impl serde::Serialize) -> sqlx::Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// The contents of a document when it was fetched.
pub(super) struct Document<'a> {
    pub address: &'a str,
    pub metadata: &'a ClientMetadata,
    pub fresh_until: Timestamp,
    pub expires_at: Timestamp,
}

/// Saves the contents of a document; `id` is used for a client that was unknown.
pub(super) async fn save_document(
    tx: &mut Tx,
    id: &ClientId,
    document: &Document<'_>,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO oauth_clients (id, document_url, name, redirect_uris, auth_method, metadata, fresh_until, created_at, \
           expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         ON CONFLICT (document_url) DO UPDATE SET name = $3, redirect_uris = $4, metadata = $6, fresh_until = $7, \
           expires_at = CASE WHEN oauth_clients.expires_at < $9 THEN $9 ELSE oauth_clients.expires_at END",
    )
    .bind(id)
    .bind(document.address)
    .bind(&document.metadata.name)
    .bind(json(&document.metadata.redirect_uris)?)
    .bind(document.metadata.auth_method.as_str())
    .bind(json(&document.metadata.details)?)
    .bind(document.fresh_until)
    .bind(now)
    .bind(document.expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Revokes a client; returns false when it is already revoked or unknown. A client that registered itself expires at
/// once: its id is never given to another client.
pub(super) async fn revoke(tx: &mut Tx, id: &ClientId, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE oauth_clients SET revoked_at = $1, \
           expires_at = CASE WHEN document_url IS NULL THEN $1 ELSE expires_at END \
         WHERE id = $2 AND revoked_at IS NULL",
    )
    .bind(now)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Postpones the deletion of a client to `expires_at`, unless it already expires after `enough`: the row of a popular
/// app should not be updated at every use.
pub(super) async fn keep_until(
    tx: &mut Tx,
    id: &ClientId,
    expires_at: Timestamp,
    enough: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("UPDATE oauth_clients SET expires_at = $1 WHERE id = $2 AND expires_at < $3")
        .bind(expires_at)
        .bind(id)
        .bind(enough)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes the clients that have expired, except those with grants and revoked ones with a document, which must stay
/// blocked.
pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "DELETE FROM oauth_clients WHERE expires_at <= $1 AND (revoked_at IS NULL OR document_url IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = oauth_clients.id)",
    )
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes clients that were never granted anything, except the `most` newest ones; at most 1,000 at a time. Such
/// clients expire before `soon`; a client that was used expires later.
pub(super) async fn delete_oldest_ungranted(tx: &mut Tx, soon: Timestamp, most: i64) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE expires_at <= $1 \
           ORDER BY expires_at DESC LIMIT 1000 OFFSET $2) AND (revoked_at IS NULL OR document_url IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = oauth_clients.id)",
    )
    .bind(soon)
    .bind(most)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}
