//! Claiming: the next drawing, and the provider that is to draw it.
//!
//! Which provider that is, only the drawing itself tells. One whose provider has enough to do goes back to the queue, and waits
//! there for that provider: what others can draw at once goes first, and of those that wait for it the oldest is next.
use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use linepress_plugin_host::ImageProvider;

use super::capacity::Capacity;
use crate::app::App;
use crate::error::Result;
use crate::operations;
use crate::queue::{self, DrawingJob};
use crate::routing::{self, Candidate, Choice, Wanted};

/// From this attempt on, a drawing goes to another provider than the one that failed it, if there is one.
const ELSEWHERE: i64 = 3;

/// A drawing that was claimed, and what is to be done with it.
#[derive(Clone)]
pub struct Assignment {
    job: DrawingJob,
    pub(super) route: Route,
}

#[derive(Clone)]
pub(super) enum Route {
    Provider {
        provider: ImageProvider,
        /// The call finds out whether the provider works again.
        on_trial: bool,
        /// Whether its rate has to be waited for.
        waits: bool,
    },
    /// Its providers may not be asked for so long.
    Later(Duration),
    /// No provider of the settings draws such a picture.
    Nobody,
}

impl Assignment {
    pub(super) fn provider(&self) -> Option<&ImageProvider> {
        match &self.route {
            Route::Provider { provider, .. } => Some(provider),
            Route::Later(_) | Route::Nobody => None,
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

/// What there is to do.
pub(super) enum Next {
    Work(Box<Assignment>),
    /// A drawing was put back. There may be others.
    PutBack,
    /// For so long, where that is known.
    Nothing {
        for_now: Option<Duration>,
    },
}

/// Takes the next drawing, if there is one and a provider that may be asked now.
pub async fn claim(app: &App) -> Result<Option<Assignment>> {
    // Nothing is under way in it, so nothing is put back.
    match next(app, &Capacity::new(app)).await? {
        Next::Work(assignment) => Ok(Some(*assignment)),
        Next::PutBack | Next::Nothing { .. } => Ok(None),
    }
}

/// The same while some provider has a place.
pub(super) async fn next(app: &App, capacity: &Capacity) -> Result<Next> {
    const NOTHING: Next = Next::Nothing { for_now: None };
    let has_place = |provider: &ImageProvider| capacity.has_place(app, provider);
    if !routing::loaded(app).iter().any(has_place) || !queue::is_anything_due(app).await? {
        return Ok(NOTHING);
    }
    let candidates = routing::look(app).await?;
    let first = candidates.first_choices();
    let ready = first.iter().filter(|candidate| has_place(&candidate.provider));
    match ready.map(|candidate| candidate.busy_for).min() {
        None => return Ok(NOTHING),
        Some(busy_for) if !busy_for.is_zero() => {
            return Ok(Next::Nothing {
                for_now: Some(busy_for),
            });
        }
        Some(_) => {}
    }
    let Some((job, mut tx)) = queue::claim(app, &capacity.busy(app)).await? else {
        return Ok(NOTHING);
    };
    let route = match choose(&candidates, &job) {
        Choice::Candidate(candidate) => {
            if capacity.is_busy(app, &candidate.provider) {
                let waits_for = &*candidate.provider.description().id;
                queue::unclaim(app, &mut tx, &job, Some(waits_for)).await?;
                queue::served(app, &mut tx, &job).await?;
                tx.commit().await?;
                return Ok(Next::PutBack);
            }
            match routing::admit(app, &mut tx, candidate).await? {
                Some(has_turn) => route(candidate, has_turn),
                // Another node tries it at this moment. Nothing was claimed.
                None => return Ok(NOTHING),
            }
        }
        Choice::Later(after) => Route::Later(after),
        Choice::Nobody => Route::Nobody,
    };
    operations::start(app, &mut tx, &job.operation_id).await?;
    queue::served(app, &mut tx, &job).await?;
    tx.commit().await?;
    Ok(Next::Work(Box::new(Assignment { job, route })))
}

fn route(candidate: &Candidate, has_turn: bool) -> Route {
    Route::Provider {
        provider: candidate.provider.clone(),
        on_trial: candidate.on_trial,
        waits: !has_turn,
    }
}

fn choose<'a>(candidates: &'a routing::Candidates, job: &DrawingJob) -> Choice<'a> {
    // What cannot be read ends the attempt before anybody is asked.
    let Ok(request) = job.request() else {
        return Choice::Nobody;
    };
    let with_reference = request
        .characters
        .iter()
        .filter(|character| character.reference.is_some());
    candidates.choose(Wanted {
        aspect: request.aspect,
        references: with_reference.count(),
        source: request.source.is_some(),
        avoided: job.last_provider.as_deref().filter(|_| job.attempts >= ELSEWHERE),
    })
}
