//! The limits on the concurrent work of one process: calls per provider, and pictures that are cleaned, measured and
//! stored.
//!
//! A call that waits for the network does not count towards the limit on computing. A finished picture holds its
//! provider's place until its turn to be cleaned, so that pictures are not drawn faster than they can be cleaned.
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use linepress_plugin_host::ImageProvider;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use linepress_drawings::routing;
use linepress_platform::app::App;

pub(super) struct Capacity {
    /// The places of each provider, by provider id.
    providers: Mutex<HashMap<String, Arc<Places>>>,
    finishing: Arc<Semaphore>,
    freed: Arc<Notify>,
}

/// The places of one provider: one for each call that it may have at a time.
struct Places {
    /// The number of places. It changes with the settings and with the version of the plugin.
    calls: AtomicUsize,
    free: Arc<Semaphore>,
    /// Attempts assigned to the provider, including those that wait for a place or for their turn.
    attempts: AtomicUsize,
}

/// The right to make one call of a provider.
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    _freed: Freed,
}

/// An attempt counted at its provider until it is dropped.
pub(super) struct Attempt {
    places: Arc<Places>,
}

/// Notifies the dispatcher when it is dropped. `Place` declares it after the permit, so that the permit is released
/// first.
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
            calls: AtomicUsize::new(calls),
            free: Arc::new(Semaphore::new(calls)),
            attempts: AtomicUsize::new(0),
        }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Changes the number of places. Calls in progress keep theirs: places in excess are removed as they become free.
    fn resize(&self, calls: usize) {
        let before = self.calls.swap(calls, Ordering::Relaxed);
        if calls >= before {
            self.free.add_permits(calls - before);
            return;
        }
        let removed = self.free.forget_permits(before - calls);
        let taken = before - calls - removed;
        if taken == 0 {
            return;
        }
        let free = self.free.clone();
        // The semaphore serves its callers in order, so no call takes one of these places meanwhile.
        tokio::spawn(async move {
            for _ in 0..taken {
                if let Ok(permit) = free.acquire().await {
                    permit.forget();
                }
            }
        });
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

    fn places_for(&self, app: &App, provider: &ImageProvider) -> Arc<Places> {
        let id = &provider.description().id;
        let calls = app.live().concurrency(id, provider.uses_network());
        let mut providers = self.providers.lock().unwrap_or_else(PoisonError::into_inner);
        match providers.get(id) {
            Some(places) => {
                if places.calls() != calls {
                    places.resize(calls);
                }
                places.clone()
            }
            None => {
                let places = Arc::new(Places::new(calls));
                providers.insert(id.clone(), places.clone());
                places
            }
        }
    }

    pub(super) fn has_place(&self, app: &App, provider: &ImageProvider) -> bool {
        self.places_for(app, provider).free.available_permits() > 0
    }

    /// Returns whether the provider should get no further attempts. In addition to one attempt per place, as many
    /// attempts may wait for a place as pictures can be cleaned at a time, so that no place stays empty.
    pub(super) fn is_busy(&self, app: &App, provider: &ImageProvider) -> bool {
        let places = self.places_for(app, provider);
        places.attempts.load(Ordering::Relaxed) >= places.calls() + app.config.workers
    }

    /// The ids of the callable providers that are busy.
    pub(super) fn busy_providers(&self, app: &App) -> Vec<String> {
        let mut providers = routing::callable(app);
        providers.retain(|provider| self.is_busy(app, provider));
        providers
            .iter()
            .map(|provider| provider.description().id.clone())
            .collect()
    }

    /// Counts an attempt at the provider and takes one of its places if one is free.
    pub(super) fn begin(&self, app: &App, provider: &ImageProvider) -> (Attempt, Option<Place>) {
        let places = self.places_for(app, provider);
        places.attempts.fetch_add(1, Ordering::Relaxed);
        let permit = places.free.clone().try_acquire_owned().ok();
        let place = permit.map(|permit| self.place_from_permit(permit));
        (Attempt { places }, place)
    }

    /// Waits for a place of the provider, in order of arrival.
    pub(super) async fn wait_for_place(&self, app: &App, provider: &ImageProvider) -> Place {
        let places = self.places_for(app, provider);
        let permit = places.free.clone().acquire_owned().await;
        self.place_from_permit(permit.expect("the semaphore is never closed"))
    }

    fn place_from_permit(&self, permit: OwnedSemaphorePermit) -> Place {
        Place {
            _permit: permit,
            _freed: Freed(self.freed.clone()),
        }
    }

    /// Waits for a place to be freed. Returns at once when one was freed since the last call.
    pub(super) async fn wait_for_freed_place(&self) {
        self.freed.notified().await;
    }

    /// Waits for a picture's turn to be cleaned, measured and stored. At most `workers` pictures have theirs at a time.
    pub(super) async fn wait_for_finishing_turn(&self) -> OwnedSemaphorePermit {
        let permit = self.finishing.clone().acquire_owned().await;
        permit.expect("the semaphore is never closed")
    }

    /// Takes the turns of all pictures: none is cleaned before the permit is dropped.
    pub(super) async fn take_finishing_turns(&self) -> OwnedSemaphorePermit {
        let all = u32::try_from(self.finishing.available_permits()).unwrap_or(u32::MAX);
        let permit = self.finishing.clone().acquire_many_owned(all).await;
        permit.expect("the semaphore is never closed")
    }

    /// The maximum number of attempts in progress, over all providers.
    pub(super) fn max_attempts(&self, app: &App) -> usize {
        let of_providers = routing::callable(app)
            .iter()
            .map(|provider| self.places_for(app, provider).calls() + app.config.workers)
            .sum::<usize>();
        of_providers + app.config.workers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_follow_the_settings_and_calls_in_progress_keep_theirs() {
        let places = Places::new(3);
        let take = || places.free.clone().try_acquire_owned().ok();
        let (one, two) = (take(), take());
        assert!(one.is_some() && two.is_some());
        places.resize(1);
        assert!(take().is_none());
        drop(one);
        tokio::task::yield_now().await;
        assert!(take().is_none(), "the place of a call that ended was removed");
        drop(two);
        tokio::task::yield_now().await;
        let last = take();
        assert!(last.is_some() && take().is_none());
        places.resize(2);
        assert!(take().is_some());
    }
}
