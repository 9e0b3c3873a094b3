//! The reasons why drawings wait.
use std::time::Duration;

use linepress_model::text_enum;
use serde::Serialize;

use super::store::DrawingRow;
use crate::administration::Actor;
use linepress_core::worker;
use linepress_drawings::queue::pause::{self, QueuePause};
use linepress_drawings::queue::{DrawingRequest, DrawingStatus};
use linepress_drawings::routing::{self, Candidates, Route};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Result;

text_enum! {
    /// The reason why a drawing waits.
    pub enum WaitReason {
        /// An operator paused the queue.
        QueuePaused = "queue_paused",
        /// It is tried again at the time in `until`: an attempt failed or was postponed. A cover also waits for the
        /// first page of its order.
        NextAttempt = "next_attempt",
        /// Every image provider that can draw it is paused or switched off, until the time in `until` at the earliest.
        ProvidersPaused = "providers_paused",
        /// An operator switched off every image provider that can draw it.
        ProvidersSwitchedOff = "providers_switched_off",
        /// No image provider is loaded that can draw it.
        NoProvider = "no_provider",
        /// All calls of `provider` that may run at a time are in use.
        ProviderBusy = "provider_busy",
        /// Its worker stopped renewing the lease. Another worker claims it next.
        WorkerLost = "worker_lost",
        /// It is due: other drawings have their turn before it.
        Turn = "turn",
    }
}

/// The reason why a drawing waits, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Waiting {
    pub reason: WaitReason,
    /// The earliest time at which it is drawn; null if no time is known.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub until: Option<Timestamp>,
    /// The id of the image provider that it waits for, or that would draw it next; null if none is known.
    #[schema(required)]
    pub provider: Option<String>,
}

/// The present state of queue and providers, from which the reasons follow.
pub(super) struct Explainer {
    now: Timestamp,
    pause: Option<QueuePause>,
    /// None on the command line, which loads no plugins and so does not know what the server can call.
    candidates: Option<Candidates>,
}

impl Explainer {
    pub(super) async fn new(app: &App, actor: &Actor) -> Result<Self> {
        let candidates = match actor.caller() {
            Some(_) => Some(routing::candidates(app).await?),
            None => None,
        };
        Ok(Self {
            now: app.clock.now(),
            pause: pause::current(app).await?,
            candidates,
        })
    }

    /// The reason why the drawing waits. None while a worker holds it and after it ended.
    pub(super) fn explain(&self, drawing: &DrawingRow) -> Option<Waiting> {
        let due_in = u64::try_from(drawing.due_in).unwrap_or(0);
        let is_due = due_in == 0;
        match drawing.status {
            DrawingStatus::Succeeded | DrawingStatus::Failed => return None,
            DrawingStatus::Running if !is_due => return None,
            DrawingStatus::Running | DrawingStatus::Queued => {}
        }
        if self.pause.is_some() {
            return Some(self.waiting(WaitReason::QueuePaused, None, None));
        }
        if !is_due {
            let wait = Duration::from_micros(due_in);
            return Some(self.waiting(WaitReason::NextAttempt, Some(wait), drawing.provider.clone()));
        }
        let provider = match self.route(drawing) {
            Some(Route::NoProvider) => return Some(self.waiting(WaitReason::NoProvider, None, None)),
            Some(Route::Paused(wait)) => {
                return Some(self.waiting(WaitReason::ProvidersPaused, Some(wait), None));
            }
            Some(Route::SwitchedOff(_)) => return Some(self.waiting(WaitReason::ProvidersSwitchedOff, None, None)),
            Some(Route::Call(chosen)) => Some(chosen.id().to_owned()),
            None => None,
        };
        Some(match (&drawing.waits_for, drawing.status) {
            (Some(busy), _) => self.waiting(WaitReason::ProviderBusy, None, Some(busy.clone())),
            (None, DrawingStatus::Running) => self.waiting(WaitReason::WorkerLost, None, provider),
            (None, _) => self.waiting(WaitReason::Turn, None, provider),
        })
    }

    fn waiting(&self, reason: WaitReason, wait: Option<Duration>, provider: Option<String>) -> Waiting {
        Waiting {
            reason,
            until: wait.map(|wait| self.now.plus(wait)),
            provider,
        }
    }

    /// The provider that the next attempt would call. None on the command line.
    fn route(&self, drawing: &DrawingRow) -> Option<Route> {
        let candidates = self.candidates.as_ref()?;
        let Ok(request) = serde_json::from_str::<DrawingRequest>(&drawing.request) else {
            return Some(Route::NoProvider);
        };
        let next_attempt = drawing.attempts + 1;
        Some(worker::route(
            candidates,
            &request,
            next_attempt,
            drawing.provider.as_deref(),
        ))
    }
}
