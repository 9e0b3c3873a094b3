//! How much a process does at a time: calls of each provider, and pictures that are cleaned, measured and stored.
//!
//! A call that waits for the network takes no place of one that computes. A picture that was drawn keeps its provider's
//! place until its turn to be cleaned has come, so that no more are drawn than can be.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linepress_plugin_host::ImageProvider;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::app::App;
use crate::routing;

pub(super) struct Capacity {
    /// By provider, with how many there are: another version of a plugin may have more or fewer.
    places: Mutex<HashMap<String, (usize, Arc<Semaphore>)>>,
    finishing: Arc<Semaphore>,
    freed: Arc<Notify>,
}

/// A call that may be made.
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    freed: Freed,
}

/// Rings when a place is free. A field of its own, which is dropped after the permit.
struct Freed(Arc<Notify>);

impl Drop for Freed {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Capacity {
    pub(super) fn new(app: &App) -> Self {
        Self {
            places: Mutex::default(),
            finishing: Arc::new(Semaphore::new(app.config.workers)),
            freed: Arc::default(),
        }
    }

    fn places(&self) -> MutexGuard<'_, HashMap<String, (usize, Arc<Semaphore>)>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn places_of(&self, app: &App, provider: &ImageProvider) -> Arc<Semaphore> {
        let id = &provider.description().id;
        let calls = app.config.concurrency(id, provider.uses_network());
        let mut places = self.places();
        match places.get(id) {
            Some((known, semaphore)) if *known == calls => semaphore.clone(),
            _ => {
                let semaphore = Arc::new(Semaphore::new(calls));
                places.insert(id.clone(), (calls, semaphore.clone()));
                semaphore
            }
        }
    }

    pub(super) fn has_place(&self, app: &App, provider: &ImageProvider) -> bool {
        self.places_of(app, provider).available_permits() > 0
    }

    /// A place of the provider, if one is free.
    pub(super) fn try_place(&self, app: &App, provider: &ImageProvider) -> Option<Place> {
        let permit = self.places_of(app, provider).try_acquire_owned().ok()?;
        Some(self.place_of(permit))
    }

    /// A place of the provider, in order of arrival.
    pub(super) async fn place(&self, app: &App, provider: &ImageProvider) -> Place {
        let permit = self.places_of(app, provider).acquire_owned().await;
        self.place_of(permit.expect("the semaphore is never closed"))
    }

    fn place_of(&self, permit: OwnedSemaphorePermit) -> Place {
        Place {
            _permit: permit,
            freed: Freed(self.freed.clone()),
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

    /// How many attempts may be under way, those that wait for a place or their turn among them.
    pub(super) fn attempts(&self, app: &App) -> usize {
        let places = routing::loaded(app)
            .iter()
            .map(|provider| {
                app.config
                    .concurrency(&provider.description().id, provider.uses_network())
            })
            .sum::<usize>();
        places + app.config.workers
    }
}

impl Place {
    /// Ends the call.
    pub(super) fn leave(self) {
        let Self { _permit, freed } = self;
        drop(_permit);
        drop(freed);
    }
}
