//! Uploads: files that are sent ahead, to an address that needs no key, and named by the import that uses them.
mod store;

use std::collections::BTreeMap;
use std::time::Duration;

use linepress_imaging::ArtworkError;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::transfers;
use crate::accounts::{self, Usage};
use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ids::{AccountId, UploadId};
use crate::importer::SpooledFile;
use crate::objects;

/// How long the address takes a file, and the file waits for its import.
const LIFETIME: Duration = Duration::from_secs(3600);

/// How long an import may take from finding a file to having opened it.
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
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
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
    accounts::check_uploads(app, &mut tx, caller).await?;
    store::insert(&mut tx, &caller.account_id, &upload, &hash(&token)).await?;
    tx.commit().await?;
    Ok(upload)
}

/// Whether an address takes a file.
pub async fn is_awaited(app: &App, token: &str) -> Result<bool> {
    let awaiting = store::awaiting(&app.database.read, &hash(token), app.clock.now()).await?;
    Ok(awaiting.is_some())
}

/// Keeps the file that was sent to an upload's address, in place of one that was sent before, which goes soon. False when there is no such
/// address, or it has expired.
pub async fn fill<E: From<Error>>(
    app: &App,
    token: &str,
    file: impl Future<Output = Result<SpooledFile, E>>,
) -> Result<bool, E> {
    let hash = hash(token);
    let now = app.database.shared_time_now(&app.clock).await.map_err(Error::from)?;
    let awaiting = store::awaiting(&app.database.read, &hash, now).await;
    let Some((id, account, expires_at)) = awaiting.map_err(Error::from)? else {
        return Ok(false);
    };
    let _place = transfers::place(app, &account).await?;
    let file = file.await?;
    // Whoever sends the file is often not the one who imports it, and should hear of it.
    if !file.may_be_picture().map_err(Error::internal)? {
        return Err(Error::from(ArtworkError::NotAnImage).into());
    }
    Ok(keep(app, &hash, &id, expires_at, file).await?)
}

async fn keep(app: &App, hash: &str, id: &UploadId, expires_at: Timestamp, file: SpooledFile) -> Result<bool> {
    // Each file under a key of its own: an import may be reading the one before.
    let key = format!("uploads/{id}/{}", app.random.seed());
    objects::announce(app, &[&key]).await?;
    let size = i64::try_from(file.size()).unwrap_or(i64::MAX);
    let kept = match app
        .storage
        .put_from(&key, file.into_reader().map_err(Error::internal)?)
        .await
    {
        Ok(()) => refer(app, hash, &key, size, expires_at).await,
        Err(error) => Err(error),
    };
    match kept {
        Ok(Referred::Instead { before }) => {
            // Whoever reads it has opened it, or looks again.
            objects::abandon(app, &before.iter().map(String::as_str).collect::<Vec<_>>()).await;
            Ok(true)
        }
        Ok(Referred::No) => {
            objects::abandon(app, &[&key]).await;
            Ok(false)
        }
        Err(error) => {
            // After a fault nobody knows what was committed, and the sweep decides.
            if !error.is_internal() {
                objects::abandon(app, &[&key]).await;
            }
            Err(error)
        }
    }
}

/// Whether an upload refers to a file.
enum Referred {
    /// It expired while the file was on its way.
    No,
    Instead {
        before: Option<String>,
    },
}

/// Has the upload refer to its new file.
async fn refer(app: &App, hash: &str, key: &str, size: i64, expires_at: Timestamp) -> Result<Referred> {
    let mut tx = app.database.begin().await?;
    let Some(filled) = store::fill(&app.database, &mut tx, hash, key, size).await? else {
        return Ok(Referred::No);
    };
    objects::discard_at(&mut tx, &[key], expires_at.plus(READING)).await?;
    if let Some(before) = &filled.before {
        let now = app.database.shared_time(&mut tx, &app.clock).await?;
        objects::discard_at(&mut tx, &[before], now).await?;
    }
    let change = Usage {
        stored_bytes: size - filled.byte_size_before,
        ..Usage::default()
    };
    accounts::take_room(app, &mut tx, &filled.account_id, change).await?;
    tx.commit().await?;
    Ok(Referred::Instead { before: filled.before })
}

/// The file of an upload of the caller's, which a field of the request names.
pub(super) async fn open(app: &App, caller: &Caller, id: &UploadId, field: &str) -> Result<SpooledFile> {
    let wrong = |message: &str| Error::invalid_field(field, message);
    // A second look finds the file that took the place of the first one just now.
    for _ in 0..2 {
        let now = app.database.shared_time_now(&app.clock).await?;
        let found = store::find(&app.database.read, &caller.account_id, id, now).await?;
        let key = found
            .ok_or_else(|| wrong("names no upload of this account; it may have expired"))?
            .ok_or_else(|| wrong("names an upload whose file has not arrived; send it to the upload's url"))?;
        if let Some(object) = app.storage.open(&key).await? {
            let file = app.importer.receive(object.chunks, u64::MAX).await;
            return file.map_err(Error::internal);
        }
    }
    Err(Error::internal(format!("the object of {id} is missing")))
}

/// Forgets uploads that have expired; their files are swept by themselves.
pub async fn forget_expired(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_expired(&mut tx, now).await?;
    let uploads = forgotten.len() as u64;
    // In the order of their ids: two nodes that do the same must not wait for each other.
    let mut freed: BTreeMap<AccountId, i64> = BTreeMap::new();
    for (account, byte_size) in forgotten {
        *freed.entry(account).or_default() += byte_size.unwrap_or(0);
    }
    for (account, bytes) in freed {
        let change = Usage {
            stored_bytes: -bytes,
            ..Usage::default()
        };
        accounts::change_usage(&mut tx, &account, change).await?;
    }
    tx.commit().await?;
    Ok(uploads)
}

/// The token is as random as a key, so a plain SHA-256 keeps it.
fn hash(token: &str) -> String {
    hex::encode(Sha256::digest(token))
}
