//! Workers: claim a job, have it drawn while the lease is kept alive, complete it.
mod complete;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;

use linepress_imaging::{Fault, Prepared, faults, prepare_drawing};
use linepress_plugin_host::{CallError, CharacterSketch, DrawRequest, ImageProvider, Media, Purpose};

use crate::app::App;
use crate::artwork::NewArtwork;
use crate::error::{Error, Result};
use crate::operations::{self, FailureCode};
use crate::queue::{self, CharacterSnapshot, DrawingJob, DrawingRequest, TargetType};

pub use complete::{Outcome, complete};

/// How long an idle worker waits before it looks again: another node or process may have queued something.
const IDLE: Duration = Duration::from_millis(500);

/// The workers of this process.
pub struct Workers {
    tasks: JoinSet<()>,
    stop: watch::Sender<bool>,
}

impl Workers {
    /// Starts `config.workers` of them.
    pub fn start(app: &App) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for _ in 0..app.config.workers {
            tasks.spawn(run(app.clone(), stopped.clone()));
        }
        Self { tasks, stop }
    }

    /// Stops them: what is being drawn goes back to the queue unharmed.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

async fn run(app: App, mut stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        // Listen before looking, so that nothing queued in between is slept over.
        let queued = app.queued.notified();
        match claim(&app).await {
            Ok(Some(job)) => {
                tokio::select! {
                    ended = AssertUnwindSafe(attempt(&app, &job)).catch_unwind() => {
                        if ended.is_err() {
                            // The lease runs out and the drawing is claimed again; the worker lives on.
                            tracing::error!(drawing = %job.id, "an attempt panicked");
                        }
                    }
                    _ = stopped.changed() => {
                        if let Err(error) = queue::release(&app, &job).await {
                            log(&job, &error);
                        }
                    }
                }
            }
            Ok(None) => {
                tokio::select! {
                    () = queued => {}
                    () = tokio::time::sleep(IDLE) => {}
                    _ = stopped.changed() => {}
                }
            }
            Err(error) => {
                tracing::error!(error = %error, cause = error.cause(), "the queue cannot be read");
                tokio::time::sleep(IDLE).await;
            }
        }
    }
}

/// Takes the next job, if there is one.
pub async fn claim(app: &App) -> Result<Option<DrawingJob>> {
    let Some((job, mut tx)) = queue::claim(app).await? else {
        return Ok(None);
    };
    operations::start(app, &mut tx, &job.operation_id).await?;
    tx.commit().await?;
    Ok(Some(job))
}

/// Claims and works on one drawing, if there is one; false when there is none.
pub async fn work_once(app: &App) -> Result<bool> {
    let Some(job) = claim(app).await? else {
        return Ok(false);
    };
    attempt(app, &job).await;
    Ok(true)
}

/// One attempt, from drawing to completing. Whatever goes wrong ends in the log and in the queue.
pub async fn attempt(app: &App, job: &DrawingJob) {
    let outcome = tokio::select! {
        outcome = draw_unless_spent(app, job) => outcome,
        () = keep_alive(app, job) => {
            tracing::warn!(drawing = %job.id, "the lease was lost; another worker has the drawing");
            return;
        }
    };
    let outcome = outcome.unwrap_or_else(|error| {
        log(job, &error);
        again(app, job, None)
    });
    match complete(app, job, outcome).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(drawing = %job.id, "came too late; another worker has the drawing"),
        // The lease runs out and the drawing is claimed again.
        Err(error) => log(job, &error),
    }
}

/// Renews the lease for as long as it is ours.
async fn keep_alive(app: &App, job: &DrawingJob) {
    loop {
        tokio::time::sleep(app.config.lease() / 4).await;
        match queue::renew(app, job).await {
            Ok(true) => {}
            Ok(false) => return,
            // The next renewal may succeed; if none does, completing finds the lease gone.
            Err(error) => log(job, &error),
        }
    }
}

/// Claims count even when the process died over them: a drawing that kills its workers must end, too.
async fn draw_unless_spent(app: &App, job: &DrawingJob) -> Result<Outcome> {
    if job.attempts > app.config.drawing_attempts {
        return Ok(Outcome::Failed(FailureCode::Failed));
    }
    // Deleted in the moment between a deletion's look at the queue and its end.
    if !complete::is_wanted(app, &job.target).await? {
        return Ok(Outcome::Failed(FailureCode::Canceled));
    }
    draw(app, job).await
}

/// Has the picture drawn, once more when it is no good as a coloring page, and stores the better one.
async fn draw(app: &App, job: &DrawingJob) -> Result<Outcome> {
    let request = job.request()?;
    let Some(provider) = app.plugins.image_provider(&app.config.image_provider) else {
        tracing::error!(
            plugin = app.config.image_provider,
            "the image provider is not loaded; see `linepress doctor`"
        );
        return Ok(again(app, job, None));
    };
    let mut best: Option<(Prepared, Vec<Fault>)> = None;
    for round in 0..2 {
        let (prepared, faults) = match draw_once(app, job, provider, &request, round).await? {
            Ok(drawn) => drawn,
            // The first picture had faults, but it is a picture.
            Err(_) if best.is_some() => break,
            Err(outcome) => return Ok(outcome),
        };
        let better = best.as_ref().is_none_or(|(_, best)| faults.len() < best.len());
        let good = faults.is_empty();
        if !good {
            tracing::info!(drawing = %job.id, round, ?faults, "not a good coloring page");
        }
        if better {
            best = Some((prepared, faults));
        }
        if good {
            break;
        }
    }
    let (prepared, _) = best.ok_or_else(|| Error::internal("no round drew anything"))?;
    // The lease is part of the key: a worker that lost it must not write over its successor's object.
    let folder = format!("drawings/{}/{}", job.id, job.lease);
    // What was completed with objects of this key must not have them announced, and so deleted, once more.
    let Some(tx) = queue::hold(app, job).await? else {
        return Ok(Outcome::Lost);
    };
    Ok(Outcome::Drawn(
        NewArtwork::store_within(app, tx, &folder, prepared).await?,
    ))
}

/// One picture with its faults, or how the attempt ends without one.
async fn draw_once(
    app: &App,
    job: &DrawingJob,
    provider: &ImageProvider,
    request: &DrawingRequest,
    round: i64,
) -> Result<Result<(Prepared, Vec<Fault>), Outcome>> {
    let drawing = match provider
        .draw(draw_request(app, job, provider, request, round).await?)
        .await
    {
        Ok(drawing) => drawing,
        Err(error) => return Ok(Err(outcome_of(app, job, &error))),
    };
    let (aspect, audience) = (request.aspect, request.audience);
    let prepared = tokio::task::spawn_blocking(move || {
        let prepared = prepare_drawing(&drawing.bytes, aspect, audience)?;
        let faults = faults(&prepared.measures, audience);
        Ok::<_, linepress_imaging::ArtworkError>((prepared, faults))
    })
    .await
    .map_err(Error::internal)?;
    Ok(prepared.map_err(|error| {
        tracing::warn!(plugin = provider.description().id, drawing = %job.id, error = %error, "not an image we can use");
        broken(app, job)
    }))
}

async fn draw_request(
    app: &App,
    job: &DrawingJob,
    provider: &ImageProvider,
    request: &DrawingRequest,
    round: i64,
) -> Result<DrawRequest> {
    let (width, height) = request.aspect.recommended_pixels();
    let mut characters = Vec::new();
    for snapshot in &request.characters {
        let wanted = provider.description().max_references > characters.len() as u32;
        characters.push(character(app, snapshot, wanted).await?);
    }
    Ok(DrawRequest {
        purpose: purpose(job.target.kind()),
        prompt: request.prompt.clone(),
        title: request.title.clone(),
        width,
        height,
        aspect: request.aspect,
        audience: request.audience,
        characters,
        seed: (request.seed + round).unsigned_abs(),
    })
}

fn purpose(target: TargetType) -> Purpose {
    match target {
        TargetType::Character => Purpose::Character,
        TargetType::Page => Purpose::Page,
        TargetType::Cover => Purpose::Cover,
    }
}

async fn character(app: &App, snapshot: &CharacterSnapshot, with_reference: bool) -> Result<CharacterSketch> {
    let reference = match &snapshot.reference {
        Some(key) if with_reference => app.storage.get(key).await?,
        _ => None,
    };
    Ok(CharacterSketch {
        name: snapshot.name.clone(),
        description: snapshot.description.clone(),
        style: snapshot.style.clone(),
        seed: snapshot.seed.unsigned_abs(),
        reference: reference.map(|bytes| Media {
            media_type: "image/png".into(),
            bytes: bytes.to_vec(),
        }),
    })
}

/// What the queue does about a failed call. The plugin's words were logged where it was called.
fn outcome_of(app: &App, job: &DrawingJob, error: &CallError) -> Outcome {
    match error {
        CallError::Refused(_) => Outcome::Failed(FailureCode::Refused),
        CallError::Invalid(_) => Outcome::Failed(FailureCode::Invalid),
        CallError::RateLimited(_) | CallError::Unavailable(_) | CallError::Failed(_) => {
            again(app, job, error.retry_after())
        }
        CallError::Trapped(_)
        | CallError::Deadline(_)
        | CallError::OutOfMemory { .. }
        | CallError::ResponseTooLarge { .. }
        | CallError::InvalidResponse(_) => broken(app, job),
    }
}

/// Another attempt: what is down now may be up in some minutes.
fn again(app: &App, job: &DrawingJob, after: Option<Duration>) -> Outcome {
    Outcome::Retry {
        after: after.unwrap_or_else(|| backoff(job.attempts)),
        attempts: app.config.drawing_attempts,
    }
}

/// Another attempt, but not many: what is broken stays broken.
fn broken(app: &App, job: &DrawingJob) -> Outcome {
    const FEW: i64 = 3;
    Outcome::Retry {
        after: backoff(job.attempts),
        attempts: app.config.drawing_attempts.min(FEW),
    }
}

/// 2, 4, 8, ... seconds, at most a minute.
fn backoff(attempts: i64) -> Duration {
    Duration::from_secs(1 << attempts.clamp(1, 6)).min(Duration::from_secs(60))
}

fn log(job: &DrawingJob, error: &Error) {
    tracing::error!(drawing = %job.id, attempt = job.attempts, error = %error, cause = error.cause(), "an attempt failed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_a_minute() {
        let seconds: Vec<u64> = (1..=9).map(|attempt| backoff(attempt).as_secs()).collect();
        assert_eq!(seconds, [2, 4, 8, 16, 32, 60, 60, 60, 60]);
    }
}
