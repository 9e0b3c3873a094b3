//! The SQL of copies.
use crate::artwork::Status;
use crate::books::search::store::reindex;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::ids::{ArtworkId, BookId};

/// Inserts a copy of a book and its characters, without its pages and its ISBN, which only one book can have: with
/// another title, if one is given, and with this artwork as its cover.
pub(super) async fn insert(
    tx: &mut Tx,
    original: &BookId,
    id: &BookId,
    title: Option<&str>,
    cover: Option<&ArtworkId>,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO books (id, account_id, title, subtitle, author, description, audience, aspect, language, \
           cover_prompt, cover_style, cover_status, cover_artwork_id, cover_revision, created_at, updated_at, \
           line_weight, detail, style, frame, theme, seed_book_id) \
         SELECT $1, account_id, COALESCE($2, title), subtitle, author, description, audience, aspect, language, \
           cover_prompt, cover_style, CASE WHEN $3 IS NULL THEN $4 ELSE $5 END, $3, \
           CASE WHEN $3 IS NULL THEN 0 ELSE 1 END, CAST($6 AS BIGINT), CAST($6 AS BIGINT), line_weight, detail, \
           style, frame, theme, COALESCE(seed_book_id, id) \
         FROM books WHERE id = $7",
    )
    .bind(id)
    .bind(title)
    .bind(cover.map(ArtworkId::as_str))
    .bind(Status::Failed.as_str())
    .bind(Status::Ready.as_str())
    .bind(now)
    .bind(original)
    .execute(&mut **tx)
    .await?;
    sqlx::query(
        "INSERT INTO book_characters (book_id, character_id, position) \
         SELECT $1, character_id, position FROM book_characters WHERE book_id = $2",
    )
    .bind(id)
    .bind(original)
    .execute(&mut **tx)
    .await?;
    reindex(tx, &[id]).await
}
