//! Secrets: those that every node shares, made by the first that needs them and kept in the database; and those that others
//! keep, of which the database has a hash.
mod secret;
mod store;

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::database::{CursorSeal, Database};
use crate::error::Result;
use crate::random::Random;
use crate::storage::Storage;

pub use secret::Secret;

const CURSORS: &str = "cursors";
const ROOT: &str = "root";

/// What seals the cursors of lists.
pub async fn cursor_seal(database: &Database, random: &Random) -> sqlx::Result<CursorSeal> {
    let secret = find_or_make(database, random, CURSORS).await?;
    Ok(CursorSeal::new(secret.as_bytes()))
}

/// What all other keys are derived from.
pub async fn root(database: &Database, random: &Random) -> sqlx::Result<RootSecret> {
    find_or_make(database, random, ROOT).await.map(RootSecret)
}

/// Replaces all secrets that nodes share, in one step. A node that runs goes on with those that it knows until it is started
/// again.
pub async fn renew(database: &Database, random: &Random) -> sqlx::Result<()> {
    let mut tx = database.begin().await?;
    for name in [CURSORS, ROOT] {
        store::replace(&mut tx, name, &fresh(random)).await?;
    }
    tx.commit().await
}

fn fresh(random: &Random) -> String {
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    hex::encode(bytes)
}

/// The mark of the object store, once it has one.
pub async fn store_mark(database: &Database) -> sqlx::Result<Option<String>> {
    store::find(&database.read, STORE_MARK).await
}

/// Gives the object store its mark, in the database and in its folder, unless the database has one. A folder that has a mark
/// keeps it: it may be shared by two installations, or the database may have been made again.
pub async fn mark_store(database: &Database, random: &Random, storage: &Storage) -> Result<String> {
    let mut fresh = [0; 16];
    random.fill(&mut fresh);
    let mut tx = database.begin().await?;
    let present = store::find(&mut *tx, STORE_MARK).await?;
    if let Some(mark) = present {
        return Ok(mark);
    }
    let mark = match storage.mark().await? {
        Some(mark) if !mark.is_empty() => mark,
        _ => hex::encode(fresh),
    };
    let counts = store::find_or_insert(&mut tx, STORE_MARK, &mark).await?;
    // Before it is committed: a folder that has a mark which no database knows takes no harm.
    storage.set_mark(&counts).await?;
    tx.commit().await?;
    Ok(counts)
}

const STORE_MARK: &str = "object_store";

async fn find_or_make(database: &Database, random: &Random, name: &str) -> sqlx::Result<String> {
    let mut tx = database.begin().await?;
    let secret = store::find_or_insert(&mut tx, name, &fresh(random)).await?;
    tx.commit().await?;
    Ok(secret)
}

/// A secret from which a key for each purpose is derived, so that what is made for one is worth nothing for another.
#[derive(Clone)]
pub struct RootSecret(String);

impl RootSecret {
    /// One that no other process has.
    pub fn own(random: &Random) -> Self {
        Self(fresh(random))
    }

    pub fn key_for(&self, purpose: &str) -> [u8; 32] {
        let mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).expect("HMAC takes a key of any length");
        mac.chain_update(purpose).finalize().into_bytes().into()
    }
}

impl fmt::Debug for RootSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RootSecret(..)")
    }
}
