//! Idempotency: one key, one effect, one saved reply.
mod once;
mod store;

use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::caller::Caller;
use crate::database::Tx;
use crate::error::{Error, ErrorKind, Result};

pub use once::{Done, Once};

/// How long a key is remembered at least.
pub const RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// A key that a client chose for one request.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    text: String,
    /// Whether the request is only to be tried: nothing of it is committed.
    is_rehearsal: bool,
}

impl IdempotencyKey {
    pub const LONGEST: usize = 255;

    /// The key as it was sent, if one was.
    pub fn parse(key: Option<&str>) -> Result<Self> {
        let key = key.ok_or(ErrorKind::IdempotencyKeyMissing)?;
        if !(1..=Self::LONGEST).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ErrorKind::IdempotencyKeyMalformed.into());
        }
        Ok(Self {
            text: key.into(),
            is_rehearsal: false,
        })
    }

    /// The key with which a generation is checked in full and then undone, so that an interface can say what it would cost and that
    /// it would be accepted.
    pub(crate) fn for_rehearsal(&self) -> Self {
        Self {
            is_rehearsal: true,
            ..self.clone()
        }
    }

    pub(crate) fn is_rehearsal(&self) -> bool {
        self.is_rehearsal
    }
}

/// What a request is, whichever interface it came through: whenever its key is used again it must be the same.
pub struct Fingerprint(String);

impl Fingerprint {
    /// Of an action on a target with its arguments as they were understood: two bodies that differ in white space or in
    /// the order of fields are the same request.
    pub fn of(action: &str, target: Option<&str>, arguments: &impl Serialize) -> Result<Self> {
        let mut hash = Sha256::new();
        // Neither an action nor an id holds a zero byte.
        for part in [action, target.unwrap_or_default()] {
            hash.update(part);
            hash.update([0]);
        }
        hash.update(serde_json::to_vec(arguments)?);
        Ok(Self(hex::encode(hash.finalize())))
    }
}

/// The reply that a key got when it was used first.
#[derive(Debug)]
pub struct SavedReply {
    /// JSON; empty where it was too long to be kept.
    pub body: String,
    /// The address of the operation.
    pub location: String,
}

/// Claims the key for this transaction. Returns what was saved when it was used before for the same request.
///
/// On PostgreSQL a second claim of one key waits here until the first transaction has ended.
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
    let saved = saved.ok_or_else(|| Error::internal("a claimed idempotency key is gone"))?;
    saved.reply_to(fingerprint).map(Some)
}

/// What was saved under the key, if it was used before.
async fn look_up(app: &App, caller: &Caller, key: &IdempotencyKey) -> Result<Option<SavedRow>> {
    Ok(store::find(&app.database.read, caller, key).await?)
}

/// Whether the key was used before. Whoever refuses a request that has one asks: whatever is wrong with it, it is not the
/// request that the key was used for, which was accepted.
pub async fn is_used(app: &App, caller: &Caller, key: &IdempotencyKey) -> Result<bool> {
    Ok(look_up(app, caller, key).await?.is_some())
}

/// Saves the reply under the claimed key.
pub async fn save(tx: &mut Tx, caller: &Caller, key: &IdempotencyKey, reply: &SavedReply) -> Result<()> {
    Ok(store::save(tx, caller, key, reply).await?)
}

/// Forgets keys that are older than they need be.
pub async fn forget_old_keys(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_before(&mut tx, now.minus(RETENTION)).await?;
    tx.commit().await?;
    Ok(forgotten)
}

impl SavedRow {
    /// The saved reply, when it is to the same request.
    fn reply_to(self, fingerprint: &Fingerprint) -> Result<SavedReply> {
        if self.request_hash != fingerprint.0 {
            return Err(ErrorKind::IdempotencyConflict.into());
        }
        match (self.body, self.location) {
            (Some(body), Some(location)) => Ok(SavedReply { body, location }),
            _ => Err(Error::internal("a claimed idempotency key has no saved reply")),
        }
    }
}

#[derive(sqlx::FromRow)]
struct SavedRow {
    request_hash: String,
    location: Option<String>,
    body: Option<String>,
}
