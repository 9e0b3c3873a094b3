//! The SQL of changes of pages.
use linepress_model::{DetailLevel, FrameStyle, LineWeight};
use sqlx::AssertSqlSafe;

use crate::artwork::Status;
use crate::characters::CharacterLink;
use crate::operations::FailureCode;
use crate::pages::PageChange;
use crate::pages::search::store::reindex;
use crate::pages::store::add_characters;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Tx, placeholders};
use linepress_platform::ids::{AccountId, OperationId, PageId};

/// Changes the given fields. Returns false when the account has no such page.
pub(super) async fn update(
    tx: &mut Tx,
    account: &AccountId,
    id: &PageId,
    change: &PageChange,
    now: Timestamp,
) -> sqlx::Result<bool> {
    // Destructured by name, so that a new field must be stored or left out on purpose.
    let PageChange {
        title,
        prompt,
        caption,
        // Stored in other tables.
        alternative_text: _,
        character_ids: _,
        locked,
        line_weight,
        detail,
        style,
        frame,
    } = change;
    let done = sqlx::query(
        "UPDATE pages SET title = COALESCE($1, title), prompt = COALESCE($2, prompt), caption = COALESCE($3, caption), \
           locked_at = CASE $10 WHEN 1 THEN COALESCE(locked_at, $4) WHEN 0 THEN NULL ELSE locked_at END, \
           updated_at = $4, line_weight = COALESCE($7, line_weight), detail = COALESCE($8, detail), \
           style = COALESCE($9, style), frame = COALESCE($11, frame) WHERE account_id = $5 AND id = $6",
    )
    .bind(title.as_deref())
    .bind(prompt.as_deref())
    .bind(caption.as_deref())
    .bind(now)
    .bind(account)
    .bind(id)
    .bind(line_weight.map(LineWeight::as_str))
    .bind(detail.map(DetailLevel::as_str))
    .bind(style.as_deref())
    .bind(locked.map(i64::from))
    .bind(frame.map(FrameStyle::as_str))
    .execute(&mut **tx)
    .await?;
    let is_changed = done.rows_affected() == 1;
    if is_changed && (title.is_some() || prompt.is_some() || caption.is_some()) {
        reindex(tx, &[id]).await?;
    }
    Ok(is_changed)
}

/// Changes the alternative text of the page's picture. Returns false when there is no picture. The transaction has
/// locked the page, so that its picture remains the same.
pub(super) async fn set_alternative_text(
    tx: &mut Tx,
    account: &AccountId,
    id: &PageId,
    text: &str,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE artworks SET alternative_text = $1 \
         WHERE id = (SELECT artwork_id FROM pages WHERE account_id = $2 AND id = $3)",
    )
    .bind(text)
    .bind(account)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Replaces the characters of the page.
pub(super) async fn set_characters(tx: &mut Tx, page: &PageId, characters: &[CharacterLink]) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM page_characters WHERE page_id = $1")
        .bind(page.as_str())
        .execute(&mut **tx)
        .await?;
    let links = (0_i64..).zip(characters);
    let links: Vec<_> = links
        .map(|(position, character)| (page, &character.id, position))
        .collect();
    add_characters(tx, &links).await
}

/// Sets the state of pages that were just restored. Without an operation that draws them, those without an image have
/// failed.
pub(super) async fn settle_restored(
    tx: &mut Tx,
    ids: &[&PageId],
    operation: Option<&OperationId>,
    now: Timestamp,
) -> sqlx::Result<()> {
    for some in ids.chunks(500) {
        let statement = format!(
            "UPDATE pages SET active_operation_id = $1, updated_at = $2, \
               status = CASE WHEN $1 IS NOT NULL THEN $3 WHEN artwork_id IS NULL THEN $4 ELSE $5 END, \
               error_code = CASE WHEN $1 IS NULL AND artwork_id IS NULL THEN COALESCE(error_code, $6) ELSE NULL END \
             WHERE id IN ({})",
            placeholders(7, some.len())
        );
        let query = sqlx::query(AssertSqlSafe(statement))
            .bind(operation)
            .bind(now)
            .bind(Status::Generating.as_str())
            .bind(Status::Failed.as_str())
            .bind(Status::Ready.as_str())
            .bind(FailureCode::Canceled.as_str());
        let query = some.iter().fold(query, |query, id| query.bind(*id));
        query.execute(&mut **tx).await?;
    }
    reindex(tx, ids).await
}
