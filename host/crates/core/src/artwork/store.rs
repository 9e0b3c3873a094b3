//! The SQL of artworks.
use super::NewArtwork;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::{AccountId, ArtworkId};

pub(super) async fn insert(
    tx: &mut Tx,
    id: &ArtworkId,
    account: &AccountId,
    new: &NewArtwork,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO artworks (id, account_id, image_key, master_key, width, height, media_type, byte_size, stored_bytes, \
           measures, faults, alternative_text, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    )
    .bind(id.as_str())
    .bind(account)
    .bind(&new.image_key)
    .bind(&new.master_key)
    .bind(new.width)
    .bind(new.height)
    .bind(new.media_type)
    .bind(new.byte_size)
    .bind(new.stored_bytes)
    .bind(&new.measures)
    .bind(&new.faults)
    .bind(&new.alternative_text)
    .bind(now.microseconds())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The keys of the picture and the print master.
pub(super) async fn keys(pool: &Reader, id: &ArtworkId) -> sqlx::Result<Option<(String, String)>> {
    sqlx::query_as("SELECT image_key, master_key FROM artworks WHERE id = $1")
        .bind(id)
        .fetch_optional(pool)
        .await
}

/// Inserts a copy of a row, with the keys of other objects. Returns the size of both in bytes; None if the row does not
/// exist.
pub(super) async fn copy(
    tx: &mut Tx,
    original: &ArtworkId,
    id: &ArtworkId,
    [image_key, master_key]: [&str; 2],
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar(
        "INSERT INTO artworks (id, account_id, image_key, master_key, width, height, media_type, byte_size, stored_bytes, \
           measures, faults, alternative_text, created_at) \
         SELECT $1, account_id, $2, $3, width, height, media_type, byte_size, stored_bytes, measures, faults, \
           alternative_text, created_at FROM artworks WHERE id = $4 RETURNING stored_bytes",
    )
    .bind(id)
    .bind(image_key)
    .bind(master_key)
    .bind(original)
    .fetch_optional(&mut **tx)
    .await
}

/// Deletes the row. Returns the keys of the picture and the print master, and the size of both in bytes.
pub(super) async fn delete(tx: &mut Tx, id: &ArtworkId) -> sqlx::Result<Option<(String, String, i64)>> {
    sqlx::query_as("DELETE FROM artworks WHERE id = $1 RETURNING image_key, master_key, stored_bytes")
        .bind(id.as_str())
        .fetch_optional(&mut **tx)
        .await
}
