//! Completing a job: what a drawing that ended changes, in one transaction that first checks the lease.
use std::time::Duration;

use crate::app::App;
use crate::artwork::{self, NewArtwork};
use crate::database::Tx;
use crate::error::Result;
use crate::operations::{self, FailureCode};
use crate::queue::{self, DrawingJob, Target};
use crate::{books, characters, pages};

/// How an attempt ended.
pub enum Outcome {
    Drawn(NewArtwork),
    /// It is another worker's now, or has ended.
    Lost,
    /// Never tried again.
    Failed(FailureCode),
    /// Tried again after the delay, unless there were that many attempts.
    Retry {
        after: Duration,
        attempts: i64,
    },
}

/// Whether the drawing still has something to be for.
pub(super) async fn is_wanted(app: &App, target: &Target) -> Result<bool> {
    match target {
        Target::Page(id) => pages::exists(app, id).await,
        Target::Character(id) => characters::is_active(app, id).await,
        Target::Cover(id) => books::exists(app, id).await,
    }
}

/// Records how the attempt ended. False, and nothing changed, when the drawing is no longer this worker's.
pub async fn complete(app: &App, job: &DrawingJob, outcome: Outcome) -> Result<bool> {
    let again = matches!(outcome, Outcome::Retry { .. });
    let wanted = !again || is_wanted(app, &job.target).await?;
    let mut tx = app.database.begin().await?;
    let ours = match outcome {
        Outcome::Retry { .. } if !wanted => finish(app, &mut tx, job, Err(FailureCode::Canceled)).await?,
        Outcome::Retry { after, attempts } if job.attempts < attempts => {
            queue::requeue(app, &mut tx, job, after).await?
        }
        Outcome::Retry { .. } => finish(app, &mut tx, job, Err(FailureCode::Failed)).await?,
        Outcome::Failed(code) => finish(app, &mut tx, job, Err(code)).await?,
        Outcome::Drawn(artwork) => finish(app, &mut tx, job, Ok(artwork)).await?,
        Outcome::Lost => false,
    };
    if ours {
        tx.commit().await?;
    }
    Ok(ours)
}

async fn finish(app: &App, tx: &mut Tx, job: &DrawingJob, result: Result<NewArtwork, FailureCode>) -> Result<bool> {
    let failure = result.as_ref().err().copied();
    if !queue::finish(app, tx, job, failure.map(FailureCode::as_str)).await? {
        return Ok(false);
    }
    let (artwork, asked) = match &result {
        Ok(artwork) => (
            Some(artwork::insert(app, tx, &job.account_id, artwork).await?),
            Some(job.request()?),
        ),
        Err(_) => (None, None),
    };
    let (artwork, asked) = (artwork.as_ref(), asked.as_ref());
    let completed = match &job.target {
        Target::Page(id) => pages::complete(app, tx, id, artwork, asked, failure).await?,
        Target::Character(id) => characters::complete(app, tx, id, artwork, asked).await?,
        Target::Cover(id) => books::complete_cover(app, tx, id, artwork).await?,
    };
    // Deleted meanwhile: it was drawn, so it stays paid, and nothing is kept of it.
    let unwanted = if completed { None } else { artwork };
    if let Some(artwork) = unwanted {
        artwork::discard(app, tx, artwork).await?;
    }
    let outcome = match failure {
        None => operations::Outcome::Succeeded,
        Some(_) => operations::Outcome::Failed,
    };
    if operations::record_outcome(app, tx, &job.operation_id, outcome).await? {
        books::operation_ended(app, tx, &job.operation_id).await?;
    }
    Ok(true)
}
