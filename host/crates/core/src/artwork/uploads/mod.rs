//! Uploads: files that a client sends to a URL that needs no key, before the import that uses them.
mod store;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{bin, transfers};
use crate::objects;
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, UploadId};
use linepress_platform::importer::SpooledFile;
use linepress_platform::scopes::Scopes;

/// The time for which the URL accepts a file, and for which the file is stored for its import.
const UPLOAD_LIFETIME: Duration = Duration::from_secs(3600);

/// Maximum time between an import finding the file and opening it.
const MAX_OPEN_DELAY: Duration = Duration::from_secs(30);

/// A URL that accepts one file.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ArtworkUpload)]
pub struct Upload {
    /// The `upload_id` of an import or a replaced image.
    pub id: UploadId,
    /// Send the bytes of the file here with PUT. It needs no key: anyone with the URL may send the file.
    #[schema(format = "uri")]
    pub url: String,
    /// Maximum size of the file in bytes.
    pub max_bytes: u64,
    /// The time at which the URL stops accepting a file, and the file is deleted.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// The time of its creation.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// The time for which the file that a person chose for a page of a plan is stored.
const CHOSEN_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// Creates a URL that accepts one file.
pub async fn create(app: &App, caller: &Caller) -> Result<Upload> {
    caller.require(Scopes::WRITING)?;
    let (upload, _) = insert(app, caller, UPLOAD_LIFETIME).await?;
    Ok(upload)
}

/// Stores a file that came with a request as an upload, for a later order.
pub async fn create_from_file(app: &App, caller: &Caller, file: SpooledFile) -> Result<UploadId> {
    caller.require(Scopes::WRITING)?;
    file.check_kind()?;
    let (upload, token) = insert(app, caller, CHOSEN_LIFETIME).await?;
    store_file(app, &token_hash(&token), &upload.id, upload.expires_at, file).await?;
    Ok(upload.id)
}

/// Inserts an upload. Returns it with the token of its URL.
async fn insert(app: &App, caller: &Caller, lifetime: Duration) -> Result<(Upload, String)> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let mut secret = [0; 32];
    app.random.fill(&mut secret);
    let token = hex::encode(secret);
    let upload = Upload {
        id: UploadId::generate(now, &app.random),
        url: format!("{}/uploads/{token}", app.config.public_url),
        max_bytes: app.config.import_limit(),
        expires_at: now.plus(lifetime),
        created_at: now,
    };
    accounts::check_uploads(app, &mut tx, caller).await?;
    store::insert(&mut tx, caller.account_id(), &upload, &token_hash(&token)).await?;
    tx.commit().await?;
    Ok((upload, token))
}

/// Returns whether the URL with this token accepts a file.
pub async fn is_awaited(app: &App, token: &str) -> Result<bool> {
    let awaiting = store::awaiting(&app.database.read, &token_hash(token), app.clock.now()).await?;
    Ok(awaiting.is_some())
}

/// Returns true if the file of the caller's upload has arrived, and the upload has not expired.
pub async fn has_arrived(app: &App, caller: &Caller, id: &UploadId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let now = app.database.shared_time_now(&app.clock).await?;
    let found = store::find(&app.database.read, caller.account_id(), id, now).await?;
    Ok(found.flatten().is_some())
}

/// Stores the file that was sent to an upload's URL. It replaces a file that was sent before, which is deleted soon
/// after. Returns false if the URL does not exist, or it has expired.
pub async fn fill<E: From<Error>>(
    app: &App,
    token: &str,
    file: impl Future<Output = Result<SpooledFile, E>>,
) -> Result<bool, E> {
    let hash = token_hash(token);
    let now = app.database.shared_time_now(&app.clock).await.map_err(Error::from)?;
    let awaiting = store::awaiting(&app.database.read, &hash, now).await;
    let Some((id, account, expires_at)) = awaiting.map_err(Error::from)? else {
        return Ok(false);
    };
    let _place = transfers::place(app, &account).await?;
    let file = file.await?;
    // The sender is often not the client that imports the file, and should learn that it is not an image.
    file.check_kind().map_err(Error::from)?;
    Ok(store_file(app, &hash, &id, expires_at, file).await?)
}

async fn store_file(app: &App, hash: &str, id: &UploadId, expires_at: Timestamp, file: SpooledFile) -> Result<bool> {
    // Each file has a unique key, because an import may be reading the previous one.
    let key = format!("uploads/{id}/{}", app.random.seed());
    objects::announce(app, &[&key]).await?;
    let size = i64::try_from(file.size()).unwrap_or(i64::MAX);
    let stored = match app
        .storage
        .put_from(&key, file.into_reader().map_err(Error::internal)?)
        .await
    {
        Ok(()) => assign_file(app, hash, &key, size, expires_at).await,
        Err(error) => Err(error),
    };
    match stored {
        Ok(Referred::Instead { before }) => {
            // An import that reads the replaced file has opened it, or looks it up again.
            objects::abandon(app, &before.iter().map(String::as_str).collect::<Vec<_>>()).await;
            Ok(true)
        }
        Ok(Referred::No) => {
            objects::abandon(app, &[&key]).await;
            Ok(false)
        }
        Err(error) => {
            // After an internal error it is unknown what was committed, and the sweep of unused objects decides.
            if !error.is_internal() {
                objects::abandon(app, &[&key]).await;
            }
            Err(error)
        }
    }
}

/// The result of assigning a file to an upload.
enum Referred {
    /// The upload expired during the transfer.
    No,
    /// The upload refers to the new file. `before` is the key of the file it replaced, if there was one.
    Instead { before: Option<String> },
}

/// Assigns the new file to the upload.
async fn assign_file(app: &App, hash: &str, key: &str, size: i64, expires_at: Timestamp) -> Result<Referred> {
    let mut tx = app.database.begin().await?;
    let Some(filled) = store::fill(&app.database, &mut tx, hash, key, size).await? else {
        return Ok(Referred::No);
    };
    objects::discard_at(&mut tx, &[key], expires_at.plus(MAX_OPEN_DELAY)).await?;
    if let Some(before) = &filled.before {
        let now = app.database.shared_time(&mut tx, &app.clock).await?;
        objects::discard_at(&mut tx, &[before], now).await?;
    }
    let mut change = Usage {
        stored_bytes: size - filled.byte_size_before,
        ..Usage::default()
    };
    bin::make_room(app, &mut tx, &filled.account_id, &mut change).await?;
    accounts::take_room(app, &mut tx, &filled.account_id, change).await?;
    tx.commit().await?;
    Ok(Referred::Instead { before: filled.before })
}

/// Opens the file of the caller's upload that a field of the request names.
pub(super) async fn open(app: &App, caller: &Caller, id: &UploadId, field: &Field) -> Result<SpooledFile> {
    let wrong = |message: &str| Error::invalid_field(field.clone(), message);
    find_file(app, caller, id)
        .await?
        .ok_or_else(|| wrong("names no upload of this account; it may have expired"))?
        .ok_or_else(|| wrong("names an upload whose file has not arrived; send it to the upload's url"))
}

/// Opens the file of the caller's upload: `None` if there is no such upload or it has expired, `Some(None)` if its file
/// has not arrived.
async fn find_file(app: &App, caller: &Caller, id: &UploadId) -> Result<Option<Option<SpooledFile>>> {
    // A second look finds the file that has just replaced the first one.
    for _ in 0..2 {
        let now = app.database.shared_time_now(&app.clock).await?;
        let found = store::find(&app.database.read, caller.account_id(), id, now).await?;
        let Some(Some(key)) = found else {
            return Ok(found.map(|_| None));
        };
        if let Some(object) = app.storage.open_whole(&key).await? {
            // Without a limit, only the object store or the disk for incoming files can fail.
            let file = app.importer.receive(object.chunks, u64::MAX).await;
            return Ok(Some(Some(file.map_err(Error::unavailable)?)));
        }
    }
    Err(Error::internal(format!("the object of {id} is missing")))
}

/// Makes a thumbnail of the file of the caller's upload, which is gray like the picture that providers get. None if
/// there is no such upload, it has expired, or its file has not arrived.
pub async fn thumbnail(
    app: &App,
    caller: &Caller,
    id: &UploadId,
    longest_side: u32,
    most_bytes: usize,
) -> Result<Option<Vec<u8>>> {
    caller.require_reading()?;
    // Before the file is read.
    let turn = app.importer.acquire_turn(caller.account_id()).await?;
    let Some(file) = find_file(app, caller, id).await?.flatten() else {
        return Ok(None);
    };
    let small = app.importer.source_thumbnail(file, turn, longest_side, most_bytes);
    Ok(Some(small.await?))
}

/// Deletes the caller's upload, to which nothing refers, and its file. An upload that does not exist is not an error.
pub async fn discard(app: &App, caller: &Caller, id: &UploadId) -> Result<()> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    let Some((key, byte_size)) = store::delete(&mut tx, caller.account_id(), id).await? else {
        return Ok(());
    };
    let keys: Vec<&str> = key.as_deref().into_iter().collect();
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    objects::discard_at(&mut tx, &keys, now).await?;
    let change = Usage {
        stored_bytes: -byte_size.unwrap_or(0),
        ..Usage::default()
    };
    accounts::change_usage(&mut tx, caller.account_id(), change).await?;
    tx.commit().await?;
    objects::abandon(app, &keys).await;
    Ok(())
}

/// Deletes expired uploads and returns their number. The sweep of unused objects deletes their files.
pub async fn forget_expired(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_expired(&mut tx, now).await?;
    let uploads = forgotten.len() as u64;
    // In the order of account ids, so that two nodes that do this at the same time do not deadlock.
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

/// A token has as much entropy as a key, so a plain SHA-256 protects it.
fn token_hash(token: &str) -> String {
    hex::encode(Sha256::digest(token))
}
