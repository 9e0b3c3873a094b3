//! The durable queue of drawings, and the leases under which workers hold them. It knows neither what a drawing is for nor
//! what becomes of it.
mod store;

use std::collections::HashSet;
use std::time::Duration;

use linepress_model::{Aspect, Audience, text_enum};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::credits::Refund;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::{AccountId, BookId, CharacterId, DrawingId, LeaseId, OperationId, PageId};

text_enum! {
    /// What a drawing is for.
    pub enum TargetType {
        Character = "character",
        Page = "page",
        Cover = "cover",
    }
}

text_enum! {
    /// Where a drawing stands.
    pub enum DrawingStatus {
        Queued = "queued",
        Running = "running",
        Succeeded = "succeeded",
        Failed = "failed",
    }
}

/// The page, character or (for a cover) book a drawing is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Character(CharacterId),
    Page(PageId),
    Cover(BookId),
}

impl Target {
    fn of(kind: TargetType, id: String) -> Self {
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

/// A drawing to be queued.
#[derive(Debug)]
pub struct NewDrawingJob {
    pub target: Target,
    pub title: String,
    /// What it costs, and what is refunded when it fails.
    pub credits: i64,
    pub request: DrawingRequest,
}

/// What a provider is asked: fixed when the generation was accepted, so that every attempt asks the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawingRequest {
    pub prompt: String,
    /// The prompt that the page is to have once this is drawn, where it was changed with the request.
    #[serde(default)]
    pub new_prompt: Option<String>,
    /// The prompt that the page had when that was accepted. One that was written since is newer, and stays.
    #[serde(default)]
    pub old_prompt: Option<String>,
    /// The title and the caption likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_title: Option<Rewording>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_caption: Option<Rewording>,
    pub title: String,
    pub aspect: Aspect,
    pub audience: Audience,
    pub seed: i64,
    pub characters: Vec<CharacterSnapshot>,
    /// The customer's picture to draw from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePicture>,
}

/// A text that another takes the place of once something is drawn, unless it was changed since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewording {
    pub new: String,
    pub old: String,
}

/// A picture of the customer's that a drawing is made from. It goes away with the end of the drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePicture {
    /// Its object, a JPEG.
    pub key: String,
    pub byte_size: i64,
}

/// The source of a request as it was queued.
fn source_of(request: &str) -> Option<SourcePicture> {
    #[derive(Deserialize)]
    struct Queued {
        #[serde(default)]
        source: Option<SourcePicture>,
    }
    // What another version queued may not be readable, and then its source goes away by its age.
    serde_json::from_str::<Queued>(request).ok()?.source
}

/// A character as it was when the generation was accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CharacterSnapshot {
    pub name: String,
    pub description: String,
    pub style: String,
    pub seed: i64,
    /// The object key of its reference image, when it has one.
    pub reference: Option<String>,
    /// Whose reference it was: one that is drawn again before its turn comes has another one then.
    #[serde(default)]
    pub id: Option<CharacterId>,
}

/// A drawing that a worker holds until its lease ends.
#[derive(Clone, Debug)]
pub struct DrawingJob {
    pub id: DrawingId,
    pub operation_id: OperationId,
    pub account_id: AccountId,
    pub target: Target,
    /// A `DrawingRequest` as it was queued.
    request: String,
    /// How often it was claimed, this time included.
    pub attempts: i64,
    /// The provider of the attempt before this one.
    pub last_provider: Option<String>,
    /// Since it was claimed for the first time.
    pub tried_for: Duration,
    pub lease: LeaseId,
}

impl DrawingJob {
    pub fn request(&self) -> Result<DrawingRequest> {
        Ok(serde_json::from_str(&self.request)?)
    }

    pub fn source(&self) -> Option<SourcePicture> {
        source_of(&self.request)
    }
}

/// What an attempt made of a provider's time.
#[derive(Clone, Debug)]
pub struct Work {
    pub provider: String,
    pub version: String,
    /// What drew it, where the provider says so.
    pub model: Option<String>,
    /// How long the provider was at it.
    pub took: Duration,
    /// What it cost the operator, as far as the provider says so.
    pub cost_microdollars: i64,
}

/// Queues the drawings of an operation, in order. Comes after all that locks the account's row.
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

/// Whether there is something to claim.
pub async fn is_anything_due(app: &App) -> Result<bool> {
    Ok(store::is_anything_due(app.lease_clock(), &app.database.read).await?)
}

/// Takes the next drawing, if there is one, but for those that wait for providers that have enough to do. It is the worker's
/// once the transaction is committed; before that, `served` notes that its account had its turn.
pub async fn claim(app: &App, busy: &[String]) -> Result<Option<(DrawingJob, Tx)>> {
    let clock = app.lease_clock();
    let mut tx = app.database.begin().await?;
    let lease = LeaseId::generate(app.clock.now(), &app.random);
    let length = app.config.lease();
    let mut tries = 0;
    loop {
        if let Some(row) = store::claim(clock, &mut tx, &lease, length, busy).await? {
            return Ok(Some((row.held_under(lease, length), tx)));
        }
        // Accounts may be in line for what was canceled since.
        let idle = store::idle_accounts(clock, &mut tx).await?;
        for account in &idle {
            store::refresh(&app.database, &mut tx, account).await?;
        }
        if !idle.is_empty() {
            continue;
        }
        // Or others claim what the next account waits for at this moment.
        tries += 1;
        match store::next_account(clock, &mut tx).await? {
            Some(account) if tries < 3 => store::refresh(&app.database, &mut tx, &account).await?,
            _ => break,
        }
    }
    tx.commit().await?;
    Ok(None)
}

/// Notes that the account of a claimed drawing had its turn. Comes last in its transaction.
pub async fn served(app: &App, tx: &mut Tx, job: &DrawingJob) -> Result<()> {
    store::refresh(&app.database, tx, &job.account_id).await?;
    Ok(store::served(app.lease_clock(), tx, &job.account_id).await?)
}

/// Notes that a drawing is no longer held, or waits again. Comes last in its transaction.
pub async fn given_back(app: &App, tx: &mut Tx, job: &DrawingJob) -> Result<()> {
    Ok(store::refresh(&app.database, tx, &job.account_id).await?)
}

/// Renews the lease; false when it is lost.
pub async fn renew(app: &App, job: &DrawingJob) -> Result<bool> {
    let Some(tx) = hold(app, job).await? else {
        return Ok(false);
    };
    tx.commit().await?;
    Ok(true)
}

/// A transaction that renews the lease and until whose end nobody else completes the drawing; nothing when the lease is
/// lost.
pub async fn hold(app: &App, job: &DrawingJob) -> Result<Option<Tx>> {
    let mut tx = app.database.begin().await?;
    let ours = store::renew(app.lease_clock(), &mut tx, job, app.config.lease()).await?;
    Ok(ours.then_some(tx))
}

/// Gives a drawing back as if it had not been claimed.
pub async fn release(app: &App, job: &DrawingJob) -> Result<()> {
    let mut tx = app.database.begin().await?;
    if unclaim(app, &mut tx, job, None).await? {
        given_back(app, &mut tx, job).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Puts the drawing back in its place, as if it had not been claimed, to wait for a provider that has enough to do if one is
/// named; false when the lease is lost.
pub async fn unclaim(app: &App, tx: &mut Tx, job: &DrawingJob, waits_for: Option<&str>) -> Result<bool> {
    Ok(store::unclaim(app.lease_clock(), tx, job, waits_for).await?)
}

/// Puts the drawing back for another attempt after a while; false when the lease is lost.
pub async fn requeue(app: &App, tx: &mut Tx, job: &DrawingJob, after: Duration) -> Result<bool> {
    Ok(store::requeue(app.lease_clock(), tx, job, after, 0).await?)
}

/// The same without counting the attempt.
pub async fn put_off(app: &App, tx: &mut Tx, job: &DrawingJob, after: Duration) -> Result<bool> {
    Ok(store::requeue(app.lease_clock(), tx, job, after, 1).await?)
}

/// Writes down who worked on the drawing. Comes after what ends or puts back the drawing, which locks it.
pub async fn note_work(tx: &mut Tx, job: &DrawingJob, work: &Work) -> Result<()> {
    Ok(store::note_work(tx, &job.id, work).await?)
}

/// Writes down how far the drawing is, for those who follow it.
pub async fn note_progress(app: &App, job: &DrawingJob, done: i64, total: i64) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::note_progress(&mut tx, job, done, total).await?;
    tx.commit().await?;
    Ok(())
}

/// Most failures are over a moment later, so the first retry comes at once; then 2, 4, 8, ... seconds, at most a minute:
/// what is down now may be up in some minutes.
pub fn backoff(failures: i64) -> Duration {
    match failures.clamp(1, 7) {
        1 => Duration::ZERO,
        failures => Duration::from_secs(1 << (failures - 1)).min(Duration::from_secs(60)),
    }
}

/// How long a drawing waits that was not tried because of something on our side: as long as it was tried for before, from
/// a second to a minute. Such attempts do not count, so their number says nothing.
pub fn pause_after(tried_for: Duration) -> Duration {
    tried_for.clamp(Duration::from_secs(1), Duration::from_secs(60))
}

/// Ends the drawing: with the provider's note, if it has one, or with an error's code where it failed. Returns what it cost;
/// nothing, and nothing changed, when the lease is lost.
pub async fn finish(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    result: std::result::Result<Option<&str>, &str>,
) -> Result<Option<i64>> {
    Ok(store::finish(tx, job, result, app.clock.now()).await?)
}

/// A drawing that waited, and is not going to be drawn.
#[derive(Debug)]
pub struct CanceledDrawing {
    pub target: Target,
    /// What it cost.
    pub refund: Refund,
    pub source: Option<SourcePicture>,
}

/// Ends all that still waits for these targets, with an error's code. What a worker holds stays its own.
pub async fn cancel(app: &App, tx: &mut Tx, targets: &[Target], error_code: &str) -> Result<Vec<CanceledDrawing>> {
    let canceled = store::cancel(tx, targets, error_code, app.clock.now()).await?;
    let canceled: Vec<_> = canceled.into_iter().map(store::CanceledRow::into_drawing).collect();
    // Orders that are taken back cost nothing, and must not fill the database.
    let drawings: Vec<_> = canceled.iter().map(|drawing| &drawing.refund.drawing).collect();
    store::forget_requests_of(tx, &drawings).await?;
    Ok(canceled)
}

/// The same for all that waits for an account.
pub async fn cancel_of_account(
    app: &App,
    tx: &mut Tx,
    account: &AccountId,
    error_code: &str,
) -> Result<Vec<CanceledDrawing>> {
    let canceled = store::cancel_of_account(tx, account, error_code, app.clock.now()).await?;
    Ok(canceled.into_iter().map(store::CanceledRow::into_drawing).collect())
}

/// The account of the drawing that waited longest, if that is longer than the outage patience: since its first attempt, or
/// since it was asked for where there was none.
pub async fn longest_waiting(app: &App) -> Result<Option<AccountId>> {
    let patience = app.config.outage_patience();
    Ok(store::longest_waiting(app.lease_clock(), &app.database.read, patience).await?)
}

/// Ends some of the account's drawings that waited longer than the outage patience, with an error's code.
pub async fn give_up(app: &App, tx: &mut Tx, account: &AccountId, error_code: &str) -> Result<Vec<CanceledDrawing>> {
    let (patience, now) = (app.config.outage_patience(), app.clock.now());
    let given_up = store::give_up(app.lease_clock(), tx, account, error_code, patience, now).await?;
    Ok(given_up.into_iter().map(store::CanceledRow::into_drawing).collect())
}

/// For how long it is kept what a drawing that ended was asked to show: for operators who look into a complaint.
const REQUESTS_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Forgets what drawings were asked to show that ended long ago; returns how many those are.
pub async fn forget_requests(app: &App) -> Result<u64> {
    let mut all = 0;
    loop {
        let mut tx = app.database.begin().await?;
        let now = app.database.shared_time(&mut tx, &app.clock).await?;
        let forgotten = store::forget_requests(&mut tx, now.minus(REQUESTS_KEPT)).await?;
        tx.commit().await?;
        all += forgotten;
        if forgotten == 0 {
            return Ok(all);
        }
    }
}

/// Whether a picture was drawn since this moment.
pub async fn was_anything_drawn(app: &App, since: Timestamp) -> Result<bool> {
    Ok(store::was_anything_drawn(&app.database.read, since).await?)
}

/// Those of these targets that a worker holds a drawing for.
pub async fn held(tx: &mut Tx, targets: &[Target]) -> Result<HashSet<String>> {
    Ok(store::held(tx, targets).await?.into_iter().collect())
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
