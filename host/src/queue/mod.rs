//! The durable queue of drawings, and the leases under which workers hold them. It knows neither what a drawing is for nor
//! what becomes of it.
mod store;

use std::time::Duration;

use linepress_model::{Aspect, Audience, text_enum};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::caller::Caller;
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
    pub title: String,
    pub aspect: Aspect,
    pub audience: Audience,
    pub seed: i64,
    pub characters: Vec<CharacterSnapshot>,
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
    pub lease: LeaseId,
}

impl DrawingJob {
    pub fn request(&self) -> Result<DrawingRequest> {
        Ok(serde_json::from_str(&self.request)?)
    }
}

/// Queues the drawings of an operation, in order.
pub async fn enqueue(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    jobs: Vec<NewDrawingJob>,
) -> Result<()> {
    let now = app.clock.now();
    for (position, job) in (0_i64..).zip(jobs) {
        let id = DrawingId::generate(now, &app.random);
        let request = serde_json::to_string(&job.request)?;
        let queued = store::Queued {
            id: &id,
            operation,
            position,
            job: &job,
            request: &request,
        };
        store::insert(tx, caller, queued, now).await?;
    }
    Ok(())
}

/// Takes the next drawing, if there is one. It is the worker's once the transaction is committed.
pub async fn claim(app: &App) -> Result<Option<(DrawingJob, Tx)>> {
    if !store::is_anything_due(&app.database.read, app.clock.now()).await? {
        return Ok(None);
    }
    let mut tx = app.database.begin().await?;
    // Only now: waiting for the database must not eat into the lease.
    let now = app.clock.now();
    let lease = LeaseId::generate(now, &app.random);
    let claimed = store::claim(&app.database, &mut tx, &lease, now, now.plus(app.config.lease())).await?;
    Ok(claimed.map(|row| (row.held_under(lease), tx)))
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
    let until = app.clock.now().plus(app.config.lease());
    let ours = store::renew(&mut tx, job, until).await?;
    Ok(ours.then_some(tx))
}

/// Gives a drawing back as if it had not been claimed.
pub async fn release(app: &App, job: &DrawingJob) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::release(&mut tx, job, app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}

/// Puts the drawing back for another attempt after a while; false when the lease is lost.
pub async fn requeue(app: &App, tx: &mut Tx, job: &DrawingJob, after: Duration) -> Result<bool> {
    Ok(store::requeue(tx, job, app.clock.now().plus(after)).await?)
}

/// Ends the drawing, with an error's code where it failed; false, and nothing changed, when the lease is lost.
pub async fn finish(app: &App, tx: &mut Tx, job: &DrawingJob, error_code: Option<&str>) -> Result<bool> {
    Ok(store::finish(tx, job, error_code, app.clock.now()).await?)
}

/// Ends all that still waits for a target, with an error's code; returns the operation
/// of each. What a worker holds stays its own.
pub async fn cancel(app: &App, tx: &mut Tx, target: &Target, error_code: &str) -> Result<Vec<OperationId>> {
    Ok(store::cancel(tx, target, error_code, app.clock.now()).await?)
}

/// The credits of an operation's drawings that failed.
pub async fn credits_of_failed(tx: &mut Tx, operation: &OperationId) -> Result<i64> {
    Ok(store::credits_of_failed(tx, operation).await?)
}
