//! Drawings: all have ended, and none was made twice.
use sqlx::PgPool;

use super::Check;
use crate::figures::Figures;

/// No operation, drawing job, page, character, cover or turn in the queue is left over.
pub(super) async fn ended(database: &PgPool) -> anyhow::Result<Check> {
    const LEFT_OVER: [&str; 6] = [
        "SELECT id || ' is ' || status FROM operations WHERE finished_at IS NULL",
        "SELECT id || ' is ' || status || ' after ' || attempts || ' attempts' FROM drawings WHERE status IN ('queued', 'running')",
        "SELECT id || ' is generating' FROM pages WHERE status = 'generating'",
        "SELECT id || ' is generating' FROM characters WHERE status = 'generating'",
        "SELECT id || ' has a cover that is generating' FROM books WHERE cover_status = 'generating'",
        "SELECT account_id || ' has ' || running || ' drawings under way' FROM queue_accounts WHERE running <> 0 OR next_due_at IS NOT NULL",
    ];
    let mut violations: Vec<String> = Vec::new();
    for query in LEFT_OVER {
        violations.extend(sqlx::query_scalar::<_, String>(query).fetch_all(database).await?);
    }
    let drawings: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM drawings")
        .fetch_one(database)
        .await?;
    Ok(Check::new(
        "every operation has ended",
        usize::try_from(drawings)?,
        "drawing jobs",
        violations,
    ))
}

/// Drawings succeeded and replies were replayed during the run, so that the faults could hit them.
pub(crate) async fn of_the_run(database: &PgPool, figures: &Figures) -> anyhow::Result<Check> {
    let succeeded: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM drawings WHERE status = 'succeeded'")
        .fetch_one(database)
        .await?;
    let mut violations = Vec::new();
    if figures.replays.get() == 0 {
        violations.push("no reply was replayed".to_owned());
    }
    Ok(Check::new(
        "nodes drew and replayed during the faults",
        usize::try_from(succeeded)?,
        "successful drawings",
        violations,
    ))
}

/// A picture has been replaced as often as drawings of it succeeded, and a page is in a book once.
pub(super) async fn drawn_once(database: &PgPool) -> anyhow::Result<Check> {
    const REVISIONS: &str = "WITH targets AS ( \
           SELECT id, 'page' AS type, revision FROM pages \
           UNION ALL SELECT id, 'character', revision FROM characters \
           UNION ALL SELECT id, 'cover', cover_revision FROM books) \
         SELECT t.type || ' ' || t.id, t.revision, COUNT(d.id) FROM targets t \
           LEFT JOIN drawings d ON d.target_id = t.id AND d.target_type = t.type AND d.status = 'succeeded' \
         GROUP BY t.id, t.type, t.revision";
    const POSITIONS: &str = "SELECT book_id || ' has several pages at the position ' || position FROM book_pages \
         GROUP BY book_id, position HAVING COUNT(*) > 1";
    let targets: Vec<(String, i64, i64)> = sqlx::query_as(REVISIONS).fetch_all(database).await?;
    let mut violations: Vec<String> = sqlx::query_scalar(POSITIONS).fetch_all(database).await?;
    for (target, revision, drawings) in &targets {
        if revision != drawings {
            violations.push(format!(
                "{target} has revision {revision} after {drawings} successful drawings"
            ));
        }
    }
    Ok(Check::new(
        "no picture was drawn twice",
        targets.len(),
        "pages, covers and characters",
        violations,
    ))
}
