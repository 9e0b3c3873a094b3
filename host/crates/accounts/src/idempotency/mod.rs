//! Idempotency: one key, one effect, one saved reply.
//!
//! A used key belongs to the request that used it. The same request again is a replay; any other request with the key
//! is a conflict, even one that is invalid. So a concept reports an error that it finds before it claims the key
//! through `or_conflict`, and an interface reports the errors that it finds itself through `conflict_if_used`.
mod once;
mod store;

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result};

pub use once::Done;
pub use once::{Earlier, Once};

/// Minimum time for which a key is stored.
pub const KEY_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// An idempotency key that a client chose for one request.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Maximum length of a key.
    pub const MAX_KEY_CHARS: usize = 255;

    /// Parses the key that the client sent. An error when it is missing or malformed.
    pub fn parse(key: Option<&str>) -> Result<Self> {
        let key = key.ok_or(ErrorKind::IdempotencyKeyMissing)?;
        if !(1..=Self::MAX_KEY_CHARS).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let max_chars = Self::MAX_KEY_CHARS;
            return Err(ErrorKind::IdempotencyKeyMalformed { max_chars }.into());
        }
        Ok(Self(key.into()))
    }
}

/// A hash that identifies a request, whichever interface it came through. A repeated key is accepted only with the same
/// fingerprint.
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of an action on a target with its parsed arguments: two bodies that differ only in white space
    /// or in the order of fields have the same one.
    pub fn from_request(action: &str, target: Option<&str>, arguments: &impl Serialize) -> Result<Self> {
        let mut hash = Sha256::new();
        // A zero byte separates the parts, because neither an action nor an id contains one.
        for part in [action, target.unwrap_or_default()] {
            hash.update(part);
            hash.update([0]);
        }
        hash.update(serde_json::to_vec(arguments)?);
        Ok(Self(hex::encode(hash.finalize())))
    }
}

/// The reply that was saved under a key, as JSON; empty if it was too long to be saved. It is read back as the type
/// that was saved, which may have gained fields since: a new field of a resource needs `#[serde(default)]` for as long
/// as keys are retained.
#[derive(Debug)]
pub struct SavedReply(String);

impl SavedReply {
    pub fn new(reply: &impl Serialize) -> Result<Self> {
        Ok(Self(serde_json::to_string(reply)?))
    }

    /// The reply, or an empty text in its place if it is longer than `max_bytes`.
    fn within(self, max_bytes: usize) -> Self {
        if self.0.len() <= max_bytes {
            self
        } else {
            Self(String::new())
        }
    }

    fn is_too_long(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the reply as the type that was saved.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_str(&self.0)?)
    }
}

/// Claims the key for this transaction. Returns the saved reply when the key was used before for the same request. An
/// error when it was used for another request.
///
/// On PostgreSQL, a second claim of the same key waits here until the first transaction has ended.
pub async fn claim(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    key: &IdempotencyKey,
    fingerprint: &Fingerprint,
) -> Result<Option<SavedReply>> {
    let now = app.database.shared_time(tx, &app.clock).await?;
    if store::insert(tx, caller, key, fingerprint, now).await? {
        return Ok(None);
    }
    let saved = store::find(&mut **tx, caller, key).await?;
    let saved = saved.ok_or_else(|| Error::internal("a claimed idempotency key disappeared"))?;
    saved.reply_to(fingerprint).map(Some)
}

/// Reads the row of the key, None when it was never used.
async fn look_up(app: &App, caller: &Caller, key: &IdempotencyKey) -> Result<Option<SavedRow>> {
    Ok(store::find(&app.database.read, caller, key).await?)
}

/// Returns whether the key was used before.
pub async fn is_used(app: &App, caller: &Caller, key: &IdempotencyKey) -> Result<bool> {
    Ok(look_up(app, caller, key).await?.is_some())
}

/// Fails with a conflict if the key was used before, for a request that cannot be the one that used it.
pub async fn check_unused(app: &App, caller: &Caller, key: &IdempotencyKey) -> Result<()> {
    match is_used(app, caller, key).await? {
        true => Err(ErrorKind::IdempotencyConflict.into()),
        false => Ok(()),
    }
}

/// The error for a request that failed before its key was claimed: the given one, or a conflict if the request is wrong
/// in itself and its key was used before. The request that used the key was accepted, so it was a different one.
pub async fn conflict_if_used(app: &App, caller: &Caller, key: Option<&IdempotencyKey>, error: Error) -> Error {
    match key {
        Some(key) if error.kind.is_rejection() => check_unused(app, caller, key).await.err().unwrap_or(error),
        _ => error,
    }
}

/// Applies [`conflict_if_used`] to the result of a check that precedes the claim of the key.
pub async fn or_conflict<T>(app: &App, caller: &Caller, key: Option<&IdempotencyKey>, checked: Result<T>) -> Result<T> {
    match checked {
        Ok(checked) => Ok(checked),
        Err(error) => Err(conflict_if_used(app, caller, key, error).await),
    }
}

/// Saves the reply under the claimed key.
pub async fn save(tx: &mut Tx, caller: &Caller, key: &IdempotencyKey, reply: &SavedReply) -> Result<()> {
    Ok(store::save(tx, caller, key, reply).await?)
}

/// Deletes keys older than [`KEY_RETENTION`] and returns their number.
pub async fn forget_old_keys(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_before(&mut tx, now.minus(KEY_RETENTION)).await?;
    tx.commit().await?;
    Ok(forgotten)
}

impl SavedRow {
    /// The saved reply. An error when it belongs to a different request.
    fn reply_to(self, fingerprint: &Fingerprint) -> Result<SavedReply> {
        if self.request_hash != fingerprint.0 {
            return Err(ErrorKind::IdempotencyConflict.into());
        }
        let reply = self.body.map(SavedReply);
        reply.ok_or_else(|| Error::internal("a claimed idempotency key has no saved reply"))
    }
}

#[derive(sqlx::FromRow)]
struct SavedRow {
    request_hash: String,
    body: Option<String>,
}
