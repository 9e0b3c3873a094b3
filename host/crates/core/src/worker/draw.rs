//! One attempt at a provider: draw, clean and measure the picture, draw a second one if the first has faults, and store
//! the better one.
use std::convert::Infallible;
use std::time::{Duration, Instant};

use linepress_imaging::{ArtworkError, Fault, Prepared, faults, prepare_color_drawing, prepare_drawing, watermarked};
use linepress_model::Audience;
use linepress_plugin_host::{CallError, CallOptions, DrawRequest, Drawing, Progress};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::capacity::{Capacity, Place};
use super::complete::{AttemptOutcome, AttemptResult, DrawnPicture};
use super::{log, refinement, retry_defect, retry_transient, retry_until_ok};
use crate::artwork::NewArtwork;
use crate::operations::FailureCode;
use linepress_drawings::queue::{self, DrawingJob, DrawingRequest, MAX_ROUNDS};
use linepress_drawings::routing::{self, ChosenProvider, ProviderCalls};
use linepress_drawings::screening;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};

/// A picture that a provider drew, ready to be stored.
struct Picture {
    prepared: Prepared,
    faults: Vec<Fault>,
    /// The provider's note about the picture.
    note: Option<String>,
    /// The seed that draws its composition from text again.
    seed: Option<i64>,
}

/// The result of the preparations for a provider's call.
enum Preparation {
    Request(Box<DrawRequest>),
    /// The customer's source picture, or the picture to refine, is missing in the object storage.
    SourceMissing,
    /// An operator switched the provider off while the call waited for its rate limit.
    SwitchedOff,
}

/// A drawing job and the provider that draws it.
pub(super) struct Session<'a> {
    pub app: &'a App,
    pub job: &'a DrawingJob,
    pub chosen: &'a ChosenProvider,
    pub request: &'a DrawingRequest,
    pub capacity: &'a Capacity,
}

impl Session<'_> {
    /// Has the picture drawn, and drawn a second time if the first one has faults as a coloring page; stores the better
    /// one. An error means that no provider was called.
    pub(super) async fn draw(&self, mut place: Option<Place>) -> Result<AttemptResult> {
        if screening::is_prompt_reviewed(self.app, self.job, self.request).await {
            // Another drawing gets the place while the prompt is reviewed.
            drop(place.take());
            if let Some(ended) = self.review_prompt().await {
                return Ok(ended);
            }
        }
        let mut calls = ProviderCalls::new(self.chosen);
        let mut best: Option<Picture> = None;
        let mut turn = None;
        let mut waits = self.chosen.waits_for_rate;
        for round in 0..MAX_ROUNDS {
            // The turn is released before the attempt waits for a place: the attempts that hold the places may be
            // waiting for this turn.
            turn = None;
            let call_place = match place.take() {
                Some(place) => place,
                None => self.capacity.wait_for_place(self.app, &self.chosen.provider).await,
            };
            let request = match self.prepare_call(std::mem::replace(&mut waits, true), round).await {
                Ok(Preparation::Request(request)) => *request,
                // The first picture has faults, but it is usable and paid for.
                Ok(_) if best.is_some() => break,
                Err(error) if best.is_some() => {
                    log(&error);
                    break;
                }
                // The source picture is gone, so a later attempt would fail as well.
                Ok(Preparation::SourceMissing) => return Ok(AttemptResult::failed("the source picture is missing")),
                // Another provider may draw it at once.
                Ok(Preparation::SwitchedOff) => {
                    let after = Some(Duration::ZERO);
                    return Ok(AttemptOutcome::Postponed { after }.into());
                }
                Err(error) => return Err(error),
            };
            let picture = match self.draw_once(call_place, request, &mut calls).await {
                Ok(Ok((picture, kept))) => {
                    turn = Some(kept);
                    picture
                }
                Ok(Err(_)) if best.is_some() => break,
                Err(error) if best.is_some() => {
                    log(&error);
                    break;
                }
                Ok(Err(outcome)) => return Ok(AttemptResult::from_calls(outcome, calls)),
                Err(error) => {
                    log(&error);
                    return Ok(AttemptResult {
                        error: Some(error.for_operator()),
                        ..AttemptResult::from_calls(retry_transient(self.app, self.job), calls)
                    });
                }
            };
            let good = picture.faults.is_empty();
            if !good {
                tracing::info!(round, faults = ?picture.faults, "picture has faults as a coloring page");
            }
            if best
                .as_ref()
                .is_none_or(|best| picture.faults.len() < best.faults.len())
            {
                best = Some(picture);
            }
            if good {
                break;
            }
        }
        let picture = best.ok_or_else(|| Error::internal("no round drew anything"))?;
        // The provider drew a picture, so it works. It may have limited its rate since.
        if !matches!(calls.last_error, Some(CallError::RateLimited(_))) {
            calls.last_error = None;
        }
        let mut alternative_text = None;
        if screening::is_reviewed(self.app, self.request) {
            // Other pictures are prepared and stored while this one is reviewed.
            drop(turn.take());
            if let Some(ended) = self.review_picture(&picture.prepared).await {
                let calls = Some(calls);
                return Ok(AttemptResult { calls, ..ended });
            }
            alternative_text = self.describe_picture(&picture.prepared).await;
        }
        let turn = match turn {
            Some(turn) => turn,
            None => self.capacity.wait_for_finishing_turn().await,
        };
        let outcome = retry_until_ok(|| self.store(&picture, alternative_text.as_deref())).await;
        drop(turn);
        Ok(AttemptResult::from_calls(outcome, calls))
    }

    /// Waits for the provider's rate limit if `waits` is true, then reads the request.
    async fn prepare_call(&self, waits: bool, round: i64) -> Result<Preparation> {
        if waits && !self.chosen.is_test && !routing::wait_for_turn(self.app, self.chosen.id()).await? {
            return Ok(Preparation::SwitchedOff);
        }
        let request = self.draw_request(round).await?;
        Ok(request.map_or(Preparation::SourceMissing, |request| {
            Preparation::Request(Box::new(request))
        }))
    }

    /// Calls the provider once. Returns the picture and the turn under which it was cleaned and may be stored; without
    /// a picture, the outcome of the attempt.
    async fn draw_once(
        &self,
        place: Place,
        request: DrawRequest,
        calls: &mut ProviderCalls,
    ) -> Result<Result<(Picture, OwnedSemaphorePermit), AttemptOutcome>> {
        let id = self.chosen.id();
        let seed = refinement::seed_to_keep(self.request, self.chosen.edits, request.seed);
        let deadline = self.app.live().provider(id).deadline_seconds;
        let (reports, reported) = watch::channel(None);
        let options = CallOptions {
            deadline: deadline.map(|seconds| Duration::from_secs(seconds.into())),
            progress: Some(reports),
            ..CallOptions::default()
        };
        let began = Instant::now();
        let drawn = tokio::select! {
            drawn = self.chosen.provider.draw_with(request, &options) => drawn,
            never = self.follow(reported) => match never {},
        };
        calls.work.took += began.elapsed();
        let receipt = &options.receipt;
        calls.work.model = receipt.model().map(str::to_owned).or_else(|| calls.work.model.take());
        calls.work.cost_microdollars += receipt.cost_microdollars().unwrap_or(0);
        let drawing = match drawn {
            Ok(drawing) => drawing,
            Err(error) => {
                if error.is_fault() && self.was_rolled_back().await {
                    return Ok(Err(self.draw_again()));
                }
                let outcome = outcome_from_error(self.app, self.job, &error);
                calls.last_error = Some(error);
                return Ok(Err(outcome));
            }
        };
        calls.last_error = None;
        let turn = self.capacity.wait_for_finishing_turn().await;
        drop(place);
        let (trials, version) = (&self.app.plugin_calls.trials, self.chosen.provider.version());
        let picture = match self.prepare(drawing, seed).await? {
            Ok(picture) => picture,
            Err(error) => {
                // Other pictures are stored while this attempt waits for a rollback.
                drop(turn);
                trials.failed(version, &error.to_string());
                if self.was_rolled_back().await {
                    return Ok(Err(self.draw_again()));
                }
                tracing::warn!(plugin = id, error = %error, "the provider returned an unusable image");
                calls.last_error = Some(CallError::InvalidResponse(error.to_string()));
                return Ok(Err(retry_defect(self.app, self.job)));
            }
        };
        trials.passed(version);
        let note = match self.chosen.is_test {
            true => Some(TEST_NOTE.to_owned()),
            false => refinement::note(self.request, self.chosen.edits, picture.note),
        };
        Ok(Ok((Picture { note, ..picture }, turn)))
    }

    /// Waits if the first calls of this version of the provider failed. Returns true if an earlier version draws in its
    /// place.
    async fn was_rolled_back(&self) -> bool {
        let version = self.chosen.provider.version();
        self.app.plugin_calls.trials.was_rolled_back(version).await
    }

    /// The outcome of an attempt with a version that was rolled back: it costs the drawing no attempt.
    fn draw_again(&self) -> AttemptOutcome {
        tracing::info!(
            plugin = self.chosen.id(),
            "the drawing is drawn again by the version before"
        );
        AttemptOutcome::Postponed {
            after: Some(Duration::ZERO),
        }
    }

    /// Stores the progress that the provider reports, at most once a second. Calls that take less than a second write
    /// nothing.
    async fn follow(&self, mut reported: watch::Receiver<Option<Progress>>) -> Infallible {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if reported.changed().await.is_err() {
                // The call is about to end.
                return std::future::pending().await;
            }
            let progress = *reported.borrow_and_update();
            let Some(Progress { done, total }) = progress.filter(|progress| progress.total > 0) else {
                continue;
            };
            let noted = queue::note_progress(self.app, self.job, done.min(total).into(), total.into());
            if let Err(error) = noted.await {
                // The next report may succeed.
                tracing::debug!(
                    error = error.for_operator(),
                    "the progress of a drawing could not be stored"
                );
            }
        }
    }

    /// The audience by whose limits the drawing is cleaned and judged.
    fn judged_as(&self) -> Audience {
        self.request.look.judged_as(self.request.audience)
    }

    async fn prepare(&self, drawing: Drawing, seed: Option<i64>) -> Result<Result<Picture, ArtworkError>> {
        let (aspect, audience) = (self.request.aspect, self.judged_as());
        let (is_in_color, is_test) = (self.is_in_color(), self.chosen.is_test);
        let note = match drawing.note {
            note if is_in_color || !self.request.in_color => note,
            Some(note) => {
                let both = format!("{LINE_ART_INSTEAD} {note}");
                Some(both.chars().take(refinement::MAX_NOTE_CHARS).collect())
            }
            None => Some(LINE_ART_INSTEAD.to_owned()),
        };
        tokio::task::spawn_blocking(move || {
            let bytes = match is_test {
                true => watermarked(&drawing.bytes, is_in_color)?,
                false => drawing.bytes,
            };
            let (prepared, faults) = match is_in_color {
                // The faults are those of a page to color.
                true => (prepare_color_drawing(&bytes, aspect)?, Vec::new()),
                false => {
                    let prepared = prepare_drawing(&bytes, aspect, audience)?;
                    let faults = faults(&prepared.measures, audience);
                    (prepared, faults)
                }
            };
            Ok(Picture {
                prepared,
                faults,
                note,
                seed,
            })
        })
        .await
        .map_err(Error::internal)
    }

    /// Stores the picture under the lease, with its description.
    async fn store(&self, picture: &Picture, alternative_text: Option<&str>) -> Result<AttemptOutcome> {
        // Checks the lease before the objects are announced: announcing marks them for deletion, and an earlier run of
        // this step may have completed the drawing with them.
        let Some(tx) = queue::begin_under_lease(self.app, self.job).await? else {
            return Ok(AttemptOutcome::LeaseLost);
        };
        // The lease is part of the key, so a worker that lost its lease cannot overwrite the objects of the next one.
        let folder = format!("drawings/{}/{}", self.job.id, self.job.lease);
        let artwork = NewArtwork::store_within(self.app, tx, &folder, &picture.prepared, self.judged_as()).await?;
        Ok(AttemptOutcome::Picture(DrawnPicture {
            artwork: artwork.described(alternative_text),
            note: picture.note.clone(),
            seed: picture.seed,
        }))
    }
}

/// The note on a picture that a test key ordered.
const TEST_NOTE: &str = "A test drawing: for a live key, the image providers of this server draw it.";

/// The note about a cover that was ordered in color.
const LINE_ART_INSTEAD: &str = "No image provider of this server draws covers in color, so the cover is line art.";

/// The outcome of an attempt whose call failed. The plugin's error message was logged where the plugin was called.
fn outcome_from_error(app: &App, job: &DrawingJob, error: &CallError) -> AttemptOutcome {
    match error {
        CallError::Refused(_) => AttemptOutcome::Failed(FailureCode::Refused),
        CallError::Invalid(_) => AttemptOutcome::Failed(FailureCode::Invalid),
        // The provider is paused; another provider can draw at once.
        CallError::RateLimited(_) => AttemptOutcome::Postponed {
            after: Some(Duration::ZERO),
        },
        CallError::Busy | CallError::Unavailable(_) => AttemptOutcome::Postponed { after: None },
        CallError::Failed(_) => retry_transient(app, job),
        CallError::Trapped(_)
        | CallError::Deadline(_)
        | CallError::OutOfMemory { .. }
        | CallError::ResponseTooLarge { .. }
        | CallError::InvalidResponse(_) => retry_defect(app, job),
    }
}
