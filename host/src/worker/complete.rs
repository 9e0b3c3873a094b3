//! Completing a job: what a drawing that ended changes, in one transaction that first checks the lease.
//!
//! The rows are locked in the same order as everywhere: the drawing, what it is for, its operation; then the account, the
//! provider's pause and the account's place in the queue.
use std::time::Duration;

use crate::accounts::{self, Usage};
use crate::app::App;
use crate::artwork::{self, NewArtwork};
use crate::credits::Refund;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::{AccountId, ArtworkId};
use crate::operations::{self, Ended, FailureCode};
use crate::queue::{self, DrawingJob, DrawingRequest, Target};
use crate::{books, characters, pages};

/// How an attempt ended.
pub enum Outcome {
    Drawn(Drawn),
    /// It is another worker's now, or has ended.
    Lost,
    /// Never tried again.
    Failed(FailureCode),
    /// Tried again after the delay, unless there were that many attempts.
    Retry {
        after: Duration,
        attempts: i64,
    },
    /// The provider limits its rate or is down, which is not the drawing's fault: tried again when the provider responds,
    /// unless that takes too long.
    PutOff {
        after: Option<Duration>,
    },
}

/// A picture that is stored.
pub struct Drawn {
    pub(super) artwork: NewArtwork,
    /// What the provider says about it.
    pub(super) note: Option<String>,
}

/// Whether the drawing still has something to be for.
pub(super) async fn is_wanted(app: &App, target: &Target) -> Result<bool> {
    match target {
        Target::Page(id) => pages::exists(app, id).await,
        Target::Character(id) => characters::is_active(app, id).await,
        Target::Cover(id) => books::exists(app, id).await,
    }
}

/// Records how the attempt ended. False, and nothing changed, when the drawing is no longer this worker's. May be called
/// again after an error.
pub async fn complete(app: &App, job: &DrawingJob, outcome: &Outcome) -> Result<bool> {
    let again = matches!(outcome, Outcome::Retry { .. } | Outcome::PutOff { .. });
    let wanted = !again || is_wanted(app, &job.target).await?;
    let mut tx = app.database.begin().await?;
    let provider = &app.config.image_provider;
    let ours = match outcome {
        Outcome::Lost => false,
        Outcome::Retry { .. } | Outcome::PutOff { .. } if !wanted => {
            finish(app, &mut tx, job, Err(FailureCode::Canceled)).await?
        }
        Outcome::Retry { after, attempts } if job.attempts < *attempts => {
            queue::requeue(app, &mut tx, job, *after).await?
        }
        Outcome::PutOff { after } if job.tried_for < app.config.outage_patience() => {
            queue::put_off(app, &mut tx, job, provider, *after).await?
        }
        Outcome::Retry { .. } | Outcome::PutOff { .. } => finish(app, &mut tx, job, Err(FailureCode::Failed)).await?,
        Outcome::Failed(code) => finish(app, &mut tx, job, Err(*code)).await?,
        Outcome::Drawn(drawn) => finish(app, &mut tx, job, Ok(drawn)).await?,
    };
    if ours {
        if let Outcome::Drawn(_) = outcome {
            queue::forget_pauses(&mut tx, provider).await?;
        }
        queue::given_back(app, &mut tx, job).await?;
        tx.commit().await?;
    }
    Ok(ours)
}

async fn finish(app: &App, tx: &mut Tx, job: &DrawingJob, result: Result<&Drawn, FailureCode>) -> Result<bool> {
    let failure = result.as_ref().err().copied();
    let ended = match &result {
        Ok(drawn) => Ok(drawn.note.as_deref()),
        Err(code) => Err(code.as_str()),
    };
    let Some(credits) = queue::finish(app, tx, job, ended).await? else {
        return Ok(false);
    };
    let mut usage = Usage::default();
    end_target(app, tx, job, result.map(|drawn| &drawn.artwork), &mut usage).await?;
    let ended = match failure {
        None => operations::record_drawn(app, tx, &job.operation_id).await?,
        Some(_) => {
            let refund = Refund {
                operation: job.operation_id.clone(),
                drawing: job.id.clone(),
                credits,
            };
            operations::record_failed(app, tx, vec![refund]).await?
        }
    }
    .with_sources(job.source());
    for operation in &ended.operations {
        books::operation_ended(app, tx, operation).await?;
    }
    operations::refund(app, tx, &job.account_id, &ended, &mut usage).await?;
    accounts::change_usage(tx, &job.account_id, usage).await?;
    Ok(true)
}

/// Cancels all that is queued for an account. What a worker holds stays its own.
pub(crate) async fn cancel_queued(app: &App, tx: &mut Tx, account: &AccountId, usage: &mut Usage) -> Result<Ended> {
    let code = FailureCode::Canceled;
    let canceled = queue::cancel_of_account(app, tx, account, code.as_str()).await?;
    for drawing in &canceled {
        record(app, tx, &drawing.target, None, None, Some(code), usage).await?;
    }
    let ended = operations::record_canceled(app, tx, canceled).await?;
    for operation in &ended.operations {
        books::operation_ended(app, tx, operation).await?;
    }
    Ok(ended)
}

/// Tells the page, character or book how its drawing ended.
async fn end_target(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    result: Result<&NewArtwork, FailureCode>,
    usage: &mut Usage,
) -> Result<()> {
    let failure = result.as_ref().err().copied();
    let (artwork, asked): (_, Option<DrawingRequest>) = match result {
        Ok(artwork) => (
            Some(artwork::insert(app, tx, &job.account_id, artwork, usage).await?),
            Some(job.request()?),
        ),
        Err(_) => (None, None),
    };
    let (artwork, asked) = (artwork.as_ref(), asked.as_ref());
    let completed = record(app, tx, &job.target, artwork, asked, failure, usage).await?;
    // Deleted meanwhile: it was drawn, so it stays paid, and nothing is kept of it.
    let unwanted = if completed { None } else { artwork };
    if let Some(artwork) = unwanted {
        artwork::discard(app, tx, artwork, usage).await?;
    }
    Ok(())
}

/// False when what it was for is gone.
async fn record(
    app: &App,
    tx: &mut Tx,
    target: &Target,
    artwork: Option<&ArtworkId>,
    asked: Option<&DrawingRequest>,
    failure: Option<FailureCode>,
    usage: &mut Usage,
) -> Result<bool> {
    match target {
        Target::Page(id) => pages::complete(app, tx, id, artwork, asked, failure, usage).await,
        Target::Character(id) => characters::complete(app, tx, id, artwork, asked, usage).await,
        Target::Cover(id) => books::complete_cover(app, tx, id, artwork, asked, usage).await,
    }
}
