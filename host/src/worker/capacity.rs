//! How much a process does at a time: calls of each provider, and pictures that are cleaned, measured and stored.
//!
//! A call that waits for the network takes no place of one that computes. A picture that was drawn keeps its provider's
//! place until its turn to be cleaned has come, so that no more are drawn than can be.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use linepress_plugin_host::ImageProvider;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::app::App;
use crate::routing;

pub(super) struct Capacity {
    /// By provider.
    providers: Mutex<HashMap<String, Arc<Places>>>,
    finishing: Arc<Semaphore>,
    freed: Arc<Notify>,
}

/// The places of one provider.
struct Places {
    /// How many there are: another version of a plugin may have more or fewer.
    calls: usize,
    free: Arc<Semaphore>,
    demand: Mutex<Demand>,
}

/// How much is asked of a provider.
#[derive(Default)]
struct Demand {
    /// Attempts that are its own, those that wait for a place or their turn among them.
    attempts: usize,
    /// Drawings that were put back, less the calls that began since.
    put_back: u32,
    /// What a call takes, those of late above all.
    call: Duration,
}

/// A call that may be made.
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    places: Arc<Places>,
    began: Instant,
    _freed: Freed,
}

/// An attempt at a provider, for as long as it lasts.
pub(super) struct Attempt {
    places: Arc<Places>,
}

/// Rings when a place is free. A field of its own, which is dropped after the permit.
struct Freed(Arc<Notify>);

impl Drop for Freed {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.places.demand().attempts -= 1;
    }
}

impl Places {
    fn new(calls: usize) -> Self {
        Self {
            calls,
            free: Arc::new(Semaphore::new(calls)),
            demand: Mutex::default(),
        }
    }

    fn demand(&self) -> MutexGuard<'_, Demand> {
        self.demand.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Demand {
    /// About when one more drawing that is put back will have a place.
    fn wait(&mut self, places: usize) -> Duration {
        const SHORTEST: Duration = Duration::from_secs(1);
        /// Calls may become faster, and another node may have a place.
        const LONGEST: Duration = Duration::from_secs(60);
        let places = u32::try_from(places).unwrap_or(u32::MAX).max(1);
        let rounds = self.put_back / places + 1;
        self.put_back = self.put_back.saturating_add(1);
        self.call.max(SHORTEST).saturating_mul(rounds).min(LONGEST)
    }

    fn called(&mut self, took: Duration) {
        self.call = match self.call {
            Duration::ZERO => took,
            before => (before * 3 + took) / 4,
        };
    }
}

impl Capacity {
    pub(super) fn new(app: &App) -> Self {
        Self {
            providers: Mutex::default(),
            finishing: Arc::new(Semaphore::new(app.config.workers)),
            freed: Arc::default(),
        }
    }

    fn places_of(&self, app: &App, provider: &ImageProvider) -> Arc<Places> {
        let id = &provider.description().id;
        let calls = app.config.concurrency(id, provider.uses_network());
        let mut providers = self.providers.lock().unwrap_or_else(PoisonError::into_inner);
        match providers.get(id) {
            Some(places) if places.calls == calls => places.clone(),
            _ => {
                let places = Arc::new(Places::new(calls));
                providers.insert(id.clone(), places.clone());
                places
            }
        }
    }

    pub(super) fn has_place(&self, app: &App, provider: &ImageProvider) -> bool {
        self.places_of(app, provider).free.available_permits() > 0
    }

    /// For how long a drawing goes back to the queue because its provider has enough to do. Those that wait for a place
    /// nevertheless are as many as can be cleaned at a time: none of the places is to stay empty.
    pub(super) fn put_back(&self, app: &App, provider: &ImageProvider) -> Option<Duration> {
        let places = self.places_of(app, provider);
        let mut demand = places.demand();
        let is_full = demand.attempts >= places.calls + app.config.workers;
        is_full.then(|| demand.wait(places.calls))
    }

    /// Counts an attempt at the provider, and takes a place for it, if one is free.
    pub(super) fn begin(&self, app: &App, provider: &ImageProvider) -> (Attempt, Option<Place>) {
        let places = self.places_of(app, provider);
        places.demand().attempts += 1;
        let permit = places.free.clone().try_acquire_owned().ok();
        let place = permit.map(|permit| self.place_of(permit, places.clone()));
        (Attempt { places }, place)
    }

    /// A place of the provider, in order of arrival.
    pub(super) async fn place(&self, app: &App, provider: &ImageProvider) -> Place {
        let places = self.places_of(app, provider);
        let permit = places.free.clone().acquire_owned().await;
        self.place_of(permit.expect("the semaphore is never closed"), places)
    }

    fn place_of(&self, permit: OwnedSemaphorePermit, places: Arc<Places>) -> Place {
        {
            let mut demand = places.demand();
            demand.put_back = demand.put_back.saturating_sub(1);
        }
        Place {
            _permit: permit,
            places,
            began: Instant::now(),
            _freed: Freed(self.freed.clone()),
        }
    }

    /// Waits until a place was freed since this was last asked.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// A picture's turn to be cleaned, measured and stored.
    pub(super) async fn finish(&self) -> OwnedSemaphorePermit {
        let permit = self.finishing.clone().acquire_owned().await;
        permit.expect("the semaphore is never closed")
    }

    /// How many attempts may be under way in all.
    pub(super) fn attempts(&self, app: &App) -> usize {
        let of_providers = routing::loaded(app)
            .iter()
            .map(|provider| self.places_of(app, provider).calls + app.config.workers)
            .sum::<usize>();
        of_providers + app.config.workers
    }
}

impl Place {
    /// Ends the call.
    pub(super) fn leave(self) {
        self.places.demand().called(self.began.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_put_back_waits_for_those_before_and_for_no_longer_than_a_minute() {
        let mut demand = Demand::default();
        assert_eq!(demand.wait(1), Duration::from_secs(1));
        demand.called(Duration::from_secs(20));
        demand.called(Duration::from_secs(8));
        let waits: Vec<u64> = (0..6).map(|_| demand.wait(2).as_secs()).collect();
        assert_eq!(waits, [17, 34, 34, 51, 51, 60]);
        demand.put_back = u32::MAX;
        assert_eq!(demand.wait(2), Duration::from_secs(60));
    }
}
