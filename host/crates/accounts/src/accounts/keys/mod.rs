//! API keys. A key belongs to one account, and does what its scopes allow, until it expires, from its networks, and for
//! as many credits as its limit allows. These terms never change; another key has others.
//!
//! A test key belongs to the sandbox of an account, and is managed like the account's other keys.
//!
//! A key has one secret, and for a while after a rotation also the one before: both open the same key, with its terms
//! and the credits that were spent with it.
mod networks;
mod request;
mod resource;
mod secret;
mod store;

use std::net::IpAddr;
use std::time::Duration;

use super::{Account, sandbox};
use crate::caller::{ActiveKey, Caller};
use crate::credentials;
use crate::idempotency::{self, IdempotencyKey, Once};
use crate::throttle;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, KeyId};

pub use networks::Networks;
pub use request::{KeyRotation, MAX_KEY_NAME_CHARS, MAX_KEY_NETWORKS, NewApiKey};
pub use resource::{ApiKey, KeyStatus};
pub use secret::SecretKey;

/// The minimum time between two updates of a key's last use.
const LAST_USE_INTERVAL: Duration = Duration::from_secs(60);

/// The number of active keys that an account may create. Operators may create more.
const MAX_ACTIVE_KEYS: i64 = 50;

/// The caller that an API key authenticates, for a client with this address; `None` when the key is malformed, unknown,
/// expired, revoked or rotated, or when the account is closed or suspended. Outside of the key's networks, the caller
/// fails every check of its permissions.
pub async fn caller_of_key(app: &App, key: &str, address: IpAddr) -> Result<Option<Caller>> {
    let Some(secret) = secret::hash_of_text(key) else {
        return Ok(None);
    };
    let now = app.clock.now();
    let Some(found) = store::owner_of_key(&app.database.read, &secret, now).await? else {
        return Ok(None);
    };
    let is_allowed = found.allowed_networks.allow(address);
    if is_allowed {
        note_use(app, &found, now);
    }
    let is_limited = found.expires_at.is_some() || found.credit_cap.is_some() || !found.allowed_networks.is_empty();
    let key = ActiveKey {
        id: found.key_id,
        scopes: found.scopes,
        secret,
        credit_period: found.credit_period.as_deref().and_then(CreditPeriod::parse),
        is_limited,
        outside: (!is_allowed).then(|| address.to_canonical()),
        account_credits: found.account_credits,
    };
    Ok(Some(Caller::from_key(found.account, key)))
}

/// Records the use of a key in the background, so that a request that only reads waits for no write, and succeeds while
/// nothing can be written.
fn note_use(app: &App, found: &store::KeyOwner, now: Timestamp) {
    let since = now.minus(LAST_USE_INTERVAL);
    if found.last_used_at.is_some_and(|last| last >= since) {
        return;
    }
    let (noting, key) = (app.clone(), found.key_id.clone());
    app.key_uses.begin(&found.key_id, async move {
        if let Err(error) = write_use(&noting, &key, now, since).await {
            tracing::debug!(key_id = %key, %error, "use of an API key not recorded");
        }
    });
}

async fn write_use(app: &App, key: &KeyId, now: Timestamp, since: Timestamp) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::note_use(&mut tx, key, now, since).await?;
    tx.commit().await?;
    Ok(())
}

/// Returns true when the account has this key, and it is neither revoked nor expired.
pub(crate) async fn is_active(app: &App, account: &AccountId, key: &KeyId) -> Result<bool> {
    Ok(store::is_active(&app.database.read, account, key, app.clock.now()).await?)
}

/// The API key with which the caller acts; `None` for a caller without one.
pub async fn calling_key(app: &App, caller: &Caller) -> Result<Option<ApiKey>> {
    caller.require_reading()?;
    let Some(key) = caller.key() else { return Ok(None) };
    let found = store::find_own(&app.database.read, caller.account_id(), &key.id).await?;
    Ok(found.map(|row| row.into_key(app.clock.now())))
}

/// Creates a key for an account. Only the result contains the secret, which is not stored.
pub async fn create_key(app: &App, tx: &mut Tx, account: &AccountId, new: &NewApiKey) -> Result<(ApiKey, SecretKey)> {
    let terms = new.terms(app.clock.now())?;
    let holder = holder(app, tx, account, terms.is_test).await?;
    insert(app, tx, &holder, &terms).await
}

/// The account that a new key belongs to: for a test key, the sandbox.
async fn holder(app: &App, tx: &mut Tx, account: &AccountId, is_test: bool) -> Result<AccountId> {
    match is_test {
        true => sandbox::find_or_create(app, tx, account).await,
        false => Ok(account.clone()),
    }
}

async fn insert(app: &App, tx: &mut Tx, account: &AccountId, terms: &request::KeyTerms) -> Result<(ApiKey, SecretKey)> {
    let secret = SecretKey::generate(&app.random, terms.is_test);
    let now = app.clock.now();
    let new = store::NewRow {
        id: &KeyId::generate(now, &app.random),
        terms,
        prefix: &secret.prefix(),
        secret: &secret.hash(),
        now,
    };
    store::insert(tx, account, &new).await?;
    Ok((present(tx, new.id, now).await?, secret))
}

/// A key that this transaction has written.
async fn present(tx: &mut Tx, id: &KeyId, now: Timestamp) -> Result<ApiKey> {
    let row = store::find(tx, id).await?;
    let row = row.ok_or_else(|| Error::internal("a key disappeared"))?;
    Ok(row.into_key(now))
}

/// The keys of an account, its test keys included, oldest first.
pub async fn list_keys(app: &App, account: &Account) -> Result<Vec<ApiKey>> {
    keys_of(app, &account.id).await
}

async fn keys_of(app: &App, account: &AccountId) -> Result<Vec<ApiKey>> {
    let rows = store::all(&app.database.read, account).await?;
    let now = app.clock.now();
    Ok(rows.into_iter().map(|row| row.into_key(now)).collect())
}

/// The number of the account's keys that are neither revoked nor expired, without its test keys.
pub async fn active_keys(app: &App, tx: &mut Tx, account: &AccountId) -> Result<i64> {
    Ok(store::count_active(tx, account, app.clock.now()).await?)
}

/// The result of a request for a secret.
pub enum NewKey {
    Made(Box<ApiKey>, SecretKey),
    /// The same request was sent before and had this effect on a key, whose secret is shown only once.
    MadeBefore(KeyId),
}

/// Creates a key for the caller's account, once for each idempotency key. A test key makes test keys only.
pub async fn create_own_key(
    app: &App,
    caller: &Caller,
    request: Option<&IdempotencyKey>,
    new: &NewApiKey,
) -> Result<NewKey> {
    caller.require_key_management()?;
    caller.require_plan()?;
    let mut terms = idempotency::or_conflict(app, caller, request, new.terms(app.clock.now())).await?;
    let needs_sandbox = terms.is_test && !caller.is_test();
    terms.is_test |= caller.is_test();
    let once = Once::new(app, caller, request, "key.create", None, new)?;
    let mut tx = app.database.begin().await?;
    if let Some(earlier) = once.claim::<KeyId>(&mut tx).await? {
        return Ok(NewKey::MadeBefore(earlier.reply()?.reply));
    }
    throttle::take_new_key(app, &mut tx, caller).await?;
    credentials::check_still_allowed(app, &mut tx, caller).await?;
    let holder = holder(app, &mut tx, caller.account_id(), needs_sandbox).await?;
    if active_keys(app, &mut tx, &holder).await? >= MAX_ACTIVE_KEYS {
        return Err(ErrorKind::AccountLimitReached {
            what: "API keys",
            limit: MAX_ACTIVE_KEYS,
            advice: "Revoke one.",
        }
        .into());
    }
    let (key, secret) = insert(app, &mut tx, &holder, &terms).await?;
    once.done(&mut tx, key.id.clone()).await?;
    tx.commit().await?;
    Ok(NewKey::Made(Box::new(key), secret))
}

/// Replaces the secret of one of the caller's keys, once for each idempotency key. The old secret remains valid for the
/// overlap. `None` when the account has no such key.
pub async fn rotate_own_key(
    app: &App,
    caller: &Caller,
    request: Option<&IdempotencyKey>,
    id: &KeyId,
    rotation: KeyRotation,
) -> Result<Option<NewKey>> {
    caller.require_key_management()?;
    caller.require_plan()?;
    let checked = check_own(app, caller, id, rotation).await;
    let Some(overlap) = idempotency::or_conflict(app, caller, request, checked).await? else {
        return Ok(None);
    };
    let once = Once::new(app, caller, request, "key.rotate", Some(id.as_str()), &rotation)?;
    let mut tx = app.database.begin().await?;
    if let Some(earlier) = once.claim::<KeyId>(&mut tx).await? {
        return Ok(Some(NewKey::MadeBefore(earlier.reply()?.reply)));
    }
    credentials::check_still_allowed(app, &mut tx, caller).await?;
    let row = store::find(&mut tx, id).await?;
    let row = row.ok_or_else(|| Error::internal("a key disappeared"))?;
    let (key, secret) = rotate(app, &mut tx, &row, overlap).await?;
    once.done(&mut tx, key.id.clone()).await?;
    tx.commit().await?;
    Ok(Some(NewKey::Made(Box::new(key), secret)))
}

/// The overlap of a rotation; `None` when the account has no such key.
async fn check_own(app: &App, caller: &Caller, id: &KeyId, rotation: KeyRotation) -> Result<Option<Duration>> {
    let overlap = rotation.overlap()?;
    let found = store::find_own(&app.database.read, caller.account_id(), id).await?;
    Ok(found.map(|_| overlap))
}

/// Replaces the secret of a key. `None` when there is no such key.
pub async fn rotate_key(
    app: &App,
    tx: &mut Tx,
    id: &KeyId,
    rotation: KeyRotation,
) -> Result<Option<(ApiKey, SecretKey)>> {
    let overlap = rotation.overlap()?;
    match store::find(tx, id).await? {
        Some(row) => rotate(app, tx, &row, overlap).await.map(Some),
        None => Ok(None),
    }
}

async fn rotate(app: &App, tx: &mut Tx, row: &store::KeyRow, overlap: Duration) -> Result<(ApiKey, SecretKey)> {
    let (id, secret) = (&row.id, SecretKey::generate(&app.random, row.is_test()));
    let now = app.clock.now();
    let (hash, prefix) = (secret.hash(), secret.prefix());
    if !store::rotate(tx, id, (&hash, &prefix), now.plus(overlap), now).await? {
        let problem = "was revoked or has expired, and cannot be rotated; create another key";
        return Err(Error::invalid_field(Field::named("key"), problem));
    }
    Ok((present(tx, id, now).await?, secret))
}

/// A part of the list of the caller's keys, newest first.
pub async fn list_own_keys(app: &App, caller: &Caller, request: &PageRequest) -> Result<PageOf<ApiKey>> {
    caller.require_key_management()?;
    let rows = store::list(&app.database.read, caller.account_id(), request).await?;
    let now = app.clock.now();
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    Ok(page.map(|row| row.into_key(now)))
}

/// The keys of the caller's account, oldest first.
pub async fn own_keys(app: &App, caller: &Caller) -> Result<Vec<ApiKey>> {
    caller.require_key_management()?;
    keys_of(app, caller.account_id()).await
}

/// One of the caller's keys; `None` when the account has no such key.
pub async fn own_key(app: &App, caller: &Caller, id: &KeyId) -> Result<Option<ApiKey>> {
    caller.require_key_management()?;
    let found = store::find_own(&app.database.read, caller.account_id(), id).await?;
    Ok(found.map(|row| row.into_key(app.clock.now())))
}

/// Revokes one of the caller's keys at once; returns false when the account has no such key.
pub async fn revoke_own_key(app: &App, caller: &Caller, key: &KeyId) -> Result<bool> {
    caller.require_key_management()?;
    let mut tx = app.database.begin().await?;
    let found = store::revoke_own(&mut tx, caller.account_id(), key, app.clock.now()).await?;
    tx.commit().await?;
    Ok(found)
}

/// Revokes the key at once; returns false when there is no such key.
pub async fn revoke_key(app: &App, tx: &mut Tx, key: &KeyId) -> Result<bool> {
    Ok(store::revoke(tx, key, app.clock.now()).await?)
}

/// Revokes all keys of an account, its test keys included; returns their number.
pub(super) async fn revoke_all(app: &App, tx: &mut Tx, account: &AccountId) -> Result<u64> {
    Ok(store::revoke_all(tx, account, app.clock.now()).await?)
}
