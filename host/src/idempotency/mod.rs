//! Idempotency: one key, one effect, one saved reply, in one transaction.
mod store;

use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::caller::Caller;
use crate::credits;
use crate::database::Tx;
use crate::error::{Error, ErrorCode, Result};
use crate::operations::Operation;

/// How long a key is remembered at least.
pub const RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// The key of a request, and a hash of what the request must be whenever the key is used again.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    key: String,
    request_hash: String,
}

impl IdempotencyKey {
    /// Takes the key of a request for `action` (method and path) with `request` as its meaning: two
    /// bodies that differ in white space or in the order of fields are the same request.
    pub fn new(key: Option<&str>, action: &str, request: &impl Serialize) -> Result<Self> {
        let refuse = |message: &str| Err(Error::new(ErrorCode::IdempotencyKeyRequired, message));
        let Some(key) = key else {
            return refuse(
                "Send an Idempotency-Key header with a new unique value, so that a retry cannot charge twice.",
            );
        };
        if !(1..=255).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return refuse("An Idempotency-Key is 1 to 255 visible ASCII characters.");
        }
        let mut hash = Sha256::new();
        hash.update(action);
        hash.update([0]);
        hash.update(serde_json::to_vec(request)?);
        Ok(Self {
            key: key.into(),
            request_hash: hex::encode(hash.finalize()),
        })
    }
}

/// The answer to an accepted generation, the first or a replayed one.
#[derive(Debug)]
pub struct Accepted {
    /// The JSON that the first answer had.
    pub body: String,
    /// The address of the operation.
    pub location: String,
    /// Credits charged by this very call.
    pub consumed: i64,
    /// The balance afterwards.
    pub available: i64,
    pub replayed: bool,
}

/// Claims the key for this transaction. Answers what was saved when it was used before for the same request.
///
/// On PostgreSQL a second claim of one key waits here until the first transaction has ended.
pub async fn claim(app: &App, tx: &mut Tx, caller: &Caller, key: &IdempotencyKey) -> Result<Option<Accepted>> {
    if store::insert(tx, caller, key, app.clock.now()).await? {
        return Ok(None);
    }
    let saved = store::find(tx, caller, key).await?;
    if saved.request_hash != key.request_hash {
        return Err(Error::new(
            ErrorCode::IdempotencyConflict,
            "This Idempotency-Key was used for another request. Send a new key, or the same method, path and body.",
        ));
    }
    let (Some(body), Some(location)) = (saved.body, saved.location) else {
        return Err(Error::internal("a claimed idempotency key has no saved reply"));
    };
    let available = credits::available_in(tx, &caller.account_id).await?;
    Ok(Some(Accepted {
        body,
        location,
        consumed: 0,
        available,
        replayed: true,
    }))
}

/// Saves the reply under the claimed key.
pub async fn accept(
    tx: &mut Tx,
    caller: &Caller,
    key: &IdempotencyKey,
    reply: &impl Serialize,
    operation: &Operation,
    available: i64,
) -> Result<Accepted> {
    let body = serde_json::to_string(reply)?;
    store::save(tx, caller, key, &operation.url, &body).await?;
    Ok(Accepted {
        body,
        location: operation.url.clone(),
        consumed: operation.credits.charged,
        available,
        replayed: false,
    })
}

/// Forgets keys that are older than they need be.
pub async fn forget_old_keys(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let forgotten = store::delete_before(&mut tx, app.clock.now().minus(RETENTION)).await?;
    tx.commit().await?;
    Ok(forgotten)
}

#[derive(sqlx::FromRow)]
struct SavedRow {
    request_hash: String,
    location: Option<String>,
    body: Option<String>,
}
