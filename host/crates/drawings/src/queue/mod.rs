//! The durable queue of drawing jobs, and the leases under which workers hold them. This module knows the purpose of a
//! drawing only as a target's type and id.
//!
//! # Leases
//!
//! A claim sets the drawing to `running` under a new lease, which ends at `due_at`; the worker renews it while it
//! draws. When a lease expires, because its worker died or cannot reach the database, nothing changes at first: the
//! drawing remains `running`. Then one of these happens:
//!
//! - The worker is back and renews the lease, and continues.
//! - Another worker claims the drawing, before all that are queued. The claim counts as a further attempt. If that
//!   exceeds `drawing_attempts`, the drawing fails and is refunded.
//! - Another worker claims it while its provider is busy, and puts it back: the drawing is queued, and the claim does
//!   not count.
//! - While no provider of the settings may be called, workers claim only queued drawings of test keys, and no expired
//!   lease. `give_up` fails the drawing once it has waited for `outage_patience`, if all providers are down or not
//!   loaded and no customer's drawing was completed meanwhile.
//!
//! While the queue is paused or the server is under maintenance, no drawing is claimed or given up.
//!
//! A lease is *lost* when another worker has claimed the drawing, or the drawing has ended or is queued again. A worker
//! finds that out whenever it renews the lease or records a result, and then changes nothing.
pub mod pause;
mod request;
mod store;
mod undrawn;

use std::collections::HashSet;
use std::time::Duration;

use linepress_metrics::QueueReport;
use linepress_model::text_enum;

use self::request::is_test_request;
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, BookId, CharacterId, DrawingId, LeaseId, OperationId, PageId};

pub use request::{CharacterSnapshot, DrawingRequest, Refinement, Rewording, SourcePicture, source_from_request};
pub use undrawn::{
    UndrawnDrawing, cancel, cancel_of_account, cancel_of_operation, forget_requests, give_up, longest_waiting,
};

text_enum! {
    /// The kind of target that a drawing is made for.
    pub enum TargetType {
        Character = "character",
        Page = "page",
        Cover = "cover",
    }
}

text_enum! {
    /// The state of a drawing.
    pub enum DrawingStatus {
        Queued = "queued",
        Running = "running",
        Succeeded = "succeeded",
        Failed = "failed",
    }
}

/// The page, the character or, for a cover, the book that a drawing is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Character(CharacterId),
    Page(PageId),
    Cover(BookId),
}

impl Target {
    fn from_parts(kind: TargetType, id: String) -> Self {
        match kind {
            TargetType::Character => Self::Character(CharacterId::from_text(id)),
            TargetType::Page => Self::Page(PageId::from_text(id)),
            TargetType::Cover => Self::Cover(BookId::from_text(id)),
        }
    }

    pub fn kind(&self) -> TargetType {
        match self {
            Self::Character(_) => TargetType::Character,
            Self::Page(_) => TargetType::Page,
            Self::Cover(_) => TargetType::Cover,
        }
    }

    pub fn id(&self) -> &str {
        match self {
            Self::Character(id) => id.as_str(),
            Self::Page(id) => id.as_str(),
            Self::Cover(id) => id.as_str(),
        }
    }
}

/// Maximum number of calls of an attempt: a picture with faults is drawn a second time.
pub const MAX_ROUNDS: i64 = 2;

/// The number of consecutive seeds that a drawing may use: one for each call of an attempt, and as many again if its
/// picture is drawn once more with a reviewer's hint.
pub const SEEDS_PER_DRAWING: i64 = 2 * MAX_ROUNDS;

/// A drawing job to be queued.
#[derive(Clone, Debug)]
pub struct NewDrawingJob {
    pub target: Target,
    pub title: String,
    /// The credits that are charged for it, and refunded if it fails.
    pub credits: i64,
    pub request: DrawingRequest,
}

/// A drawing job that a worker holds until its lease ends.
#[derive(Clone, Debug)]
pub struct DrawingJob {
    pub id: DrawingId,
    pub operation_id: OperationId,
    pub account_id: AccountId,
    pub target: Target,
    /// A [`DrawingRequest`] as JSON.
    request: String,
    /// The number of claims that count, including this one.
    pub attempts: i64,
    /// The provider of the attempt before this one.
    pub last_provider: Option<String>,
    /// The time between its first claim and this one.
    pub tried_for: Duration,
    pub lease: LeaseId,
    /// The step of the request that ordered it, if that is traced.
    pub trace_parent: Option<String>,
    /// The reviewer's hint with which the picture is drawn again.
    pub review_hint: Option<String>,
}

impl DrawingJob {
    pub fn request(&self) -> Result<DrawingRequest> {
        Ok(serde_json::from_str(&self.request)?)
    }

    pub fn source(&self) -> Option<SourcePicture> {
        source_from_request(&self.request)
    }

    /// Returns true for the order of a test key.
    pub fn is_test(&self) -> bool {
        is_test_request(&self.request)
    }
}

/// The provider, time and cost of an attempt.
#[derive(Clone, Debug)]
pub struct Work {
    pub provider: String,
    pub version: String,
    /// The model that drew the picture, if the provider names it.
    pub model: Option<String>,
    /// Total time of the provider's calls.
    pub took: Duration,
    /// The cost to the operator in millionths of a US dollar, as far as the provider reports it.
    pub cost_microdollars: i64,
}

/// The state of a drawing after an attempt was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingOutcome {
    /// Its picture was stored, and the account paid these credits for it.
    Drawn { credits: i64 },
    /// It is tried again after the delay. `is_counted` is false if the attempt does not count against it.
    Requeued { after: Duration, is_counted: bool },
    /// It ended without a picture, and its credits were refunded.
    Failed { code: &'static str },
    /// The lease was lost, and nothing was changed.
    LeaseLost,
}

/// Queues the drawings of an operation, in order. Call it after every statement that locks the account's row.
pub async fn enqueue(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    jobs: Vec<NewDrawingJob>,
) -> Result<()> {
    let now = app.clock.now();
    let queued = (0_i64..).zip(jobs).map(|(position, job)| {
        Ok(store::Queued {
            id: DrawingId::generate(now, &app.random),
            position,
            request: serde_json::to_string(&job.request)?,
            job,
        })
    });
    let queued: Vec<store::Queued> = queued.collect::<Result<_>>()?;
    store::insert(app.lease_clock(), tx, caller, operation, &queued, now).await?;
    Ok(())
}

/// Returns whether there is a drawing to claim.
pub async fn is_anything_due(app: &App) -> Result<bool> {
    Ok(store::is_anything_due(app.lease_clock(), &app.database.read).await?)
}

/// Returns whether the drawing of a test key is due.
pub async fn is_test_due(app: &App) -> Result<bool> {
    Ok(store::is_test_due(app.lease_clock(), &app.database.read).await?)
}

/// Claims the next drawing that does not wait for one of the `busy` providers, or only one that a test key ordered. The
/// worker holds it once the returned transaction is committed; call `mark_served` before that.
pub async fn claim(app: &App, busy: &[String], only_tests: bool) -> Result<Option<(DrawingJob, Tx)>> {
    let clock = app.lease_clock();
    let mut tx = app.database.begin().await?;
    let lease = LeaseId::generate(app.clock.now(), &app.random);
    let length = app.config.lease();
    let mut tries = 0;
    loop {
        if let Some(row) = store::claim(clock, &mut tx, &lease, length, busy, only_tests).await? {
            return Ok(Some((row.held_under(lease, length), tx)));
        }
        // Accounts may still be in line for drawings that were canceled since.
        let idle = store::idle_accounts(clock, &mut tx).await?;
        for account in &idle {
            store::refresh(&app.database, &mut tx, account).await?;
        }
        if !idle.is_empty() {
            continue;
        }
        // Another worker may be claiming the drawing of the next account at this moment.
        tries += 1;
        match store::next_account(clock, &mut tx).await? {
            Some(account) if tries < 3 => store::refresh(&app.database, &mut tx, &account).await?,
            _ => break,
        }
    }
    tx.commit().await?;
    Ok(None)
}

/// Records that the account of a claimed drawing had its turn. Call it last in the transaction.
pub async fn mark_served(app: &App, tx: &mut Tx, job: &DrawingJob) -> Result<()> {
    store::refresh(&app.database, tx, &job.account_id).await?;
    Ok(store::mark_served(app.lease_clock(), tx, &job.account_id).await?)
}

/// Updates the account's place in the queue after a drawing ended or was queued again. Call it last in the transaction.
pub async fn refresh_place(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    Ok(store::refresh(&app.database, tx, account).await?)
}

/// Renews the lease. Returns false when it is lost.
pub async fn renew(app: &App, job: &DrawingJob) -> Result<bool> {
    let Some(tx) = begin_under_lease(app, job).await? else {
        return Ok(false);
    };
    tx.commit().await?;
    Ok(true)
}

/// Begins a transaction that renews the lease, and until whose end no other worker can complete the drawing. None when
/// the lease is lost.
pub async fn begin_under_lease(app: &App, job: &DrawingJob) -> Result<Option<Tx>> {
    let mut tx = app.database.begin().await?;
    let ours = store::renew(app.lease_clock(), &mut tx, job, app.config.lease()).await?;
    Ok(ours.then_some(tx))
}

/// Returns a drawing to the queue as if it had not been claimed. Does nothing when the lease is lost.
pub async fn release(app: &App, job: &DrawingJob) -> Result<()> {
    let mut tx = app.database.begin().await?;
    if unclaim(app, &mut tx, job, None).await? {
        refresh_place(app, &mut tx, &job.account_id).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Returns the drawing to its place in the queue as if it had not been claimed, to wait for a busy provider if
/// `waits_for` names one. Returns false when the lease is lost.
pub async fn unclaim(app: &App, tx: &mut Tx, job: &DrawingJob, waits_for: Option<&str>) -> Result<bool> {
    Ok(store::unclaim(app.lease_clock(), tx, job, waits_for).await?)
}

/// Queues the drawing for another attempt after a delay. Returns false when the lease is lost.
pub async fn requeue(app: &App, tx: &mut Tx, job: &DrawingJob, after: Duration) -> Result<bool> {
    Ok(store::requeue(app.lease_clock(), tx, job, after, 0, None).await?)
}

/// Queues the drawing for another attempt after a delay without counting this one. Returns false when the lease is
/// lost.
pub async fn put_off(app: &App, tx: &mut Tx, job: &DrawingJob, after: Duration) -> Result<bool> {
    Ok(store::requeue(app.lease_clock(), tx, job, after, 1, None).await?)
}

/// Queues the drawing to be drawn once more with the reviewer's hint, without counting this attempt. Returns false when
/// the lease is lost.
pub async fn redraw(app: &App, tx: &mut Tx, job: &DrawingJob, hint: &str) -> Result<bool> {
    Ok(store::requeue(app.lease_clock(), tx, job, Duration::ZERO, 1, Some(hint)).await?)
}

/// Records the provider, time and cost of an attempt. Call it after the drawing was ended or queued again, which locks
/// its row.
pub async fn note_work(tx: &mut Tx, job: &DrawingJob, work: &Work) -> Result<()> {
    Ok(store::note_work(tx, &job.id, work).await?)
}

/// Stores the progress of a drawing, which clients see in its operation.
pub async fn note_progress(app: &App, job: &DrawingJob, done: i64, total: i64) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::note_progress(&mut tx, job, done, total).await?;
    tx.commit().await?;
    Ok(())
}

/// The delay before a retry. Most failures are over a moment later, so the first retry comes at once. Later ones come
/// after 2, 4, 8, ... seconds, at most a minute, because an outage may end within minutes.
pub fn backoff(failures: i64) -> Duration {
    match failures.clamp(1, 7) {
        1 => Duration::ZERO,
        failures => Duration::from_secs(1 << (failures - 1)).min(Duration::from_secs(60)),
    }
}

/// The delay before a retry after a failure of this server, between a second and a minute: as long as the drawing has
/// been tried for. Such attempts are not counted, so the delay cannot depend on their number.
pub fn pause_after(tried_for: Duration) -> Duration {
    tried_for.clamp(Duration::from_secs(1), Duration::from_secs(60))
}

/// Ends the drawing: with the provider's note, if there is one, or with the error code of its failure and the
/// reviewer's sentence, if there is one. Returns the credits that were charged for it. None, and nothing changed, when
/// the lease is lost.
pub async fn finish(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    result: std::result::Result<Option<&str>, (&str, Option<&str>)>,
) -> Result<Option<i64>> {
    Ok(store::finish(tx, job, result, app.clock.now()).await?)
}

/// Makes the queued drawings of an operation due that wait for a later attempt; returns their number. Call
/// `refresh_place` at the end of the transaction.
pub async fn make_due(app: &App, tx: &mut Tx, operation: &OperationId) -> Result<u64> {
    Ok(store::make_due(app.lease_clock(), tx, operation).await?)
}

/// The length of the queue, counted up to a limit.
pub async fn report(app: &App) -> Result<QueueReport> {
    /// A longer queue is reported as this long, because counting takes time in proportion.
    const MAX_COUNTED: i64 = 100_000;
    let state = store::state(&app.database.read, MAX_COUNTED).await?;
    let oldest_age = match state.oldest {
        0 => Duration::ZERO,
        oldest => app.clock.now().since(Timestamp::from_microseconds(oldest)),
    };
    Ok(QueueReport {
        queued: state.queued.unsigned_abs(),
        running: state.running.unsigned_abs(),
        oldest_age,
    })
}

/// The number of the account's queued and running drawings that were ordered before the operation.
pub async fn count_before(app: &App, account: &AccountId, operation: &OperationId) -> Result<i64> {
    Ok(store::count_before(&app.database.read, account, operation).await?)
}

/// Returns whether a picture was drawn for a customer since this moment. Test keys draw while every provider is down.
pub async fn was_anything_drawn(app: &App, since: Timestamp) -> Result<bool> {
    Ok(store::was_anything_drawn(&app.database.read, since).await?)
}

/// Locks the drawing for a target that has not ended until the transaction ends. Returns its operation.
pub async fn lock_open(tx: &mut Tx, target: &str) -> Result<Option<OperationId>> {
    Ok(store::lock_open(tx, target).await?)
}

/// Returns whether a drawing of this target is queued or running. For a decision that no other transaction may
/// overtake, lock the target before.
pub async fn has_open_drawing(tx: &mut Tx, target: &Target) -> Result<bool> {
    Ok(store::has_open_drawing(tx, target.id()).await?)
}

/// The ids of the targets for which a worker holds a drawing.
pub async fn held_targets(tx: &mut Tx, targets: &[Target]) -> Result<HashSet<String>> {
    Ok(store::held_targets(tx, targets).await?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_retry_comes_at_once_and_the_delay_doubles_up_to_a_minute() {
        let seconds: Vec<u64> = (1..=9).map(|failures| backoff(failures).as_secs()).collect();
        assert_eq!(seconds, [0, 2, 4, 8, 16, 32, 60, 60, 60]);
    }
}
