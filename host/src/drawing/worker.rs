//! Workers: claim a drawing, have it drawn while the lease is kept alive, settle.
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::settle::{self, Claimed, Outcome};
use super::{Request, Sketch};
use crate::app::App;
use crate::artwork::{self, NewArtwork, Prepared};
use crate::error::{Error, Result};
use crate::plugins::{CallError, CharacterSketch, DrawRequest, ImageProvider, Media};

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
        match settle::claim(&app).await {
            Ok(Some(claimed)) => {
                tokio::select! {
                    ended = AssertUnwindSafe(attempt(&app, &claimed)).catch_unwind() => {
                        if ended.is_err() {
                            // The lease runs out and the drawing is claimed again; the worker lives on.
                            tracing::error!(drawing = %claimed.row.id, "an attempt panicked");
                        }
                    }
                    _ = stopped.changed() => {
                        if let Err(error) = settle::release(&app, &claimed).await {
                            log(&claimed, &error);
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

/// Claims and works on one drawing, if there is one; false when there is none.
pub async fn work_once(app: &App) -> Result<bool> {
    let Some(claimed) = settle::claim(app).await? else {
        return Ok(false);
    };
    attempt(app, &claimed).await;
    Ok(true)
}

/// One attempt, from drawing to settling. Whatever goes wrong ends in the log and in the queue.
pub async fn attempt(app: &App, claimed: &Claimed) {
    let outcome = tokio::select! {
        outcome = draw_unless_spent(app, claimed) => outcome,
        () = keep_alive(app, claimed) => {
            tracing::warn!(drawing = %claimed.row.id, "the lease was lost; another worker has the drawing");
            return;
        }
    };
    let outcome = outcome.unwrap_or_else(|error| {
        log(claimed, &error);
        again(app, claimed, None)
    });
    match settle::settle(app, claimed, outcome).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(drawing = %claimed.row.id, "came too late; another worker has the drawing"),
        // The lease runs out and the drawing is claimed again.
        Err(error) => log(claimed, &error),
    }
}

/// Renews the lease for as long as it is ours.
async fn keep_alive(app: &App, claimed: &Claimed) {
    loop {
        tokio::time::sleep(app.config.lease() / 4).await;
        match settle::renew(app, claimed).await {
            Ok(true) => {}
            Ok(false) => return,
            // The next renewal may succeed; if none does, the settling finds the lease gone.
            Err(error) => log(claimed, &error),
        }
    }
}

/// Claims count even when the process died over them: a drawing that kills its workers must end, too.
async fn draw_unless_spent(app: &App, claimed: &Claimed) -> Result<Outcome> {
    if claimed.row.attempts > app.config.drawing_attempts {
        return Ok(Outcome::Failed {
            code: "generation_failed",
        });
    }
    // Deleted in the moment between a deletion's look at the queue and its end.
    if !settle::is_wanted(app, claimed.target, &claimed.row.target_id).await? {
        return Ok(Outcome::Failed { code: settle::CANCELED });
    }
    draw(app, claimed).await
}

/// Has the picture drawn, once more when it is no good as a coloring page, and stores the better one.
async fn draw(app: &App, claimed: &Claimed) -> Result<Outcome> {
    let request: Request = serde_json::from_str(&claimed.row.request)?;
    let Some(provider) = app.plugins.image_provider(&app.config.image_provider) else {
        tracing::error!(
            plugin = app.config.image_provider,
            "the image provider is not loaded; see `linepress doctor`"
        );
        return Ok(again(app, claimed, None));
    };
    let mut best: Option<(Prepared, Vec<artwork::Fault>)> = None;
    for round in 0..2 {
        let (prepared, faults) = match draw_once(app, claimed, provider, &request, round).await? {
            Ok(drawn) => drawn,
            // The first picture had faults, but it is a picture.
            Err(_) if best.is_some() => break,
            Err(outcome) => return Ok(outcome),
        };
        let better = best.as_ref().is_none_or(|(_, best)| faults.len() < best.len());
        let good = faults.is_empty();
        if !good {
            tracing::info!(drawing = %claimed.row.id, round, ?faults, "not a good coloring page");
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
    let folder = format!("drawings/{}/{}", claimed.row.id, claimed.lease);
    // What was settled with objects of this key must not have them announced, and so deleted, once more.
    let Some(tx) = settle::hold(app, claimed).await? else {
        return Ok(Outcome::Lost);
    };
    Ok(Outcome::Drawn(
        NewArtwork::store_within(app, tx, &folder, prepared).await?,
    ))
}

/// One picture with its faults, or how the attempt ends without one.
async fn draw_once(
    app: &App,
    claimed: &Claimed,
    provider: &ImageProvider,
    request: &Request,
    round: i64,
) -> Result<Result<(Prepared, Vec<artwork::Fault>), Outcome>> {
    let drawing = match provider
        .draw(draw_request(app, claimed, provider, request, round).await?)
        .await
    {
        Ok(drawing) => drawing,
        Err(error) => return Ok(Err(outcome_of(app, claimed, &error))),
    };
    let (aspect, audience) = (request.aspect, request.audience);
    let prepared = tokio::task::spawn_blocking(move || {
        let prepared = artwork::prepare_drawing(&drawing.bytes, aspect, audience)?;
        let faults = artwork::faults(&prepared.measures, audience);
        Ok::<_, artwork::ArtworkError>((prepared, faults))
    })
    .await
    .map_err(Error::internal)?;
    Ok(prepared.map_err(|error| {
        tracing::warn!(plugin = provider.description().id, drawing = %claimed.row.id, error = %error, "not an image we can use");
        broken(app, claimed)
    }))
}

async fn draw_request(
    app: &App,
    claimed: &Claimed,
    provider: &ImageProvider,
    request: &Request,
    round: i64,
) -> Result<DrawRequest> {
    let (width, height) = request.aspect.recommended_pixels();
    let mut characters = Vec::new();
    for sketch in &request.characters {
        let wanted = provider.description().max_references > characters.len() as u32;
        characters.push(character(app, sketch, wanted).await?);
    }
    Ok(DrawRequest {
        purpose: claimed.target.purpose(),
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

async fn character(app: &App, sketch: &Sketch, with_reference: bool) -> Result<CharacterSketch> {
    let reference = match &sketch.reference {
        Some(key) if with_reference => app.storage.get(key).await?,
        _ => None,
    };
    Ok(CharacterSketch {
        name: sketch.name.clone(),
        description: sketch.description.clone(),
        style: sketch.style.clone(),
        seed: sketch.seed.unsigned_abs(),
        reference: reference.map(|bytes| Media {
            media_type: "image/png".into(),
            bytes: bytes.to_vec(),
        }),
    })
}

/// What the queue does about a failed call. The plugin's words were logged where it was called.
fn outcome_of(app: &App, claimed: &Claimed, error: &CallError) -> Outcome {
    match error {
        CallError::Refused(_) => Outcome::Failed {
            code: "generation_refused",
        },
        CallError::Invalid(_) => Outcome::Failed {
            code: "generation_invalid",
        },
        CallError::RateLimited(_) | CallError::Unavailable(_) | CallError::Failed(_) => {
            again(app, claimed, error.retry_after())
        }
        CallError::Trapped(_)
        | CallError::Deadline(_)
        | CallError::OutOfMemory { .. }
        | CallError::ResponseTooLarge { .. }
        | CallError::InvalidResponse(_) => broken(app, claimed),
    }
}

/// Another attempt: what is down now may be up in some minutes.
fn again(app: &App, claimed: &Claimed, after: Option<Duration>) -> Outcome {
    Outcome::Retry {
        after: after.unwrap_or_else(|| backoff(claimed.row.attempts)),
        attempts: app.config.drawing_attempts,
    }
}

/// Another attempt, but not many: what is broken stays broken.
fn broken(app: &App, claimed: &Claimed) -> Outcome {
    const FEW: i64 = 3;
    Outcome::Retry {
        after: backoff(claimed.row.attempts),
        attempts: app.config.drawing_attempts.min(FEW),
    }
}

/// 2, 4, 8, ... seconds, at most a minute.
fn backoff(attempts: i64) -> Duration {
    Duration::from_secs(1 << attempts.clamp(1, 6)).min(Duration::from_secs(60))
}

fn log(claimed: &Claimed, error: &Error) {
    tracing::error!(drawing = %claimed.row.id, attempt = claimed.row.attempts, error = %error, cause = error.cause(), "an attempt failed");
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
