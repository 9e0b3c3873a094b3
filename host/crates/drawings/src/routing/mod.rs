//! Routing of drawings to image providers: the order of the providers, which of them may be called now, and which of
//! them draws what.
//!
//! The state of a provider is one row that all nodes share, timed by the clock of the leases. There are crates for
//! circuit breakers, but each keeps its state in one process, and most read the system's clock.
mod choice;
mod store;
mod switches;

use std::collections::HashMap;
use std::time::Duration;

use linepress_metrics::ProviderReport;
use linepress_plugin_host::{CallError, ImageProvider};

use crate::queue::{Work, backoff};
use linepress_platform::app::App;
use linepress_platform::config::{Config, TEST_PROVIDER};
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

pub use choice::{Basis, ChosenProvider, Requirements, Route};
pub use switches::{ProviderState, ProviderSwitch, end_pause, states, switch_off, switch_on};

/// The number of consecutive failures after which a provider is paused.
const FAILURES_BEFORE_PAUSE: i64 = 5;

/// Maximum time for which a probe keeps all other calls from its provider. A probe is a call that tests whether a
/// provider works again. A longer one is not waited for, because its process may have died.
const PROBE_TIMEOUT: Duration = Duration::from_secs(60);

/// The delay of a drawing that no loaded provider can draw, while a provider of the settings is not loaded.
const UNLOADED_PROVIDER_DELAY: Duration = Duration::from_secs(60);

/// The delay of a drawing whose providers an operator switched off.
const SWITCHED_OFF_DELAY: Duration = Duration::from_secs(60);

/// A loaded provider of the settings and its current state.
#[derive(Clone)]
pub struct Candidate {
    pub provider: ImageProvider,
    /// The time until it may be called again. Zero when it is not paused.
    pub closed_for: Duration,
    /// The time until its rate limit allows another call.
    pub busy_for: Duration,
    /// True when it has failed `FAILURES_BEFORE_PAUSE` times in a row or more, so that the next call is a probe.
    pub on_trial: bool,
    /// True when an operator switched it off.
    pub is_off: bool,
}

/// The loaded providers in the order of the settings.
pub struct Candidates {
    candidates: Vec<Candidate>,
    /// True when the settings name a provider that is not loaded.
    some_are_missing: bool,
    /// The provider for test keys. Pauses, switches and rates do not concern it: tests neither wait for the trouble of
    /// the providers nor cause any.
    test: Option<Candidate>,
}

/// The provider calls of one attempt.
#[derive(Debug)]
pub struct ProviderCalls {
    pub work: Work,
    /// The error of the last call. None once a call has drawn a picture, unless a later one met a rate limit.
    pub last_error: Option<CallError>,
    /// True when the first call tested whether a failing provider works again.
    pub is_probe: bool,
}

impl ProviderCalls {
    /// No calls yet of the chosen provider.
    pub fn new(chosen: &ChosenProvider) -> Self {
        let description = chosen.provider.description();
        Self {
            work: Work {
                provider: description.id.clone(),
                version: description.version.clone(),
                model: None,
                took: Duration::ZERO,
                cost_microdollars: 0,
            },
            last_error: None,
            is_probe: chosen.is_probe,
        }
    }

    /// The last error, if the provider is at fault. A provider that rejects a request is working.
    pub fn failure(&self) -> Option<&CallError> {
        self.last_error.as_ref().filter(|error| !error.is_final())
    }
}

/// The loaded providers, in the order of the settings.
pub fn loaded(app: &App) -> Vec<ImageProvider> {
    loaded_of(app, &app.live())
}

fn loaded_of(app: &App, settings: &Config) -> Vec<ImageProvider> {
    let ids = settings.image_providers.iter();
    ids.filter_map(|id| app.plugins.image_provider(id)).collect()
}

/// Every loaded provider that may be called: those of the settings, and the one for test keys.
pub fn callable(app: &App) -> Vec<ImageProvider> {
    let mut providers = loaded(app);
    if !providers.iter().any(|provider| id_of(provider) == TEST_PROVIDER) {
        providers.extend(app.plugins.image_provider(TEST_PROVIDER));
    }
    providers
}

/// Returns whether a provider is loaded that draws for a caller with a test key, or for the others.
pub fn is_any_loaded_for(app: &App, is_test: bool) -> bool {
    !loaded_for(app, is_test).is_empty()
}

/// Returns whether a provider is loaded for the caller, as in [`is_any_loaded_for`], that looks at the pictures of
/// characters.
pub fn is_any_following_pictures(app: &App, is_test: bool) -> bool {
    let loaded = loaded_for(app, is_test);
    loaded.iter().any(|provider| provider.description().max_references > 0)
}

/// The loaded providers for a caller with a test key, or for the others.
fn loaded_for(app: &App, is_test: bool) -> Vec<ImageProvider> {
    match is_test {
        true => app.plugins.image_provider(TEST_PROVIDER).into_iter().collect(),
        false => loaded(app),
    }
}

/// Returns whether any provider of the settings is loaded.
pub fn is_any_loaded(app: &App) -> bool {
    !loaded(app).is_empty()
}

/// The reason why nothing can be drawn at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// No provider of the settings is loaded, so no order is accepted.
    NotLoaded,
    /// Every loaded provider failed `FAILURES_BEFORE_PAUSE` times in a row or more, or is switched off. Accepted
    /// drawings wait.
    Failing,
}

/// The present outage of all image providers. None while at least one of them works.
pub async fn outage(app: &App) -> Result<Option<Outage>> {
    if !is_any_loaded(app) {
        return Ok(Some(Outage::NotLoaded));
    }
    Ok(candidates(app).await?.are_all_down().then_some(Outage::Failing))
}

/// Reads the current state of the loaded providers.
pub async fn candidates(app: &App) -> Result<Candidates> {
    let live = app.live();
    let loaded = loaded_of(app, &live);
    let ids: Vec<&str> = loaded.iter().map(id_of).collect();
    let mut states = match ids.is_empty() {
        true => HashMap::new(),
        false => store::states(app.lease_clock(), &app.database.read, &ids).await?,
    };
    let candidates = loaded.iter().map(|provider| {
        let state = states.remove(id_of(provider)).unwrap_or_default();
        let is_limited = live.provider(id_of(provider)).per_minute.is_some();
        Candidate {
            provider: provider.clone(),
            on_trial: state.failures >= FAILURES_BEFORE_PAUSE,
            is_off: state.is_off(),
            closed_for: match state.failures >= FAILURES_BEFORE_PAUSE {
                _ if state.is_off() => SWITCHED_OFF_DELAY,
                true => state.paused_for().max(state.probed_for()),
                false => state.paused_for(),
            },
            busy_for: if is_limited { state.busy_for() } else { Duration::ZERO },
        }
    });
    Ok(Candidates {
        candidates: candidates.collect(),
        some_are_missing: loaded.len() < live.image_providers.len(),
        test: app.plugins.image_provider(TEST_PROVIDER).map(|provider| Candidate {
            provider,
            closed_for: Duration::ZERO,
            busy_for: Duration::ZERO,
            on_trial: false,
            is_off: false,
        }),
    })
}

/// The providers of the settings, with their availability.
pub async fn report(app: &App) -> Result<Vec<ProviderReport>> {
    let candidates = candidates(app).await?.candidates;
    let is_open = |id: &String| {
        let mut open = candidates.iter().filter(|candidate| candidate.closed_for.is_zero());
        open.any(|candidate| id_of(&candidate.provider) == id)
    };
    let live = app.live();
    Ok(live
        .image_providers
        .iter()
        .map(|id| ProviderReport {
            id: id.clone(),
            is_available: is_open(id),
        })
        .collect())
}

fn id_of(provider: &ImageProvider) -> &str {
    &provider.description().id
}

/// Admits a call of the chosen provider. Returns true when the call may begin at once and false when it must first wait
/// for the provider's rate limit. None when another node is probing the provider: no other call is made then.
pub async fn admit(app: &App, tx: &mut Tx, chosen: &ChosenProvider) -> Result<Option<bool>> {
    let id = chosen.id();
    let clock = app.lease_clock();
    if chosen.is_probe && !store::probe(clock, tx, id, FAILURES_BEFORE_PAUSE, PROBE_TIMEOUT).await? {
        return Ok(None);
    }
    match call_interval(app, id) {
        Some(between) => Ok(Some(store::take_turn(clock, tx, id, between).await?)),
        None => Ok(Some(true)),
    }
}

/// Ends the probe of a provider by an attempt that ended before a call.
pub async fn end_probe(tx: &mut Tx, id: &str) -> Result<()> {
    Ok(store::end_probe(tx, id).await?)
}

/// The answer to the question whether a plugin that is paused like a provider may be called.
pub(crate) enum Admission {
    /// It may be called. It has failed this many times in a row.
    Call { failures: i64 },
    /// It is paused, or another call tests whether it works again. It may be called after this time.
    Paused(Duration),
}

/// Admits a call of a plugin that is paused like a provider. After the pause of a plugin that failed repeatedly, one
/// call tests whether it works again, and no other is admitted until that has ended.
pub(crate) async fn admit_call(app: &App, id: &str) -> Result<Admission> {
    /// The delay after which another call may find that the probe has ended.
    const PROBE_RETRY_DELAY: Duration = Duration::from_secs(5);
    let clock = app.lease_clock();
    let mut states = store::states(clock, &app.database.read, &[id]).await?;
    let state = states.remove(id).unwrap_or_default();
    let failures = state.failures;
    if !state.paused_for().is_zero() {
        return Ok(Admission::Paused(state.paused_for()));
    }
    if failures < FAILURES_BEFORE_PAUSE {
        return Ok(Admission::Call { failures });
    }
    let mut tx = app.database.begin().await?;
    let is_admitted = store::probe(clock, &mut tx, id, FAILURES_BEFORE_PAUSE, PROBE_TIMEOUT).await?;
    tx.commit().await?;
    Ok(match is_admitted {
        true => Admission::Call { failures },
        false => Admission::Paused(PROBE_RETRY_DELAY),
    })
}

/// Waits until the provider's rate limit allows another call. Returns false when an operator switches the provider off
/// meanwhile.
pub async fn wait_for_turn(app: &App, id: &str) -> Result<bool> {
    /// The interval at which the switch is read while the rate limit allows no call.
    const SWITCH_POLL_INTERVAL: Duration = Duration::from_secs(1);
    const MIN_POLL_INTERVAL: Duration = Duration::from_millis(10);
    let Some(between) = call_interval(app, id) else {
        return Ok(true);
    };
    loop {
        let mut tx = app.database.begin().await?;
        let taken = store::take_turn(app.lease_clock(), &mut tx, id, between).await?;
        tx.commit().await?;
        if taken {
            return Ok(true);
        }
        let mut states = store::states(app.lease_clock(), &app.database.read, &[id]).await?;
        let state = states.remove(id).unwrap_or_default();
        if state.is_off() {
            return Ok(false);
        }
        tokio::time::sleep(state.busy_for().clamp(MIN_POLL_INTERVAL, SWITCH_POLL_INTERVAL)).await;
    }
}

/// The interval between calls under the provider's rate limit, None without a limit. Calls are spread evenly, so the
/// limit holds for whichever minute the provider counts.
fn call_interval(app: &App, id: &str) -> Option<Duration> {
    let calls = app.live().provider(id).per_minute?;
    Some(Duration::from_secs(60) / calls)
}

/// The delay of a drawing after another failure of its provider. Zero once the provider has failed often enough to be
/// paused, because the drawing can then go to another provider.
pub async fn delay_after_failure(tx: &mut Tx, id: &str) -> Result<Duration> {
    let failures = store::failures(tx, id).await? + 1;
    Ok(if failures < FAILURES_BEFORE_PAUSE {
        backoff(failures)
    } else {
        Duration::ZERO
    })
}

/// Records for all nodes the state of a provider as its last call showed it. Returns how long the provider is paused
/// from now on, None when no new pause begins.
pub async fn record(app: &App, tx: &mut Tx, calls: &ProviderCalls) -> Result<Option<Duration>> {
    record_result(app, tx, &calls.work.provider, calls.failure()).await
}

/// Records for all nodes the result of a call of a plugin that is paused like a provider. Returns how long it is paused
/// from now on, None when no new pause begins.
pub(crate) async fn record_result(
    app: &App,
    tx: &mut Tx,
    id: &str,
    failure: Option<&CallError>,
) -> Result<Option<Duration>> {
    const MAX_PAUSE: Duration = Duration::from_secs(3600);
    const MIN_PAUSE_WITHOUT_HINT: Duration = Duration::from_secs(2);
    let clock = app.lease_clock();
    let Some(failure) = failure else {
        store::forget_failures(tx, id).await?;
        return Ok(None);
    };
    let (failures, is_paused) = store::record_failure(clock, tx, id).await?;
    let pause = match failure {
        CallError::RateLimited(_) => Some(match failure.retry_after() {
            Some(pause) => pause.min(MAX_PAUSE),
            None => backoff(failures).max(MIN_PAUSE_WITHOUT_HINT),
        }),
        // A call that fails during a pause began before it.
        _ if failures >= FAILURES_BEFORE_PAUSE && !is_paused => Some(backoff(failures)),
        _ => None,
    };
    if let Some(pause) = pause {
        store::pause(clock, tx, id, pause).await?;
    }
    Ok(pause)
}
