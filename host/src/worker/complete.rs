//! Completing a job: what a drawing that ended changes, in one transaction that first checks the lease.
//!
//! The rows are locked in the same order as everywhere: the drawing, what it is for, its operation; then the account, the
//! provider's state, what it drew today, and the account's place in the queue.
use std::time::Duration;

use crate::accounts::{self, Usage};
use crate::app::App;
use crate::artwork::{self, NewArtwork};
use crate::credits::Refund;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::{AccountId, ArtworkId};
use crate::operations::{self, Ended, FailureCode};
use crate::queue::{self, DrawingJob, DrawingRequest, Target, Work};
use crate::routing::{self, Sign};
use crate::spending::{self, AttemptOutcome};
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
    /// The provider limits its rate or is down, which is not the drawing's fault: tried again unless that has taken too
    /// long, after the delay, or as soon as the failures of the provider suggest.
    PutOff {
        after: Option<Duration>,
    },
}

/// How an attempt ended, and who was asked.
pub struct Attempted {
    pub(super) outcome: Outcome,
    pub(super) called: Option<Called>,
}

/// What calls of a provider came to.
pub(super) struct Called {
    pub(super) work: Work,
    pub(super) sign: Sign,
    /// The call was to find out whether the provider works again.
    pub(super) on_trial: bool,
}

impl Attempted {
    /// Nobody was asked.
    pub(super) fn of(outcome: Outcome) -> Self {
        Self { outcome, called: None }
    }
}

/// What becomes of the drawing.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Drawn {
        credits: i64,
    },
    Again {
        after: Duration,
    },
    PutOff {
        after: Duration,
    },
    Failed(FailureCode),
    /// It was this worker's no longer.
    Lost,
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

/// The same for another attempt, for which the account must be open, too.
pub(super) async fn is_wanted_again(app: &App, job: &DrawingJob) -> Result<bool> {
    Ok(is_wanted(app, &job.target).await? && !accounts::was_closed(app, &job.account_id).await?)
}

/// Records how the attempt ended. False, and nothing changed, when the drawing is no longer this worker's. May be called
/// again after an error.
pub async fn complete(app: &App, job: &DrawingJob, attempted: &Attempted) -> Result<bool> {
    let again = matches!(attempted.outcome, Outcome::Retry { .. } | Outcome::PutOff { .. });
    let wanted = !again || is_wanted_again(app, job).await?;
    let mut tx = app.database.begin().await?;
    let fate = decide(app, &mut tx, job, attempted, wanted).await?;
    if matches!(fate, Fate::Lost) {
        return Ok(false);
    }
    let left_alone = match &attempted.called {
        Some(called) => record_call(app, &mut tx, job, called, fate).await?,
        None => None,
    };
    queue::given_back(app, &mut tx, job).await?;
    tx.commit().await?;
    tell(job, attempted, fate, left_alone);
    Ok(true)
}

async fn decide(app: &App, tx: &mut Tx, job: &DrawingJob, attempted: &Attempted, wanted: bool) -> Result<Fate> {
    match &attempted.outcome {
        Outcome::Lost => Ok(Fate::Lost),
        Outcome::Retry { .. } | Outcome::PutOff { .. } if !wanted => fail(app, tx, job, FailureCode::Canceled).await,
        Outcome::Retry { after, attempts } if job.attempts < *attempts => {
            let ours = queue::requeue(app, tx, job, *after).await?;
            Ok(if ours {
                Fate::Again { after: *after }
            } else {
                Fate::Lost
            })
        }
        Outcome::PutOff { after } if job.tried_for < app.config.outage_patience() => {
            let after = match (after, &attempted.called) {
                (Some(after), _) => *after,
                // Its first failure, which may be an accident, whatever happened to others.
                (None, Some(_)) if job.last_provider.is_none() => Duration::ZERO,
                (None, Some(called)) => routing::delay_after_failure(tx, &called.work.provider).await?,
                (None, None) => Duration::ZERO,
            };
            let ours = queue::put_off(app, tx, job, after).await?;
            Ok(if ours { Fate::PutOff { after } } else { Fate::Lost })
        }
        Outcome::Retry { .. } | Outcome::PutOff { .. } => fail(app, tx, job, FailureCode::Failed).await,
        Outcome::Failed(code) => fail(app, tx, job, *code).await,
        Outcome::Drawn(drawn) => Ok(match finish(app, tx, job, Ok(drawn)).await? {
            Some(credits) => Fate::Drawn { credits },
            None => Fate::Lost,
        }),
    }
}

async fn fail(app: &App, tx: &mut Tx, job: &DrawingJob, code: FailureCode) -> Result<Fate> {
    let ours = finish(app, tx, job, Err(code)).await?.is_some();
    Ok(if ours { Fate::Failed(code) } else { Fate::Lost })
}

/// Writes down who was asked and what that took, and what it tells about the provider; for how long that one is left alone.
async fn record_call(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    called: &Called,
    fate: Fate,
) -> Result<Option<Duration>> {
    let came = match fate {
        Fate::Drawn { credits } => AttemptOutcome::Picture(credits),
        Fate::Failed(_) => AttemptOutcome::Failed,
        Fate::Again { .. } | Fate::PutOff { .. } | Fate::Lost => AttemptOutcome::NoPicture,
    };
    queue::note_work(tx, job, &called.work).await?;
    let left_alone = routing::record(app, tx, &called.work.provider, called.sign).await?;
    spending::record(app, tx, &called.work, came).await?;
    Ok(left_alone)
}

/// Logs what became of the drawing, which the span names. What the plugin said was logged where it was called.
fn tell(job: &DrawingJob, attempted: &Attempted, fate: Fate, left_alone: Option<Duration>) {
    let plugin = attempted.called.as_ref().map(|called| &*called.work.provider);
    match fate {
        Fate::Drawn { .. } => {
            if let Some(Called { work, .. }) = &attempted.called {
                let seconds = work.took.as_secs_f32();
                let (version, model) = (&*work.version, work.model.as_deref());
                let cost_microdollars = work.cost_microdollars;
                tracing::info!(plugin, version, model, seconds, cost_microdollars, "drawn");
            }
        }
        Fate::Again { after } => {
            let seconds = after.as_secs();
            tracing::warn!(plugin, seconds, "the attempt failed, and the drawing is tried again");
        }
        Fate::PutOff { after } => {
            let seconds = after.as_secs();
            tracing::info!(plugin, seconds, "the drawing waits; the attempt does not count");
        }
        Fate::Failed(FailureCode::Failed) => {
            let (attempts, hours) = (job.attempts, job.tried_for.as_secs() / 3600);
            tracing::error!(
                plugin,
                attempts,
                hours,
                "gave up: the drawing failed, and what it cost was refunded"
            );
        }
        Fate::Failed(code) => {
            let code = code.as_str();
            tracing::info!(plugin, code, "the drawing ended, and what it cost was refunded");
        }
        Fate::Lost => {}
    }
    if let Some(pause) = left_alone {
        let seconds = pause.as_secs();
        tracing::warn!(plugin, seconds, "the provider is left alone for a while");
    }
    if let Some(Called {
        on_trial: true,
        sign: Sign::Works,
        ..
    }) = attempted.called
    {
        tracing::info!(plugin, "the provider works again");
    }
}

/// Ends the drawing; what it cost, or nothing when it is no longer this worker's.
async fn finish(app: &App, tx: &mut Tx, job: &DrawingJob, result: Result<&Drawn, FailureCode>) -> Result<Option<i64>> {
    let failure = result.as_ref().err().copied();
    let ended = match &result {
        Ok(drawn) => Ok(drawn.note.as_deref()),
        Err(code) => Err(code.as_str()),
    };
    let Some(credits) = queue::finish(app, tx, job, ended).await? else {
        return Ok(None);
    };
    let mut usage = Usage::default();
    end_target(app, tx, job, result.map(|drawn| &drawn.artwork), &mut usage).await?;
    let ended = match failure {
        None => operations::record_drawn(app, tx, &job.operation_id, credits).await?,
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
    Ok(Some(credits))
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
pub(super) async fn record(
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
