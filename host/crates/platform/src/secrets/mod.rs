//! Secrets: those that all nodes share, created by the first node that needs them and stored in the database; those
//! that clients hold, of which the database stores a hash; and those of accounts that the server must read again, which
//! it encrypts.
mod encryption;
mod secret;
mod store;

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::database::{CursorSeal, Database, Tx};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::storage::{MarkFile, Storage};

pub use encryption::EncryptionKey;
pub use secret::Secret;

const CURSORS: &str = "cursors";
const ROOT: &str = "root";
const ENCRYPTION: &str = "encryption";

/// The seal for the cursors of lists.
pub async fn cursor_seal(database: &Database, random: &Random) -> sqlx::Result<CursorSeal> {
    let secret = find_or_make(database, random, CURSORS).await?;
    Ok(CursorSeal::new(secret.as_bytes()))
}

/// The secret from which all other keys are derived.
pub async fn root(database: &Database, random: &Random) -> sqlx::Result<RootSecret> {
    find_or_make(database, random, ROOT).await.map(RootSecret)
}

/// The key that encrypts the secrets of accounts. It is read where it is needed instead of at the start, and created
/// with the first such secret.
pub async fn encryption_key(tx: &mut Tx, random: &Random) -> Result<EncryptionKey> {
    let key = match store::find(&mut **tx, ENCRYPTION).await? {
        Some(key) => key,
        None => store::find_or_insert(tx, ENCRYPTION, &random_secret(random)).await?,
    };
    let mut bytes = [0; 32];
    hex::decode_to_slice(key, &mut bytes).map_err(Error::internal)?;
    Ok(EncryptionKey::new(&bytes))
}

/// Replaces the secrets that sign. Running nodes use the previous ones until they are restarted. The
/// encryption key remains: without it, the secrets of accounts could not be read.
pub async fn renew(tx: &mut Tx, random: &Random) -> sqlx::Result<()> {
    for name in [CURSORS, ROOT] {
        store::replace(tx, name, &random_secret(random)).await?;
    }
    Ok(())
}

fn random_secret(random: &Random) -> String {
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    hex::encode(bytes)
}

/// The mark of the object store; `None` before the first start.
pub async fn store_mark(database: &Database) -> sqlx::Result<Option<String>> {
    store::find(&database.read, STORE_MARK).await
}

/// Gives the object store its mark, in the database and in its folder, unless the database has one. An existing mark of
/// the folder is adopted: two installations may share the folder, or the database may have been created again.
pub async fn mark_store(database: &Database, random: &Random, storage: &Storage) -> Result<String> {
    let mut fresh = [0; 16];
    random.fill(&mut fresh);
    let mut tx = database.begin().await?;
    let present = store::find(&mut *tx, STORE_MARK).await?;
    if let Some(mark) = present {
        return Ok(mark);
    }
    let mark = match storage.mark(MarkFile::Current).await? {
        Some(mark) if !mark.is_empty() => mark,
        _ => hex::encode(fresh),
    };
    let counts = store::find_or_insert(&mut tx, STORE_MARK, &mark).await?;
    // Written before the commit: a mark that no database knows is harmless.
    storage.set_mark(MarkFile::Current, &counts).await?;
    tx.commit().await?;
    Ok(counts)
}

const STORE_MARK: &str = "object_store";

async fn find_or_make(database: &Database, random: &Random, name: &str) -> sqlx::Result<String> {
    let mut tx = database.begin().await?;
    let secret = store::find_or_insert(&mut tx, name, &random_secret(random)).await?;
    tx.commit().await?;
    Ok(secret)
}

/// A secret from which a separate key for each purpose is derived, so that a value made for one purpose is invalid for
/// any other.
#[derive(Clone)]
pub struct RootSecret(String);

impl RootSecret {
    /// A random secret of this process alone.
    pub fn ephemeral(random: &Random) -> Self {
        Self(random_secret(random))
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
