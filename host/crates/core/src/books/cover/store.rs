//! The SQL of covers.
use sqlx::AnyExecutor;

use crate::artwork::Status;
use crate::artwork::attempts::Chosen;
use crate::books::CoverStyle;
use crate::books::search::store::reindex;
use linepress_accounts::deleted::Location;
use linepress_drawings::queue::DrawingRequest;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::ids::{AccountId, ArtworkId, BookId};

/// The artwork of the cover; None if it has none.
pub(in crate::books) async fn artwork<'e>(
    executor: impl AnyExecutor<'e>,
    id: &BookId,
) -> sqlx::Result<Option<ArtworkId>> {
    let found: Option<Option<ArtworkId>> = sqlx::query_scalar("SELECT cover_artwork_id FROM books WHERE id = $1")
        .bind(id.as_str())
        .fetch_optional(executor)
        .await?;
    Ok(found.flatten())
}

/// Marks the cover as being drawn.
pub(in crate::books) async fn start(tx: &mut Tx, id: &BookId) -> sqlx::Result<()> {
    sqlx::query("UPDATE books SET cover_status = $1 WHERE id = $2")
        .bind(Status::Generating.as_str())
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Locks a book whose cover is not being drawn until the transaction ends. Returns the cover's prompt. None if the book
/// does not exist or its cover is being drawn.
pub(in crate::books) async fn lock_idle(
    tx: &mut Tx,
    account: &AccountId,
    id: &BookId,
    now: Timestamp,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "UPDATE books SET updated_at = $1 WHERE account_id = $2 AND id = $3 AND cover_status <> $4 \
         RETURNING cover_prompt",
    )
    .bind(now)
    .bind(account)
    .bind(id)
    .bind(Status::Generating.as_str())
    .fetch_optional(&mut **tx)
    .await
}

/// Sets the style of the cover.
pub(in crate::books) async fn set_style(tx: &mut Tx, id: &BookId, style: CoverStyle) -> sqlx::Result<()> {
    sqlx::query("UPDATE books SET cover_style = $1 WHERE id = $2")
        .bind(style.as_str())
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Makes the cover show an attempt that was chosen again. The cover gets the attempt's prompt and style, each unless its
/// own was edited since the attempt before.
pub(in crate::books) async fn show_attempt(
    tx: &mut Tx,
    id: &BookId,
    chosen: &Chosen,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE books SET cover_artwork_id = $1, cover_revision = cover_revision + 1, cover_status = $2, \
           cover_prompt = CASE WHEN cover_prompt = $3 THEN $4 ELSE cover_prompt END, updated_at = $5, \
           cover_style = CASE WHEN cover_style = $7 THEN COALESCE($8, cover_style) ELSE cover_style END WHERE id = $6",
    )
    .bind(&chosen.artwork_id)
    .bind(Status::Ready.as_str())
    .bind(chosen.prompt_before.as_deref())
    .bind(&chosen.prompt)
    .bind(now)
    .bind(id)
    .bind(chosen.style_before.as_deref())
    .bind(chosen.style.as_deref())
    .execute(&mut **tx)
    .await?;
    reindex(tx, &[id]).await
}

/// Locks a book in this location until the transaction ends. Returns false if it is not there.
pub(in crate::books) async fn lock(tx: &mut Tx, location: Location, id: &BookId, now: Timestamp) -> sqlx::Result<bool> {
    let statement = match location {
        Location::Library => "UPDATE books SET updated_at = $1 WHERE id = $2",
        Location::Bin => "UPDATE bin_books SET updated_at = $1 WHERE id = $2",
    };
    let done = sqlx::query(statement).bind(now).bind(id).execute(&mut **tx).await?;
    Ok(done.rows_affected() == 1)
}

/// The statement that records the result of a cover's drawing; the argument is its beginning.
macro_rules! complete_cover {
    ($update:literal) => {
        concat!(
            $update,
            "cover_status = CASE WHEN $2 = 0 THEN cover_status WHEN COALESCE($1, cover_artwork_id) IS NULL THEN $6 \
                 ELSE $7 END, \
               cover_revision = cover_revision + CASE WHEN $1 IS NULL THEN 0 ELSE 1 END, \
               cover_prompt = CASE WHEN $1 IS NULL OR cover_prompt <> COALESCE($5, cover_prompt) THEN cover_prompt \
                 ELSE COALESCE($4, cover_prompt) END, \
               cover_style = CASE WHEN $1 IS NULL THEN cover_style ELSE COALESCE($8, cover_style) END, \
               cover_artwork_id = COALESCE($1, cover_artwork_id) WHERE id = $3"
        )
    };
}

/// Records the result of a drawing for a book in this location, which the transaction has locked: an artwork to show.
/// If it was drawn with a new prompt, the cover gets that prompt, unless its prompt was changed since the request.
/// Without an artwork it keeps its image. The last drawing makes the cover ready, or failed if it has no image.
pub(in crate::books) async fn complete(
    tx: &mut Tx,
    (location, id): (Location, &BookId),
    artwork: Option<&ArtworkId>,
    asked: Option<&DrawingRequest>,
    is_last: bool,
) -> sqlx::Result<()> {
    let statement = match location {
        Location::Library => complete_cover!("UPDATE books SET "),
        Location::Bin => complete_cover!("UPDATE bin_books SET "),
    };
    sqlx::query(statement)
        .bind(artwork.map(ArtworkId::as_str))
        .bind(i64::from(is_last))
        .bind(id)
        .bind(asked.and_then(|asked| asked.new_prompt.as_deref()))
        .bind(asked.and_then(|asked| asked.old_prompt.as_deref()))
        .bind(Status::Failed.as_str())
        .bind(Status::Ready.as_str())
        .bind(asked.and_then(|asked| asked.new_style).map(CoverStyle::as_str))
        .execute(&mut **tx)
        .await?;
    let is_reworded = artwork.is_some() && asked.is_some_and(|asked| asked.new_prompt.is_some());
    if is_reworded && location == Location::Library {
        reindex(tx, &[id]).await?;
    }
    Ok(())
}
