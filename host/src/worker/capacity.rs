//! How much a process does at a time: calls of each provider, and pictures that are cleaned, measured and stored.
//!
//! A call that waits for the network takes no place of one that computes. A picture that was drawn keeps its provider's
//! place until its turn to be cleaned has come, so that no more are drawn than can be.
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Attempts that are its own, those that wait for a place or their turn among them.
    attempts: AtomicUsize,
}

/// A call that may be made.
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
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
        self.places.attempts.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Places {
    fn new(calls: usize) -> Self {
        Self {
            calls,
            free: Arc::new(Semaphore::new(calls)),
            attempts: AtomicUsize::new(0),
        }
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

    /// Whether the provider has enough to do. Those that wait for a place nevertheless are as many as can be cleaned at a time:
    /// none of the places is to stay empty.
    pub(super) fn is_busy(&self, app: &App, provider: &ImageProvider) -> bool {
        let places = self.places_of(app, provider);
        places.attempts.load(Ordering::Relaxed) >= places.calls + app.config.workers
    }

    /// The ids of those that have.
    pub(super) fn busy(&self, app: &App) -> Vec<String> {
        let mut providers = routing::loaded(app);
        providers.retain(|provider| self.is_busy(app, provider));
        providers
            .iter()
            .map(|provider| provider.description().id.clone())
            .collect()
    }

    /// Counts an attempt at the provider, and takes a place for it, if one is free.
    pub(super) fn begin(&self, app: &App, provider: &ImageProvider) -> (Attempt, Option<Place>) {
        let places = self.places_of(app, provider);
        places.attempts.fetch_add(1, Ordering::Relaxed);
        let permit = places.free.clone().try_acquire_owned().ok();
        let place = permit.map(|permit| self.place_of(permit));
        (Attempt { places }, place)
    }

    /// A place of the provider, in order of arrival.
    pub(super) async fn place(&self, app: &App, provider: &ImageProvider) -> Place {
        let places = self.places_of(app, provider);
        let permit = places.free.clone().acquire_owned().await;
        self.place_of(permit.expect("the semaphore is never closed"))
    }

    fn place_of(&self, permit: OwnedSemaphorePermit) -> Place {
        Place {
            _permit: permit,
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
