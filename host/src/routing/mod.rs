//! Image providers side by side: their order, which of them may be asked now, and which of them draws what.
//!
//! What is known of a provider stands in one row that all nodes share, and is measured on the clock of the leases. There
//! are crates for circuit breakers, but each keeps its state in one process, and most read the system's clock.
mod choice;
mod store;

use std::collections::HashMap;
use std::time::Duration;

use linepress_plugin_host::{CallError, ImageProvider};

use crate::app::App;
use crate::database::Tx;
use crate::error::Result;
use crate::queue::backoff;

pub(crate) use choice::{Choice, Wanted};

/// So many failures one after the other, and the provider is left alone for a while.
const BREAKS_AFTER: i64 = 5;

/// How long one call that tries whether a provider works again keeps all others from it, unless it ends before. One that
/// takes longer is not waited for: its process may have died.
const PROBE: Duration = Duration::from_secs(60);

/// How long a drawing waits that none of the loaded providers can draw, while one that may is not loaded.
const UNTIL_LOADED: Duration = Duration::from_secs(60);

/// A provider that the settings name and that is loaded.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub provider: ImageProvider,
    /// How long nobody is to ask it.
    pub closed_for: Duration,
    /// How long until its rate allows another call.
    pub busy_for: Duration,
    /// It failed again and again: one call is to find out whether it works.
    pub on_trial: bool,
}

/// The loaded providers in the order of the settings.
pub(crate) struct Candidates {
    candidates: Vec<Candidate>,
    /// Whether the settings name one that is not loaded.
    some_are_missing: bool,
}

/// What a call tells about its provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It drew, or declined to.
    Works,
    Fails,
    /// It is to be left alone, for so long if it says so.
    Limits(Option<Duration>),
}

impl Sign {
    pub(crate) fn of(error: &CallError) -> Self {
        match error {
            CallError::Refused(_) | CallError::Invalid(_) => Self::Works,
            CallError::RateLimited(_) => Self::Limits(error.retry_after()),
            CallError::Unavailable(_)
            | CallError::Failed(_)
            | CallError::Trapped(_)
            | CallError::Deadline(_)
            | CallError::OutOfMemory { .. }
            | CallError::ResponseTooLarge { .. }
            | CallError::InvalidResponse(_) => Self::Fails,
        }
    }
}

/// The providers of the settings that are loaded now, in their order.
pub(crate) fn loaded(app: &App) -> Vec<ImageProvider> {
    let ids = app.config.image_providers.iter();
    ids.filter_map(|id| app.plugins.image_provider(id).cloned()).collect()
}

/// Whether anything can be drawn.
pub(crate) fn is_any_loaded(app: &App) -> bool {
    !loaded(app).is_empty()
}

/// What is known of the loaded providers at this moment.
pub(crate) async fn look(app: &App) -> Result<Candidates> {
    let loaded = loaded(app);
    let ids: Vec<&str> = loaded.iter().map(id_of).collect();
    let mut states = match ids.is_empty() {
        true => HashMap::new(),
        false => store::states(app.lease_clock(), &app.database.read, &ids).await?,
    };
    let candidates = loaded.iter().map(|provider| {
        let state = states.remove(id_of(provider)).unwrap_or_default();
        let is_limited = app.config.provider(id_of(provider)).per_minute.is_some();
        Candidate {
            provider: provider.clone(),
            on_trial: state.failures >= BREAKS_AFTER,
            closed_for: match state.failures >= BREAKS_AFTER {
                true => state.paused_for().max(state.probed_for()),
                false => state.paused_for(),
            },
            busy_for: if is_limited { state.busy_for() } else { Duration::ZERO },
        }
    });
    Ok(Candidates {
        candidates: candidates.collect(),
        some_are_missing: loaded.len() < app.config.image_providers.len(),
    })
}

fn id_of(provider: &ImageProvider) -> &str {
    &provider.description().id
}

/// Admits a call of the provider that was chosen, and tells whether it may begin at once, as far as its rate is concerned.
/// Nothing when another node tries at this moment whether the provider works: no other call is made then.
pub(crate) async fn admit(app: &App, tx: &mut Tx, candidate: &Candidate) -> Result<Option<bool>> {
    let id = id_of(&candidate.provider);
    let clock = app.lease_clock();
    if candidate.on_trial && !store::probe(clock, tx, id, BREAKS_AFTER, PROBE).await? {
        return Ok(None);
    }
    match between_calls(app, id) {
        Some(between) => Ok(Some(store::take_turn(clock, tx, id, between).await?)),
        None => Ok(Some(true)),
    }
}

/// Waits until the provider's rate allows another call.
pub(crate) async fn wait_for_turn(app: &App, id: &str) -> Result<()> {
    let Some(between) = between_calls(app, id) else {
        return Ok(());
    };
    loop {
        let mut tx = app.database.begin().await?;
        let taken = store::take_turn(app.lease_clock(), &mut tx, id, between).await?;
        tx.commit().await?;
        if taken {
            return Ok(());
        }
        let states = store::states(app.lease_clock(), &app.database.read, &[id]).await?;
        let busy_for = states.get(id).map(store::State::busy_for).unwrap_or_default();
        tokio::time::sleep(busy_for.max(Duration::from_millis(10))).await;
    }
}

/// Evenly spread: whatever minute a provider counts, there are no more calls in it.
fn between_calls(app: &App, id: &str) -> Option<Duration> {
    let calls = app.config.provider(id).per_minute?;
    Some(Duration::from_secs(60) / calls)
}

/// How long a drawing waits after one more failure of its provider. That one is left alone for longer when it failed too
/// often; then the drawing need not wait for it.
pub(crate) async fn delay_after_failure(tx: &mut Tx, id: &str) -> Result<Duration> {
    let failures = store::failures(tx, id).await? + 1;
    Ok(if failures < BREAKS_AFTER {
        backoff(failures)
    } else {
        Duration::ZERO
    })
}

/// Writes down what a call told about its provider, for all nodes. Returns for how long it is left alone from now on.
pub(crate) async fn record(app: &App, tx: &mut Tx, id: &str, sign: Sign) -> Result<Option<Duration>> {
    const LONGEST: Duration = Duration::from_secs(3600);
    const SHORTEST: Duration = Duration::from_secs(2);
    let clock = app.lease_clock();
    if sign == Sign::Works {
        store::forget_failures(tx, id).await?;
        return Ok(None);
    }
    let (failures, is_paused) = store::record_failure(clock, tx, id).await?;
    let pause = match sign {
        Sign::Limits(Some(seconds)) => Some(seconds.min(LONGEST)),
        Sign::Limits(None) => Some(backoff(failures).max(SHORTEST)),
        // What fails while it is left alone had begun before.
        Sign::Fails if failures >= BREAKS_AFTER && !is_paused => Some(backoff(failures)),
        Sign::Works | Sign::Fails => None,
    };
    if let Some(pause) = pause {
        store::pause(clock, tx, id, pause).await?;
    }
    Ok(pause)
}
