//! Secrets: those that every node shares, made by the first that needs them and kept in the database; and those that others
//! keep, of which the database has a hash.
mod secret;
mod store;

use crate::database::{CursorSeal, Database};
use crate::random::Random;

pub use secret::Secret;

/// What seals the cursors of lists.
pub async fn cursor_seal(database: &Database, random: &Random) -> sqlx::Result<CursorSeal> {
    let mut fresh = [0; 32];
    random.fill(&mut fresh);
    let mut tx = database.begin().await?;
    let secret = store::find_or_insert(&mut tx, "cursors", &hex::encode(fresh)).await?;
    tx.commit().await?;
    Ok(CursorSeal::new(secret.as_bytes()))
}
