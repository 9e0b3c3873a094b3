//! The SQL of characters.
use sqlx::{AnyExecutor, AssertSqlSafe};

use super::NewCharacter;
use crate::artwork::attempts::Chosen;
use crate::artwork::{ImageColumns, Status};
use crate::search::{self, Beginning, SearchIndex, SearchPart, SearchStatement, Searched};
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::CharacterSnapshot;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader, Tx, placeholders};
use linepress_platform::ids::{AccountId, ArtworkId, CharacterId, OperationId};

/// A character with its reference image.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct StoredCharacter {
    pub id: CharacterId,
    pub name: String,
    pub sort_title: String,
    pub description: String,
    pub style: String,
    pub seed: i64,
    #[sqlx(try_from = "String")]
    pub status: Status,
    pub preview_token: Option<String>,
    pub active_operation_id: Option<OperationId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub image_key: Option<String>,
    #[sqlx(flatten)]
    pub image: ImageColumns,
}

/// The query that reads characters `c`, archived ones included; the argument is its WHERE clause and what follows it.
macro_rules! select_all_characters {
    ($($rest:literal)*) => {
        concat!(
            "SELECT c.id, c.name, c.sort_title, c.description, c.style, c.seed, c.status, c.preview_token, \
               c.active_operation_id, c.created_at, c.updated_at, c.revision, a.image_key, a.width, a.height, \
               a.media_type, a.byte_size \
             FROM characters c LEFT JOIN artworks a ON a.id = c.artwork_id WHERE ",
            $($rest),*
        )
    };
}

/// The query that reads active characters `c`; the argument is its WHERE clause and what follows it.
macro_rules! select_characters {
    ($rest:literal) => {
        select_all_characters!("c.archived_at IS NULL AND " $rest)
    };
}

/// Finds the active character of a preview's token, unless its account is suspended.
pub(super) async fn find_by_preview(pool: &Reader, token: &str) -> sqlx::Result<Option<StoredCharacter>> {
    sqlx::query_as(select_characters!(
        "c.preview_token = $1 AND EXISTS \
           (SELECT 1 FROM accounts o WHERE o.id = c.account_id AND o.suspended_at IS NULL)"
    ))
    .bind(token)
    .fetch_optional(pool)
    .await
}

const FIND: &str = select_characters!("c.account_id = $1 AND c.id = $2");

pub(super) async fn find<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    id: &CharacterId,
) -> sqlx::Result<Option<StoredCharacter>> {
    sqlx::query_as(FIND)
        .bind(account.as_str())
        .bind(id.as_str())
        .fetch_optional(executor)
        .await
}

/// The active characters of the account among these ids.
pub(super) async fn find_all(
    tx: &mut Tx,
    account: &AccountId,
    ids: &[&CharacterId],
) -> sqlx::Result<Vec<StoredCharacter>> {
    let mut found = Vec::new();
    for some in ids.chunks(500) {
        let statement = select_characters!("c.account_id = $1 AND c.id IN (");
        let statement = format!("{statement}{})", placeholders(2, some.len()));
        let mut query = sqlx::query_as(AssertSqlSafe(statement)).bind(account);
        for id in some {
            query = query.bind(*id);
        }
        found.extend(query.fetch_all(&mut **tx).await?);
    }
    Ok(found)
}

/// Lists active characters, newest first, with one row more than the limit if there are that many.
pub(super) async fn list(
    pool: &Reader,
    account: &AccountId,
    request: &PageRequest,
) -> sqlx::Result<Vec<StoredCharacter>> {
    sqlx::query_as(select_characters!(
        "c.account_id = $1 AND c.id < $2 ORDER BY c.id DESC LIMIT $3"
    ))
    .bind(account.as_str())
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

/// Lists archived characters, newest first, with one row more than the limit if there are that many.
pub(super) async fn list_archived(
    pool: &Reader,
    account: &AccountId,
    request: &PageRequest,
) -> sqlx::Result<Vec<StoredCharacter>> {
    sqlx::query_as(select_all_characters!(
        "c.archived_at IS NOT NULL AND c.account_id = $1 AND c.id < $2 ORDER BY c.id DESC LIMIT $3"
    ))
    .bind(account)
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

impl Searched for StoredCharacter {
    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn sort_title(&self) -> &str {
        &self.sort_title
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// Lists the characters that a search finds, active or archived ones, in its order, with one row more than the limit if
/// there are that many.
pub(super) async fn search(
    pool: &Reader,
    account: &AccountId,
    archived: bool,
    part: &SearchPart<'_, Status>,
) -> sqlx::Result<Vec<StoredCharacter>> {
    let statement = if archived {
        select_all_characters!("c.archived_at IS NOT NULL AND c.account_id = $1")
    } else {
        select_characters!("c.account_id = $1")
    };
    let mut statement = SearchStatement::new(statement, account);
    for pattern in part.search.patterns() {
        statement.push(" AND c.search_text LIKE {}", pattern);
    }
    if let Some(status) = part.search.status {
        statement.push(" AND c.status = {}", status.as_str());
    }
    statement.push_order(part, "c");
    statement.fetch_all(pool).await
}

/// The account's active characters whose name or id begins as given, sorted by name; at most `limit`, each with its
/// name.
pub(super) async fn suggest(
    pool: &Reader,
    account: &AccountId,
    beginning: &Beginning,
    limit: i64,
) -> sqlx::Result<Vec<(CharacterId, String)>> {
    const STATEMENT: &str = "SELECT id, name FROM characters WHERE archived_at IS NULL AND account_id = $1 \
         AND (sort_title LIKE $2 OR id LIKE $3 ESCAPE '!') ORDER BY sort_title, id LIMIT $4";
    search::suggest(pool, STATEMENT, account, beginning, limit).await
}

/// The texts by which characters are found and sorted.
pub(crate) const SEARCH_INDEX: SearchIndex = SearchIndex {
    select: "SELECT id, name, name || ' ' || description FROM characters WHERE id IN",
    update: "UPDATE characters SET search_text = $1, sort_title = $2 WHERE id = $3",
    unindexed: "SELECT id FROM characters WHERE search_text = '' AND id > '' ORDER BY id LIMIT $1",
};

/// A character that is inserted before its first drawing.
pub(super) struct Inserted<'a> {
    pub id: &'a CharacterId,
    pub new: &'a NewCharacter,
    pub preview_token: Option<String>,
    pub seed: i64,
    pub operation: &'a OperationId,
}

pub(super) async fn insert(
    tx: &mut Tx,
    caller: &Caller,
    inserted: Inserted<'_>,
    now: Timestamp,
) -> sqlx::Result<StoredCharacter> {
    // Destructured by name, so that a new field must be stored or left out on purpose.
    let NewCharacter {
        name,
        description,
        style,
        // Stored as the presence of a preview token.
        public_preview: _,
        // Stored with the drawing jobs, because it may be a file of the request.
        source_upload_id: _,
        // The number of drawing jobs.
        variants: _,
    } = inserted.new;
    sqlx::query(
        "INSERT INTO characters (id, account_id, name, description, style, seed, status, preview_token, active_operation_id, \
           created_at, updated_at, search_text, sort_title) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12)",
    )
    .bind(inserted.id)
    .bind(caller.account_id())
    .bind(&**name)
    .bind(description.as_deref().unwrap_or_default())
    .bind(style.as_deref().unwrap_or_default())
    .bind(inserted.seed)
    .bind(Status::Generating.as_str())
    .bind(inserted.preview_token)
    .bind(inserted.operation)
    .bind(now)
    .bind(search::text(&[name, description.as_deref().unwrap_or_default()]))
    .bind(search::sort_title(name))
    .execute(&mut **tx)
    .await?;
    sqlx::query_as(FIND)
        .bind(caller.account_id())
        .bind(inserted.id)
        .fetch_one(&mut **tx)
        .await
}

/// Marks an active character as being drawn. Returns it as it is afterwards; None if the character does not exist or it
/// is already being drawn.
pub(super) async fn start_generation(
    tx: &mut Tx,
    caller: &Caller,
    id: &CharacterId,
    operation: &OperationId,
    now: Timestamp,
) -> sqlx::Result<Option<StoredCharacter>> {
    let done = sqlx::query(
        "UPDATE characters SET status = $5, active_operation_id = $1, \
           updated_at = $2 WHERE account_id = $3 AND id = $4 AND archived_at IS NULL AND active_operation_id IS NULL",
    )
    .bind(operation.as_str())
    .bind(now.microseconds())
    .bind(caller.account_id().as_str())
    .bind(id.as_str())
    .bind(Status::Generating.as_str())
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    find(&mut **tx, caller.account_id(), id).await
}

/// Locks a character, which may be archived, until the transaction ends. Returns false if it does not exist.
pub(super) async fn lock(tx: &mut Tx, id: &CharacterId, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE characters SET updated_at = $1 WHERE id = $2")
        .bind(now)
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Records the result of a drawing of a character that the transaction has locked: an artwork to show, with the seed
/// and description of the drawing. Without one, it keeps its image. The last drawing makes it ready, or failed if it
/// has no image.
pub(super) async fn complete(
    tx: &mut Tx,
    id: &CharacterId,
    artwork: Option<&ArtworkId>,
    look: Option<&CharacterSnapshot>,
    is_last: bool,
) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE characters SET \
           status = CASE WHEN $4 = 0 THEN status WHEN COALESCE($1, artwork_id) IS NULL THEN $6 ELSE $7 END, \
           revision = revision + CASE WHEN $1 IS NULL THEN 0 ELSE 1 END, \
           seed = COALESCE($2, seed), description = COALESCE($3, description), \
           artwork_id = COALESCE($1, artwork_id), \
           active_operation_id = CASE WHEN $4 = 1 THEN NULL ELSE active_operation_id END WHERE id = $5",
    )
    .bind(artwork.map(ArtworkId::as_str))
    .bind(look.map(|look| look.seed))
    .bind(look.map(|look| look.description.as_str()))
    .bind(i64::from(is_last))
    .bind(id)
    .bind(Status::Failed.as_str())
    .bind(Status::Ready.as_str())
    .execute(&mut **tx)
    .await?;
    match look {
        Some(_) => SEARCH_INDEX.update(tx, &[id.as_str()]).await,
        None => Ok(()),
    }
}

/// Locks an active character that is not being drawn until the transaction ends. Returns false when the character does
/// not exist or it is being drawn.
pub(super) async fn lock_idle(
    tx: &mut Tx,
    account: &AccountId,
    id: &CharacterId,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE characters SET updated_at = $1 \
         WHERE account_id = $2 AND id = $3 AND archived_at IS NULL AND active_operation_id IS NULL",
    )
    .bind(now)
    .bind(account)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives the character the reference image of an attempt that was chosen again, with its seed. The character gets the
/// attempt's description, too, unless its own was edited since the attempt before.
pub(super) async fn show_attempt(tx: &mut Tx, id: &CharacterId, chosen: &Chosen, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE characters SET artwork_id = $1, revision = revision + 1, status = $2, seed = COALESCE($3, seed), \
           description = CASE WHEN description = $4 THEN $5 ELSE description END, updated_at = $6 WHERE id = $7",
    )
    .bind(&chosen.artwork_id)
    .bind(Status::Ready.as_str())
    .bind(chosen.seed)
    .bind(chosen.prompt_before.as_deref())
    .bind(&chosen.prompt)
    .bind(now)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    SEARCH_INDEX.update(tx, &[id.as_str()]).await
}

pub(super) async fn reference_key(pool: &Reader, id: &CharacterId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT a.image_key FROM characters c JOIN artworks a ON a.id = c.artwork_id WHERE c.id = $1")
        .bind(id)
        .fetch_optional(pool)
        .await
}

pub(super) async fn is_active(pool: &Reader, id: &CharacterId) -> sqlx::Result<bool> {
    let found: Option<i64> =
        sqlx::query_scalar("SELECT created_at FROM characters WHERE id = $1 AND archived_at IS NULL")
            .bind(id)
            .fetch_optional(pool)
            .await?;
    Ok(found.is_some())
}

/// Changes the given fields of an active character. Returns false when the account has no such character.
pub(super) async fn update(
    tx: &mut Tx,
    account: &AccountId,
    id: &CharacterId,
    name: Option<&str>,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE characters SET name = COALESCE($1, name), updated_at = $2 \
         WHERE account_id = $3 AND id = $4 AND archived_at IS NULL",
    )
    .bind(name)
    .bind(now.microseconds())
    .bind(account.as_str())
    .bind(id.as_str())
    .execute(&mut **tx)
    .await?;
    let is_changed = done.rows_affected() == 1;
    if is_changed && name.is_some() {
        SEARCH_INDEX.update(tx, &[id.as_str()]).await?;
    }
    Ok(is_changed)
}

/// Turns the preview on with this token, unless it is on already.
pub(super) async fn set_preview(tx: &mut Tx, id: &CharacterId, token: &str) -> sqlx::Result<()> {
    sqlx::query("UPDATE characters SET preview_token = COALESCE(preview_token, $1) WHERE id = $2")
        .bind(token)
        .bind(id.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Turns the preview off. Its token is never used again.
pub(super) async fn end_preview(tx: &mut Tx, id: &CharacterId) -> sqlx::Result<()> {
    sqlx::query("UPDATE characters SET preview_token = NULL WHERE id = $1")
        .bind(id.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Archives the character. Returns false when it is not active.
pub(super) async fn archive(tx: &mut Tx, account: &AccountId, id: &CharacterId, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE characters SET archived_at = $1, updated_at = $1 \
         WHERE account_id = $2 AND id = $3 AND archived_at IS NULL",
    )
    .bind(now)
    .bind(account)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Restores an archived character. Returns false if the archived character does not exist.
pub(super) async fn restore(tx: &mut Tx, account: &AccountId, id: &CharacterId, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE characters SET archived_at = NULL, updated_at = $1 \
         WHERE account_id = $2 AND id = $3 AND archived_at IS NOT NULL",
    )
    .bind(now.microseconds())
    .bind(account.as_str())
    .bind(id.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}
