//! Workers: claim a job, have it drawn while the lease is kept alive, complete it.
mod complete;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::{Instrument as _, Span};

use linepress_imaging::{Fault, Prepared, faults, prepare_drawing};
use linepress_plugin_host::{CallError, CharacterSketch, DrawRequest, ImageProvider, Media, Purpose};

use crate::app::App;
use crate::artwork::NewArtwork;
use crate::characters;
use crate::error::{Error, Result};
use crate::operations::{self, FailureCode};
use crate::queue::{self, CharacterSnapshot, DrawingJob, DrawingRequest, TargetType};

use complete::Drawn;
pub(crate) use complete::cancel_queued;
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

    /// Stops them. What is being drawn has a while to end, for it may be paid for; then it goes back to the queue.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

async fn run(app: App, mut stopped: watch::Receiver<bool>) {
    let mut trouble = Trouble::default();
    while !*stopped.borrow() {
        // Listen before looking, so that nothing queued in between is slept over.
        let queued = app.queued.notified();
        match claim(&app).await {
            Ok(Some(job)) => {
                trouble.is_over();
                let out_of_time = async {
                    // The sender is dropped only with a stop.
                    let _ = stopped.wait_for(|stop| *stop).await;
                    tokio::time::sleep(app.config.shutdown_grace()).await;
                };
                work_until(&app, &job, out_of_time).instrument(span(&job)).await;
            }
            Ok(None) => {
                trouble.is_over();
                tokio::select! {
                    () = queued => {}
                    () = tokio::time::sleep(IDLE) => {}
                    _ = stopped.changed() => {}
                }
            }
            Err(error) => {
                trouble.log(&error, "the queue cannot be read");
                tokio::time::sleep(IDLE).await;
            }
        }
    }
}

/// What each line says that is logged for a drawing. Interfaces show what it is for, not its own id.
fn span(job: &DrawingJob) -> Span {
    tracing::error_span!(
        "drawing",
        target_type = job.target.kind().as_str(),
        target_id = job.target.id(),
        operation = %job.operation_id,
        drawing = %job.id,
        attempt = job.attempts,
    )
}

async fn work_until(app: &App, job: &DrawingJob, out_of_time: impl Future<Output = ()>) {
    tokio::select! {
        ended = AssertUnwindSafe(attempt_within(app, job)).catch_unwind() => {
            if ended.is_err() {
                // The lease runs out and the drawing is claimed again; the worker lives on.
                tracing::error!("an attempt panicked");
            }
        }
        () = out_of_time => {
            tracing::warn!("a drawing did not end in time and goes back to the queue");
            if let Err(error) = queue::release(app, job).await {
                log(&error);
            }
        }
    }
}

/// Takes the next job, if there is one and a provider that could draw it.
pub async fn claim(app: &App) -> Result<Option<DrawingJob>> {
    let provider = &app.config.image_provider;
    if app.plugins.image_provider(provider).is_none() {
        return Ok(None);
    }
    let Some((job, mut tx)) = queue::claim(app, provider).await? else {
        return Ok(None);
    };
    operations::start(app, &mut tx, &job.operation_id).await?;
    queue::served(app, &mut tx, &job).await?;
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
    attempt_within(app, job).instrument(span(job)).await;
}

/// The same within the job's span.
async fn attempt_within(app: &App, job: &DrawingJob) {
    tokio::select! {
        () = draw_and_complete(app, job) => {}
        () = keep_alive(app, job) => {
            tracing::warn!("the lease was lost; another worker has the drawing");
        }
    }
}

async fn draw_and_complete(app: &App, job: &DrawingJob) {
    let outcome = draw_unless_spent(app, job).await.unwrap_or_else(|error| {
        log(&error);
        again(app, job)
    });
    if !persistently(|| complete(app, job, &outcome)).await {
        tracing::warn!("came too late; another worker has the drawing");
    }
}

/// Tries until it works: what was drawn is paid for, and a database or a store that is down may be up in a minute. Whoever
/// holds the lease decides when it has been too long.
async fn persistently<T, F: Future<Output = Result<T>>>(step: impl Fn() -> F) -> T {
    let mut tries = 0;
    let mut trouble = Trouble::default();
    loop {
        match step().await {
            Ok(done) => {
                trouble.is_over();
                return done;
            }
            Err(error) => trouble.log(&error, "a picture cannot be stored yet, and is kept for another try"),
        }
        tries += 1;
        tokio::time::sleep(queue::backoff(tries) / 4).await;
    }
}

/// Renews the lease for as long as it is ours.
async fn keep_alive(app: &App, job: &DrawingJob) {
    let mut trouble = Trouble::default();
    loop {
        tokio::time::sleep(app.config.lease() / 4).await;
        match queue::renew(app, job).await {
            Ok(true) => trouble.is_over(),
            Ok(false) => return,
            // The next renewal may succeed; if none does, completing finds the lease gone.
            Err(error) => trouble.log(&error, "the lease cannot be renewed yet"),
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
    // Queued by another version, perhaps. Another attempt could not read it either.
    let request = match job.request() {
        Ok(request) => request,
        Err(error) => {
            log(&error);
            return Ok(Outcome::Failed(FailureCode::Failed));
        }
    };
    draw(app, job, &request).await
}

/// Has the picture drawn, once more when it is no good as a coloring page, and stores the better one.
async fn draw(app: &App, job: &DrawingJob, request: &DrawingRequest) -> Result<Outcome> {
    let Some(provider) = app.plugins.image_provider(&app.config.image_provider) else {
        return Ok(Outcome::PutOff { after: None });
    };
    let mut best: Option<Picture> = None;
    for round in 0..2 {
        let picture = match draw_once(app, job, provider, request, round).await {
            Ok(Ok(drawn)) => drawn,
            // The first picture had faults, but it is a picture, and paid for.
            Ok(Err(_)) if best.is_some() => break,
            Err(error) if best.is_some() => {
                log(&error);
                break;
            }
            Ok(Err(outcome)) => return Ok(outcome),
            Err(error) => return Err(error),
        };
        let faults = &picture.faults;
        let better = best.as_ref().is_none_or(|best| faults.len() < best.faults.len());
        let good = faults.is_empty();
        if !good {
            tracing::info!(round, ?faults, "not a good coloring page");
        }
        if better {
            best = Some(picture);
        }
        if good {
            break;
        }
    }
    let picture = best.ok_or_else(|| Error::internal("no round drew anything"))?;
    // The lease is part of the key: a worker that lost it must not write over its successor's object.
    let folder = format!("drawings/{}/{}", job.id, job.lease);
    Ok(persistently(|| store(app, job, &folder, &picture)).await)
}

/// Stores the picture under the lease.
async fn store(app: &App, job: &DrawingJob, folder: &str, picture: &Picture) -> Result<Outcome> {
    // What was completed with objects of this key must not have them announced, and so deleted, once more.
    let Some(tx) = queue::hold(app, job).await? else {
        return Ok(Outcome::Lost);
    };
    Ok(Outcome::Drawn(Drawn {
        artwork: NewArtwork::store_within(app, tx, folder, &picture.prepared).await?,
        note: picture.note.clone(),
    }))
}

/// What a provider drew, ready to be stored.
struct Picture {
    prepared: Prepared,
    faults: Vec<Fault>,
    /// What the provider says about it.
    note: Option<String>,
}

/// One picture, or how the attempt ends without one.
async fn draw_once(
    app: &App,
    job: &DrawingJob,
    provider: &ImageProvider,
    request: &DrawingRequest,
    round: i64,
) -> Result<Result<Picture, Outcome>> {
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
        Ok::<_, linepress_imaging::ArtworkError>(Picture {
            prepared,
            faults,
            note: drawing.note,
        })
    })
    .await
    .map_err(Error::internal)?;
    Ok(prepared.map_err(|error| {
        tracing::warn!(plugin = provider.description().id, error = %error, "not an image we can use");
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
    let source = source(app, request).await?;
    let takes = provider.description().references_beside(source.is_some());
    let mut characters = Vec::new();
    for snapshot in &request.characters {
        let wanted = takes > characters.len() as u32;
        let reference = if wanted { reference(app, snapshot).await? } else { None };
        characters.push(sketch(snapshot, reference));
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
        source,
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

/// The customer's picture to draw from, if there is one.
async fn source(app: &App, request: &DrawingRequest) -> Result<Option<Media>> {
    let Some(source) = &request.source else {
        return Ok(None);
    };
    let bytes = app.storage.get(&source.key).await?;
    let bytes = bytes.ok_or_else(|| Error::internal(format!("the source {} is missing", source.key)))?;
    Ok(Some(Media {
        media_type: "image/jpeg".into(),
        bytes: bytes.to_vec(),
    }))
}

/// The character's reference image: the one it had when the drawing was asked for, or, where that has gone with another
/// drawing of the character since, the one it has now.
async fn reference(app: &App, snapshot: &CharacterSnapshot) -> Result<Option<Bytes>> {
    let Some(key) = &snapshot.reference else {
        return Ok(None);
    };
    if let Some(bytes) = app.storage.get(key).await? {
        return Ok(Some(bytes));
    }
    let current = match &snapshot.id {
        Some(id) => characters::reference_key(app, id).await?,
        None => None,
    };
    match current {
        Some(key) => app.storage.get(&key).await,
        None => Ok(None),
    }
}

fn sketch(snapshot: &CharacterSnapshot, reference: Option<Bytes>) -> CharacterSketch {
    CharacterSketch {
        name: snapshot.name.clone(),
        description: snapshot.description.clone(),
        style: snapshot.style.clone(),
        seed: snapshot.seed.unsigned_abs(),
        reference: reference.map(|bytes| Media {
            media_type: "image/png".into(),
            bytes: bytes.to_vec(),
        }),
    }
}

/// What the queue does about a failed call. The plugin's words were logged where it was called.
fn outcome_of(app: &App, job: &DrawingJob, error: &CallError) -> Outcome {
    match error {
        CallError::Refused(_) => Outcome::Failed(FailureCode::Refused),
        CallError::Invalid(_) => Outcome::Failed(FailureCode::Invalid),
        CallError::RateLimited(_) | CallError::Unavailable(_) => Outcome::PutOff {
            after: error.retry_after(),
        },
        CallError::Failed(_) => again(app, job),
        CallError::Trapped(_)
        | CallError::Deadline(_)
        | CallError::OutOfMemory { .. }
        | CallError::ResponseTooLarge { .. }
        | CallError::InvalidResponse(_) => broken(app, job),
    }
}

/// Another attempt: it may have been an accident.
fn again(app: &App, job: &DrawingJob) -> Outcome {
    Outcome::Retry {
        after: queue::backoff(job.attempts),
        attempts: app.config.drawing_attempts,
    }
}

/// Another attempt, but not many: what is broken stays broken.
fn broken(app: &App, job: &DrawingJob) -> Outcome {
    const FEW: i64 = 3;
    Outcome::Retry {
        after: queue::backoff(job.attempts),
        attempts: app.config.drawing_attempts.min(FEW),
    }
}

fn log(error: &Error) {
    tracing::error!(error = error.for_operator(), "an attempt failed");
}

/// What fails again and again while something is down: one line of the log when it begins, or becomes another, and one when
/// it is over.
#[derive(Default)]
struct Trouble(Option<String>);

impl Trouble {
    fn log(&mut self, error: &Error, what: &str) {
        let error = error.for_operator();
        if self.0.as_ref() == Some(&error) {
            tracing::debug!(error, "again: {what}");
            return;
        }
        tracing::error!(error, "{what}");
        self.0 = Some(error);
    }

    fn is_over(&mut self) {
        if self.0.take().is_some() {
            tracing::info!("it works again");
        }
    }
}
