//! One attempt at a provider: draw, clean, measure, draw once more when it is no good, store.
use std::convert::Infallible;
use std::time::{Duration, Instant};

use bytes::Bytes;
use linepress_imaging::{ArtworkError, Fault, Prepared, faults, prepare_drawing};
use linepress_plugin_host::{
    CallError, CallOptions, CharacterSketch, DrawRequest, Drawing, ImageProvider, Media, Progress, Purpose,
};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::capacity::{Capacity, Place};
use super::complete::{Attempted, Called, Drawn, Outcome};
use super::{again, broken, log, persistently};
use crate::app::App;
use crate::artwork::NewArtwork;
use crate::characters;
use crate::error::{Error, Result};
use crate::operations::FailureCode;
use crate::queue::{self, CharacterSnapshot, DrawingJob, DrawingRequest, SourcePicture, TargetType, Work};
use crate::routing::{self, Sign};

/// What a provider drew, ready to be stored.
struct Picture {
    prepared: Prepared,
    faults: Vec<Fault>,
    /// What the provider says about it.
    note: Option<String>,
}

/// A drawing in the hands of a provider.
pub(super) struct Session<'a> {
    pub app: &'a App,
    pub job: &'a DrawingJob,
    pub provider: &'a ImageProvider,
    pub request: &'a DrawingRequest,
    pub capacity: &'a Capacity,
    pub on_trial: bool,
}

impl Session<'_> {
    /// Has the picture drawn, once more when it is no good as a coloring page, and stores the better one. An error
    /// means that the provider was not asked.
    pub(super) async fn draw(&self, mut place: Option<Place>, mut waits: bool) -> Result<Attempted> {
        let description = self.provider.description();
        let mut called = Called {
            work: Work {
                provider: description.id.clone(),
                version: description.version.clone(),
                model: None,
                took: Duration::ZERO,
                cost_microdollars: 0,
            },
            sign: Sign::Works,
            on_trial: self.on_trial,
        };
        let mut best: Option<Picture> = None;
        let mut turn = None;
        for round in 0..2 {
            // Whoever waits for a place must not hold what others with a place wait for.
            turn = None;
            let mine = match place.take() {
                Some(place) => place,
                None => self.capacity.place(self.app, self.provider).await,
            };
            let request = match self.prepare_call(std::mem::replace(&mut waits, true), round).await {
                Ok(Some(request)) => request,
                // The first picture had faults, but it is a picture, and paid for.
                Ok(None) if best.is_some() => break,
                Err(error) if best.is_some() => {
                    log(&error);
                    break;
                }
                // Its source is gone, and no other attempt finds it.
                Ok(None) => return Ok(Attempted::of(Outcome::Failed(FailureCode::Failed))),
                Err(error) => return Err(error),
            };
            let picture = match self.draw_once(mine, request, &mut called).await {
                Ok(Ok((picture, kept))) => {
                    turn = Some(kept);
                    picture
                }
                Ok(Err(_)) if best.is_some() => break,
                Err(error) if best.is_some() => {
                    log(&error);
                    break;
                }
                Ok(Err(outcome)) => {
                    return Ok(Attempted {
                        outcome,
                        called: Some(called),
                    });
                }
                Err(error) => {
                    log(&error);
                    return Ok(Attempted {
                        outcome: again(self.app, self.job),
                        called: Some(called),
                    });
                }
            };
            let good = picture.faults.is_empty();
            if !good {
                tracing::info!(round, faults = ?picture.faults, "not a good coloring page");
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
        if called.sign == Sign::Fails {
            called.sign = Sign::Works;
        }
        let turn = match turn {
            Some(turn) => turn,
            None => self.capacity.finish().await,
        };
        let outcome = persistently(|| self.store(&picture)).await;
        drop(turn);
        Ok(Attempted {
            outcome,
            called: Some(called),
        })
    }

    /// Waits for the provider's rate where that is needed, and reads what it is to be asked. Nothing when a part of
    /// that is gone.
    async fn prepare_call(&self, waits: bool, round: i64) -> Result<Option<DrawRequest>> {
        if waits {
            routing::wait_for_turn(self.app, &self.provider.description().id).await?;
        }
        self.draw_request(round).await
    }

    /// One picture, and the turn in which it was cleaned and may be stored; or how the attempt ends without one.
    async fn draw_once(
        &self,
        place: Place,
        request: DrawRequest,
        called: &mut Called,
    ) -> Result<Result<(Picture, OwnedSemaphorePermit), Outcome>> {
        let id = &self.provider.description().id;
        let deadline = self.app.config.provider(id).deadline_seconds;
        let (reports, reported) = watch::channel(None);
        let options = CallOptions {
            deadline: deadline.map(|seconds| Duration::from_secs(seconds.into())),
            progress: Some(reports),
        };
        let began = Instant::now();
        let drawn = tokio::select! {
            drawn = self.provider.draw_with(request, &options) => drawn,
            never = self.follow(reported) => match never {},
        };
        called.work.took += began.elapsed();
        let drawing = match drawn {
            Ok(drawing) => drawing,
            Err(error) => {
                called.sign = Sign::of(&error);
                return Ok(Err(outcome_of(self.app, self.job, &error)));
            }
        };
        called.sign = Sign::Works;
        called.work.model = drawing.model.clone().or_else(|| called.work.model.take());
        called.work.cost_microdollars += drawing.cost_microdollars.unwrap_or(0);
        let turn = self.capacity.finish().await;
        drop(place);
        let picture = self.prepare(drawing).await?;
        Ok(picture.map(|picture| (picture, turn)).map_err(|error| {
            tracing::warn!(plugin = id, error = %error, "not an image we can use");
            called.sign = Sign::Fails;
            broken(self.app, self.job)
        }))
    }

    /// Writes down what the provider reports, at most once a second: who draws at once need not be followed.
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
                // The next report may be.
                tracing::debug!(error = error.for_operator(), "the progress could not be written down");
            }
        }
    }

    async fn prepare(&self, drawing: Drawing) -> Result<Result<Picture, ArtworkError>> {
        let (aspect, audience) = (self.request.aspect, self.request.audience);
        tokio::task::spawn_blocking(move || {
            let prepared = prepare_drawing(&drawing.bytes, aspect, audience)?;
            let faults = faults(&prepared.measures, audience);
            Ok(Picture {
                prepared,
                faults,
                note: drawing.note,
            })
        })
        .await
        .map_err(Error::internal)
    }

    /// Stores the picture under the lease.
    async fn store(&self, picture: &Picture) -> Result<Outcome> {
        // What was completed with objects of this key must not have them announced, and so deleted, once more.
        let Some(tx) = queue::hold(self.app, self.job).await? else {
            return Ok(Outcome::Lost);
        };
        // The lease is part of the key: a worker that lost it must not write over its successor's object.
        let folder = format!("drawings/{}/{}", self.job.id, self.job.lease);
        Ok(Outcome::Drawn(Drawn {
            artwork: NewArtwork::store_within(self.app, tx, &folder, &picture.prepared, self.request.audience).await?,
            note: picture.note.clone(),
        }))
    }

    /// Nothing when the source is missing.
    async fn draw_request(&self, round: i64) -> Result<Option<DrawRequest>> {
        let request = self.request;
        let (width, height) = request.aspect.recommended_pixels();
        let source = match &request.source {
            Some(picture) => match source(self.app, picture).await? {
                Some(source) => Some(source),
                None => return Ok(None),
            },
            None => None,
        };
        let takes = self.provider.description().max_references_with_source(source.is_some());
        let mut characters = Vec::new();
        for snapshot in &request.characters {
            let wanted = takes as usize > characters.len();
            let reference = if wanted {
                reference(self.app, snapshot).await?
            } else {
                None
            };
            characters.push(sketch(snapshot, reference));
        }
        Ok(Some(DrawRequest {
            purpose: purpose(self.job.target.kind()),
            prompt: request.prompt.clone(),
            title: request.title.clone(),
            width,
            height,
            aspect: request.aspect,
            audience: request.audience,
            characters,
            source,
            seed: (request.seed + round).unsigned_abs(),
        }))
    }
}

fn purpose(target: TargetType) -> Purpose {
    match target {
        TargetType::Character => Purpose::Character,
        TargetType::Page => Purpose::Page,
        TargetType::Cover => Purpose::Cover,
    }
}

/// The customer's picture to draw from, if it is there.
async fn source(app: &App, source: &SourcePicture) -> Result<Option<Media>> {
    let Some(bytes) = app.storage.get(&source.key).await? else {
        tracing::error!(key = source.key, "the picture that a drawing is made from is missing");
        return Ok(None);
    };
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
        // The provider is left alone. Another one need not wait for it.
        CallError::RateLimited(_) => Outcome::PutOff {
            after: Some(Duration::ZERO),
        },
        CallError::Unavailable(_) => Outcome::PutOff { after: None },
        CallError::Failed(_) => again(app, job),
        CallError::Trapped(_)
        | CallError::Deadline(_)
        | CallError::OutOfMemory { .. }
        | CallError::ResponseTooLarge { .. }
        | CallError::InvalidResponse(_) => broken(app, job),
    }
}
