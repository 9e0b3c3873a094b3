//! The SQL of the queue.
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::AssertSqlSafe;

use super::{DrawingJob, DrawingStatus, NewDrawingJob, Target, TargetType, Work};
use linepress_accounts::caller::Caller;
use linepress_platform::clock::{Timestamp, microseconds};
use linepress_platform::database::{Database, Dialect, LeaseClock, Reader, Tx, placeholders, value_rows};
use linepress_platform::ids::{AccountId, DrawingId, LeaseId, OperationId};

#[derive(sqlx::FromRow)]
pub(super) struct ClaimedRow {
    id: DrawingId,
    operation_id: OperationId,
    account_id: AccountId,
    #[sqlx(try_from = "String")]
    target_type: TargetType,
    target_id: String,
    request: String,
    attempts: i64,
    provider: Option<String>,
    first_claimed_at: Timestamp,
    due_at: Timestamp,
    trace_parent: Option<String>,
    review_hint: Option<String>,
}

impl ClaimedRow {
    /// The job of this row, which was claimed just now for a lease of this length.
    pub(super) fn held_under(self, lease: LeaseId, length: Duration) -> DrawingJob {
        let claimed_at = self.due_at.minus(length);
        DrawingJob {
            id: self.id,
            operation_id: self.operation_id,
            account_id: self.account_id,
            target: Target::from_parts(self.target_type, self.target_id),
            request: self.request,
            attempts: self.attempts,
            last_provider: self.provider,
            tried_for: claimed_at.since(self.first_claimed_at),
            lease,
            trace_parent: self.trace_parent,
            review_hint: self.review_hint,
        }
    }
}

/// A statement with the states of a drawing in place of `{queued}`, `{running}` and `{failed}`. They are part of its
/// text because a plan that is made before parameters are bound cannot use a partial index, such as one with the
/// condition `status = 'queued'`. The text is made once.
macro_rules! with_states {
    ($statement:expr $(,)?) => {{
        static STATEMENT: LazyLock<String> = LazyLock::new(|| insert_states($statement));
        STATEMENT.as_str()
    }};
}

pub(super) use with_states;

pub(super) fn insert_states(statement: &str) -> String {
    let quoted = |status: DrawingStatus| format!("'{status}'");
    statement
        .replace("{queued}", &quoted(DrawingStatus::Queued))
        .replace("{running}", &quoted(DrawingStatus::Running))
        .replace("{failed}", &quoted(DrawingStatus::Failed))
}

/// A drawing at its position in an operation.
pub(super) struct Queued {
    pub id: DrawingId,
    pub position: i64,
    pub job: NewDrawingJob,
    /// The [`super::DrawingRequest`] as JSON.
    pub request: String,
}

/// Queues the drawings, and puts their account in line if it is not yet.
pub(super) async fn insert(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    queued: &[Queued],
    now: Timestamp,
) -> sqlx::Result<()> {
    const COLUMNS: usize = 14;
    // `$1` is the time of the lease's clock, `$2` the status.
    let trace_parent = linepress_traces::current_parent();
    for some in queued.chunks(500) {
        let rows = value_rows(3, COLUMNS - 1, some.len(), ", $2, {now}");
        let statement = format!(
            "INSERT INTO drawings (id, operation_id, account_id, position, target_type, target_id, title, credits, request, \
               created_at, source_bytes, trace_parent, instruction, status, due_at) VALUES {rows}"
        );
        let mut query = clock.query(&statement).bind(DrawingStatus::Queued.as_str());
        for queued in some {
            query = query
                .bind(queued.id.as_str().to_owned())
                .bind(operation.as_str().to_owned())
                .bind(caller.account_id().as_str().to_owned())
                .bind(queued.position)
                .bind(queued.job.target.kind().as_str())
                .bind(queued.job.target.id().to_owned())
                .bind(queued.job.title.clone())
                .bind(queued.job.credits)
                .bind(queued.request.clone())
                .bind(now)
                .bind(queued.job.request.source.as_ref().map_or(0, |source| source.byte_size))
                .bind(trace_parent.clone())
                .bind(queued.job.request.instruction().map(str::to_owned));
        }
        query.execute(&mut **tx).await?;
    }
    let line_up = "INSERT INTO queue_accounts (account_id, next_due_at) VALUES ($2, {now}) \
         ON CONFLICT (account_id) DO UPDATE SET next_due_at = CASE \
           WHEN queue_accounts.next_due_at < excluded.next_due_at THEN queue_accounts.next_due_at \
           ELSE excluded.next_due_at END";
    clock
        .query(line_up)
        .bind(caller.account_id())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The length of the queue.
#[derive(sqlx::FromRow)]
pub(super) struct State {
    pub queued: i64,
    pub running: i64,
    /// The time at which the oldest queued drawing was ordered, in microseconds; 0 when none is queued.
    pub oldest: i64,
}

/// Counts up to `limit` drawings of each state. The conditions on times let the counts use the indexes of open
/// drawings.
pub(super) async fn state(pool: &Reader, limit: i64) -> sqlx::Result<State> {
    let statement = with_states!(
        "SELECT \
           (SELECT COUNT(*) FROM (SELECT 1 FROM drawings WHERE status = {queued} AND created_at > 0 LIMIT $1) AS counted) AS queued, \
           (SELECT COUNT(*) FROM (SELECT 1 FROM drawings WHERE status = {running} AND due_at > 0 LIMIT $1) AS counted) AS running, \
           (SELECT COALESCE(MIN(created_at), 0) FROM drawings WHERE status = {queued} AND created_at > 0) AS oldest",
    );
    sqlx::query_as(AssertSqlSafe(statement))
        .bind(limit)
        .fetch_one(pool)
        .await
}

/// The number of the account's open drawings that were ordered before an operation. A claim takes the drawings of an
/// account in the order of their operations' ids.
pub(super) async fn count_before(pool: &Reader, account: &AccountId, operation: &OperationId) -> sqlx::Result<i64> {
    let statement = with_states!(
        "SELECT \
           (SELECT COUNT(*) FROM drawings WHERE account_id = $1 AND status = {queued} AND operation_id < $2) + \
           (SELECT COUNT(*) FROM drawings WHERE account_id = $1 AND status = {running} AND operation_id < $2)",
    );
    sqlx::query_scalar(AssertSqlSafe(statement))
        .bind(account)
        .bind(operation)
        .fetch_one(pool)
        .await
}

/// Returns whether there is something to claim: a drawing that is due, or one whose lease has expired, while the queue
/// is not paused.
pub(super) async fn is_anything_due(clock: LeaseClock<'_>, pool: &Reader) -> sqlx::Result<bool> {
    let due: Option<i64> = clock
        .query_scalar(with_states!(
            "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM queue_pause WHERE id = 1) \
               AND (EXISTS (SELECT 1 FROM queue_accounts WHERE next_due_at <= {now}) \
                 OR EXISTS (SELECT 1 FROM drawings WHERE status = {running} AND due_at <= {now}))",
        ))
        .fetch_optional(pool)
        .await?;
    Ok(due.is_some())
}

/// Returns whether a sandbox has a queued drawing that is due. It reads the accounts whose turn it is.
pub(super) async fn is_test_due(clock: LeaseClock<'_>, pool: &Reader) -> sqlx::Result<bool> {
    let due: Option<i64> = clock
        .query_scalar(
            "SELECT q.next_due_at FROM queue_accounts q JOIN accounts a ON a.id = q.account_id \
             WHERE q.next_due_at <= {now} AND a.sandbox_of IS NOT NULL LIMIT 1",
        )
        .fetch_optional(pool)
        .await?;
    Ok(due.is_some())
}

/// Claims the next drawing for a lease of this length. A drawing whose lease has expired goes first. Otherwise the
/// account with the fewest drawings in progress is chosen, among equals the one that was served longest ago, and of its
/// drawings the oldest one that does not wait for one of the `busy` providers. With `only_tests`, other accounts than
/// sandboxes and expired leases are left out.
pub(super) async fn claim(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    lease: &LeaseId,
    length: Duration,
    busy: &[String],
    only_tests: bool,
) -> sqlx::Result<Option<ClaimedRow>> {
    let statement = match clock.database.dialect {
        Dialect::Sqlite => with_states!(Dialect::Sqlite.claim_drawing()),
        Dialect::Postgres => with_states!(Dialect::Postgres.claim_drawing()),
    };
    clock
        .query_as(statement)
        .bind(lease)
        .bind(microseconds(length))
        .bind(busy.iter().map(|provider| format!(",{provider},")).collect::<String>())
        .bind(i64::from(only_tests))
        .fetch_optional(&mut **tx)
        .await
}

/// The account whose turn is next.
pub(super) async fn next_account(clock: LeaseClock<'_>, tx: &mut Tx) -> sqlx::Result<Option<AccountId>> {
    clock.query_scalar(NEXT_ACCOUNT).fetch_optional(&mut **tx).await
}

const NEXT_ACCOUNT: &str = "SELECT account_id FROM queue_accounts WHERE next_due_at IS NOT NULL AND +next_due_at <= {now} \
     ORDER BY running, last_served_at LIMIT 1";

/// Up to 100 accounts that are in line although none of their drawings is due.
pub(super) async fn idle_accounts(clock: LeaseClock<'_>, tx: &mut Tx) -> sqlx::Result<Vec<AccountId>> {
    clock
        .query_scalar(with_states!(
            "SELECT account_id FROM queue_accounts WHERE next_due_at <= {now} AND NOT EXISTS \
               (SELECT 1 FROM drawings d WHERE d.account_id = queue_accounts.account_id AND d.status = {queued} \
                  AND d.due_at <= {now}) LIMIT 100",
        ))
        .fetch_all(&mut **tx)
        .await
}

/// Records that the account was served now.
pub(super) async fn mark_served(clock: LeaseClock<'_>, tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    let statement = "UPDATE queue_accounts SET last_served_at = {now} WHERE account_id = $2";
    clock.query(statement).bind(account).execute(&mut **tx).await?;
    Ok(())
}

/// Updates the number of the account's drawings in progress and the time when its next one is due.
pub(super) async fn refresh(database: &Database, tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    // The row is locked first, so that the counts include everything that other transactions committed before.
    if let Some(lock) = database.dialect.lock_queue_account() {
        sqlx::query(lock).bind(account).execute(&mut **tx).await?;
    }
    let statement = with_states!(
        "UPDATE queue_accounts SET \
           running = (SELECT COUNT(*) FROM drawings WHERE account_id = $1 AND status = {running}), \
           next_due_at = (SELECT MIN(due_at) FROM drawings WHERE account_id = $1 AND status = {queued}) \
         WHERE account_id = $1",
    );
    sqlx::query(statement).bind(account).execute(&mut **tx).await?;
    Ok(())
}

/// Renews the lease. Returns false when it is lost.
pub(super) async fn renew(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    job: &DrawingJob,
    length: Duration,
) -> sqlx::Result<bool> {
    let done = clock
        .query("UPDATE drawings SET due_at = {now} + $2 WHERE id = $3 AND lease = $4 AND status = $5")
        .bind(microseconds(length))
        .bind(&job.id)
        .bind(&job.lease)
        .bind(DrawingStatus::Running.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends the drawing and returns the credits that were charged for it. None, and nothing changed, when the lease is
/// lost.
pub(super) async fn finish(
    tx: &mut Tx,
    job: &DrawingJob,
    result: Result<Option<&str>, (&str, Option<&str>)>,
    now: Timestamp,
) -> sqlx::Result<Option<i64>> {
    let (status, error_code, note) = match result {
        Ok(note) => (DrawingStatus::Succeeded, None, note),
        Err((code, sentence)) => (DrawingStatus::Failed, Some(code), sentence),
    };
    sqlx::query_scalar(
        "UPDATE drawings SET status = $1, error_code = $2, note = $3, finished_at = $4, lease = NULL \
         WHERE id = $5 AND lease = $6 AND status = $7 RETURNING credits",
    )
    .bind(status.as_str())
    .bind(error_code)
    .bind(note)
    .bind(now)
    .bind(&job.id)
    .bind(&job.lease)
    .bind(DrawingStatus::Running.as_str())
    .fetch_optional(&mut **tx)
    .await
}

/// Makes the queued drawings of an operation due that are due later; returns their number.
pub(super) async fn make_due(clock: LeaseClock<'_>, tx: &mut Tx, operation: &OperationId) -> sqlx::Result<u64> {
    let done = clock
        .query(
            "UPDATE drawings SET due_at = {now}, waits_for = NULL \
             WHERE operation_id = $2 AND status = $3 AND due_at > {now}",
        )
        .bind(operation)
        .bind(DrawingStatus::Queued.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

pub(super) async fn was_anything_drawn(pool: &Reader, since: Timestamp) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT d.finished_at FROM drawings d JOIN accounts a ON a.id = d.account_id \
         WHERE d.finished_at > $1 AND d.request <> '' AND d.status = $2 AND a.sandbox_of IS NULL LIMIT 1",
    )
    .bind(since)
    .bind(DrawingStatus::Succeeded.as_str())
    .fetch_optional(pool)
    .await?;
    Ok(found.is_some())
}

pub(super) async fn lock_open(tx: &mut Tx, target: &str) -> sqlx::Result<Option<OperationId>> {
    let operations: Vec<OperationId> = sqlx::query_scalar(
        "UPDATE drawings SET target_id = target_id WHERE target_id = $1 AND status IN ($2, $3) RETURNING operation_id",
    )
    .bind(target)
    .bind(DrawingStatus::Queued.as_str())
    .bind(DrawingStatus::Running.as_str())
    .fetch_all(&mut **tx)
    .await?;
    Ok(operations.into_iter().next())
}

pub(super) async fn has_open_drawing(tx: &mut Tx, target: &str) -> sqlx::Result<bool> {
    let found: Option<i64> =
        sqlx::query_scalar("SELECT position FROM drawings WHERE target_id = $1 AND status IN ($2, $3) LIMIT 1")
            .bind(target)
            .bind(DrawingStatus::Queued.as_str())
            .bind(DrawingStatus::Running.as_str())
            .fetch_optional(&mut **tx)
            .await?;
    Ok(found.is_some())
}

pub(super) async fn held_targets(tx: &mut Tx, targets: &[Target]) -> sqlx::Result<Vec<String>> {
    let mut held = Vec::new();
    for some in targets.chunks(500) {
        let statement = format!(
            "SELECT target_id FROM drawings WHERE status = $1 AND target_id IN ({})",
            placeholders(2, some.len())
        );
        let mut query = sqlx::query_scalar(AssertSqlSafe(statement)).bind(DrawingStatus::Running.as_str());
        for target in some {
            query = query.bind(target.id().to_owned());
        }
        held.extend(query.fetch_all(&mut **tx).await?);
    }
    Ok(held)
}

/// Queues the drawing for another attempt after a delay. `uncounted` is subtracted from its number of attempts. Returns
/// false when the lease is lost.
pub(super) async fn requeue(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    job: &DrawingJob,
    after: Duration,
    uncounted: i64,
    review_hint: Option<&str>,
) -> sqlx::Result<bool> {
    let done = clock
        .query(
            "UPDATE drawings SET status = $6, lease = NULL, due_at = {now} + $2, attempts = attempts - $3, \
               review_hint = COALESCE($8, review_hint) \
             WHERE id = $4 AND lease = $5 AND status = $7",
        )
        .bind(microseconds(after))
        .bind(uncounted)
        .bind(&job.id)
        .bind(&job.lease)
        .bind(DrawingStatus::Queued.as_str())
        .bind(DrawingStatus::Running.as_str())
        .bind(review_hint.map(str::to_owned))
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Returns the drawing to the queue as if it had not been claimed: if this was the first claim, the time of the first
/// claim is cleared. Returns false when the lease is lost.
pub(super) async fn unclaim(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    job: &DrawingJob,
    waits_for: Option<&str>,
) -> sqlx::Result<bool> {
    let done = clock
        .query(
            "UPDATE drawings SET status = $6, lease = NULL, due_at = {now}, waits_for = $2, attempts = attempts - 1, \
               first_claimed_at = CASE WHEN $3 THEN NULL ELSE first_claimed_at END \
             WHERE id = $4 AND lease = $5 AND status = $7",
        )
        .bind(waits_for.map(str::to_owned))
        .bind(job.tried_for.is_zero())
        .bind(&job.id)
        .bind(&job.lease)
        .bind(DrawingStatus::Queued.as_str())
        .bind(DrawingStatus::Running.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Stores the provider, its version and its model, and adds the time and cost of its calls.
pub(super) async fn note_work(tx: &mut Tx, id: &DrawingId, work: &Work) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE drawings SET provider = $1, provider_version = $2, model = $3, \
           draw_microseconds = draw_microseconds + $4, cost_microdollars = cost_microdollars + $5 WHERE id = $6",
    )
    .bind(work.provider.as_str())
    .bind(work.version.as_str())
    .bind(work.model.as_deref())
    .bind(microseconds(work.took))
    .bind(work.cost_microdollars)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Stores the progress of the drawing, unless the lease is lost.
pub(super) async fn note_progress(tx: &mut Tx, job: &DrawingJob, done: i64, total: i64) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE drawings SET progress_done = $1, progress_total = $2 WHERE id = $3 AND lease = $4 AND status = $5",
    )
    .bind(done)
    .bind(total)
    .bind(&job.id)
    .bind(&job.lease)
    .bind(DrawingStatus::Running.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}
