//! Uploads: files that are sent ahead, to an address that needs no key, and named by the import that uses them.
mod store;

use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::accounts::{self, Countable};
use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ids::UploadId;
use crate::importer::SpooledFile;
use crate::objects;

/// How long the address takes a file, and the file waits for its import.
const LIFETIME: Duration = Duration::from_secs(3600);

/// How long an import may take from finding a file to having read it.
const READING: Duration = Duration::from_secs(30);

/// An address that takes one file.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ArtworkUpload)]
pub struct Upload {
    /// The `upload_id` of an import or a replaced image.
    pub id: UploadId,
    /// Send the file here, as it is. Needs no key: whoever knows the address may send the file.
    #[schema(format = "uri")]
    pub url: String,
    /// Bytes that the file may have.
    pub max_bytes: u64,
    /// When the address stops taking a file, and the file is forgotten.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// Makes an address that takes one file.
pub async fn create(app: &App, caller: &Caller) -> Result<Upload> {
    let now = app.clock.now();
    let mut secret = [0; 32];
    app.random.fill(&mut secret);
    let token = hex::encode(secret);
    let upload = Upload {
        id: UploadId::generate(now, &app.random),
        url: format!("{}/uploads/{token}", app.config.public_url),
        max_bytes: app.config.import_limit(),
        expires_at: now.plus(LIFETIME),
        created_at: now,
    };
    let mut tx = app.database.begin().await?;
    accounts::check_limits(app, &mut tx, caller, &[Countable::Uploads], 1).await?;
    store::insert(&mut tx, &caller.account_id, &upload, &hash(&token)).await?;
    tx.commit().await?;
    Ok(upload)
}

/// Keeps the file that was sent to an upload's address, in place of one that was sent before, which goes soon. False when there is no such
/// address, or it has expired.
pub async fn fill<E: From<Error>>(
    app: &App,
    token: &str,
    file: impl Future<Output = Result<SpooledFile, E>>,
) -> Result<bool, E> {
    let hash = hash(token);
    let awaiting = store::awaiting(&app.database.read, &hash, app.clock.now()).await;
    let Some((id, expires_at)) = awaiting.map_err(Error::from)? else {
        return Ok(false);
    };
    let file = file.await?;
    Ok(keep(app, &hash, &id, expires_at, file).await?)
}

async fn keep(app: &App, hash: &str, id: &UploadId, expires_at: Timestamp, file: SpooledFile) -> Result<bool> {
    let bytes = tokio::task::spawn_blocking(|| file.read())
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)?;
    // Each file under a key of its own: an import may be reading the one before.
    let key = format!("uploads/{id}/{}", app.random.seed());
    objects::announce(app, &[&key]).await?;
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    app.storage.put(&key, bytes).await?;
    let mut tx = app.database.begin().await?;
    let before = store::object_of(&mut tx, hash).await?;
    let filled = store::filled(&mut tx, hash, &key, size).await?;
    if filled {
        objects::discard_at(&mut tx, &[&key], expires_at.plus(READING)).await?;
        if let Some(before) = before {
            objects::discard_at(&mut tx, &[&before], app.clock.now().plus(READING)).await?;
        }
        tx.commit().await?;
    }
    Ok(filled)
}

/// The file of an upload of the caller's.
pub(super) async fn open(app: &App, caller: &Caller, id: &UploadId) -> Result<SpooledFile> {
    let wrong = |message: &str| Error::invalid_field("upload_id", message);
    let found = store::find(&app.database.read, &caller.account_id, id, app.clock.now()).await?;
    let key = found
        .ok_or_else(|| wrong("names no upload of this account; it may have expired"))?
        .ok_or_else(|| wrong("names an upload whose file has not arrived; send it to the upload's url"))?;
    let bytes = app.storage.get(&key).await?;
    let bytes = bytes.ok_or_else(|| Error::internal(format!("object {key} is missing")))?;
    let whole = futures::stream::iter([Ok::<_, std::convert::Infallible>(bytes)]);
    app.importer.receive(whole, u64::MAX).await.map_err(Error::internal)
}

/// Forgets uploads that have expired; their files are swept by themselves.
pub async fn forget_expired(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let forgotten = store::delete_expired(&mut tx, app.clock.now()).await?;
    tx.commit().await?;
    Ok(forgotten)
}

/// The token is as random as a key, so a plain SHA-256 keeps it.
fn hash(token: &str) -> String {
    hex::encode(Sha256::digest(token))
}
