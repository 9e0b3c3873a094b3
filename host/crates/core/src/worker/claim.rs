//! Claiming the next drawing job and choosing the provider that draws it.
//!
//! The choice of provider depends on the drawing. A drawing whose provider is busy goes back to the queue and waits
//! there for that provider: drawings that other providers can start at once go first, and among those that wait for one
//! provider the oldest is next.
use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use linepress_plugin_host::ImageProvider;

use super::capacity::Capacity;
use crate::operations;
use linepress_drawings::queue::{self, DrawingJob, DrawingRequest};
use linepress_drawings::routing::{self, Basis, Requirements, Route};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::maintenance;

/// The attempt from which on a drawing goes to another provider than the one that failed it, if there is one.
const OTHER_PROVIDER_FROM_ATTEMPT: i64 = 3;

/// The interval at which an idle server looks for work: a drawing that was put off may be due, and the signal of
/// another node may have been lost.
pub(super) const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// A claimed drawing job and how it is to be processed.
#[derive(Clone)]
pub struct Assignment {
    job: DrawingJob,
    pub(super) route: Route,
}

impl Assignment {
    pub(super) fn provider(&self) -> Option<&ImageProvider> {
        match &self.route {
            Route::Call(chosen) => Some(&chosen.provider),
            Route::Paused(_) | Route::SwitchedOff(_) | Route::NoProvider => None,
        }
    }

    /// The failing provider for which the call of this attempt is to test whether it works again.
    pub(super) fn probed_provider(&self) -> Option<&str> {
        match &self.route {
            Route::Call(chosen) if chosen.is_probe => Some(chosen.id()),
            Route::Call(_) | Route::Paused(_) | Route::SwitchedOff(_) | Route::NoProvider => None,
        }
    }
}

impl fmt::Debug for Assignment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let provider = self.provider().map(|provider| &*provider.description().id);
        write!(formatter, "{:?} for {provider:?}", self.job)
    }
}

impl Deref for Assignment {
    type Target = DrawingJob;

    fn deref(&self) -> &DrawingJob {
        &self.job
    }
}

/// Claims the next drawing job. None when no drawing is due, no provider may be called now, or the server is read-only.
pub async fn claim(app: &App) -> Result<Option<Assignment>> {
    // This capacity is unused, so no provider is busy and no drawing is put back.
    Ok(next(app, &Capacity::new(app), IDLE_POLL_INTERVAL).await?.ok())
}

/// Claims the next drawing job. While no provider of the settings may be called, it claims only those of test keys. It
/// claims nothing if no provider has a free place or the server is read-only.
///
/// Without a job, returns how long to wait before looking again: at most `idle_poll`, and zero if a drawing was put
/// back to wait for its provider, because others may be ready.
pub(super) async fn next(app: &App, capacity: &Capacity, idle_poll: Duration) -> Result<Result<Assignment, Duration>> {
    let has_place = |provider: &ImageProvider| capacity.has_place(app, provider);
    if !routing::callable(app).iter().any(has_place) || !queue::is_anything_due(app).await? {
        return Ok(Err(idle_poll));
    }
    if maintenance::current(app).await?.is_some() {
        return Ok(Err(idle_poll));
    }
    let candidates = routing::candidates(app).await?;
    let first = candidates.first_choices();
    let ready = first.iter().filter(|candidate| has_place(&candidate.provider));
    let wait = match ready.map(|candidate| candidate.busy_for).min() {
        None => idle_poll,
        // Until the rate limit of a provider allows a call.
        Some(busy_for) => busy_for.min(idle_poll),
    };
    let only_tests = !wait.is_zero();
    if only_tests && !(candidates.test_provider().is_some_and(has_place) && queue::is_test_due(app).await?) {
        return Ok(Err(wait));
    }
    let Some((job, mut tx)) = queue::claim(app, &capacity.busy_providers(app), only_tests).await? else {
        return Ok(Err(idle_poll));
    };
    let mut route = choose(&candidates, &job);
    if let Route::Call(chosen) = &mut route {
        if capacity.is_busy(app, &chosen.provider) {
            queue::unclaim(app, &mut tx, &job, Some(chosen.id())).await?;
            queue::mark_served(app, &mut tx, &job).await?;
            tx.commit().await?;
            return Ok(Err(Duration::ZERO));
        }
        if !chosen.is_test {
            let Some(may_begin) = routing::admit(app, &mut tx, chosen).await? else {
                // Another node is testing this provider. The transaction is dropped, so nothing was claimed.
                return Ok(Err(idle_poll));
            };
            chosen.waits_for_rate = !may_begin;
        }
    }
    operations::start(app, &mut tx, &job.operation_id).await?;
    queue::mark_served(app, &mut tx, &job).await?;
    tx.commit().await?;
    Ok(Ok(Assignment { job, route }))
}

fn choose(candidates: &routing::Candidates, job: &DrawingJob) -> Route {
    // An unreadable request fails before any provider is called.
    let Ok(request) = job.request() else {
        return Route::NoProvider;
    };
    route(candidates, &request, job.attempts, job.last_provider.as_deref())
}

/// The provider that an attempt would call; `last_provider` is the provider of the attempt before.
pub fn route(
    candidates: &routing::Candidates,
    request: &DrawingRequest,
    attempt: i64,
    last_provider: Option<&str>,
) -> Route {
    let with_reference = request
        .characters
        .iter()
        .filter(|character| character.reference.is_some());
    candidates.choose(Requirements {
        aspect: request.aspect,
        references: with_reference.count(),
        basis: match (&request.source, &request.refinement) {
            (Some(_), _) => Basis::Source,
            (None, Some(_)) => Basis::Edit,
            (None, None) => Basis::Text,
        },
        in_color: request.in_color,
        avoided: last_provider.filter(|_| attempt >= OTHER_PROVIDER_FROM_ATTEMPT),
        is_test: request.is_test,
    })
}
