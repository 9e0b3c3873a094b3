//! A semaphore that accounts share, such that no account takes all of its permits.
use std::collections::HashMap;
use std::collections::hash_map;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ids::AccountId;

/// A semaphore with a total limit and a limit per account. Cheap to clone; the clones share the same permits.
///
/// Waiting requests are served in order of arrival: first among the requests of the same account, and then among all
/// accounts that are below their limit. Dropping a waiting future gives up its turn.
#[derive(Clone, Debug)]
pub struct FairShare(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    per_account: usize,
    total: Arc<Semaphore>,
    /// Only the accounts that hold a permit or wait for one.
    accounts: Mutex<HashMap<AccountId, Share>>,
}

/// The part of one account.
#[derive(Debug)]
struct Share {
    places: Arc<Semaphore>,
    /// The number of permits that are held or waited for.
    members: usize,
}

/// A permit, released when it is dropped. It has no lifetime, so that it can be moved to another thread.
#[derive(Debug)]
pub struct Permit {
    // The order of the fields is the order of dropping: the account's entry is removed last.
    _of_all: OwnedSemaphorePermit,
    _of_account: OwnedSemaphorePermit,
    _member: Member,
}

/// No permit became free in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no permit became free in time")]
pub struct NoPlace;

impl FairShare {
    pub fn new(per_account: usize, total: usize) -> Self {
        Self(Arc::new(Parts {
            per_account: per_account.max(1),
            total: Arc::new(Semaphore::new(total.max(1))),
            accounts: Mutex::default(),
        }))
    }

    /// Waits for a permit without a time limit.
    pub async fn acquire(&self, account: &AccountId) -> Permit {
        let (member, places) = self.join(account);
        let of_account = places.acquire_owned().await.expect("the semaphore is never closed");
        let of_all = self
            .0
            .total
            .clone()
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        Permit {
            _of_all: of_all,
            _of_account: of_account,
            _member: member,
        }
    }

    /// Waits for a permit for at most `limit`.
    pub async fn within(&self, account: &AccountId, limit: Duration) -> Result<Permit, NoPlace> {
        tokio::time::timeout(limit, self.acquire(account))
            .await
            .map_err(|_| NoPlace)
    }

    /// Takes a permit if one is free now.
    pub fn try_acquire(&self, account: &AccountId) -> Result<Permit, NoPlace> {
        let (member, places) = self.join(account);
        let of_account = places.try_acquire_owned().map_err(|_| NoPlace)?;
        let of_all = self.0.total.clone().try_acquire_owned().map_err(|_| NoPlace)?;
        Ok(Permit {
            _of_all: of_all,
            _of_account: of_account,
            _member: member,
        })
    }

    fn join(&self, account: &AccountId) -> (Member, Arc<Semaphore>) {
        let mut accounts = self.0.accounts();
        let share = accounts.entry(account.clone()).or_insert_with(|| Share {
            places: Arc::new(Semaphore::new(self.0.per_account)),
            members: 0,
        });
        share.members += 1;
        let member = Member {
            parts: self.0.clone(),
            account: account.clone(),
        };
        (member, share.places.clone())
    }
}

impl Parts {
    fn accounts(&self) -> MutexGuard<'_, HashMap<AccountId, Share>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the account's entry in the map. The last member to be dropped removes the entry.
#[derive(Debug)]
struct Member {
    parts: Arc<Parts>,
    account: AccountId,
}

impl Drop for Member {
    fn drop(&mut self) {
        if let hash_map::Entry::Occupied(mut entry) = self.parts.accounts().entry(self.account.clone()) {
            entry.get_mut().members -= 1;
            if entry.get().members == 0 {
                entry.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn account(name: &str) -> AccountId {
        AccountId::from_text(name)
    }

    #[tokio::test]
    async fn an_account_beyond_its_share_leaves_the_rest_to_others() {
        let places = FairShare::new(2, 3);
        let (ada, bob) = (account("ada"), account("bob"));
        let _held = [places.acquire(&ada).await, places.acquire(&ada).await];
        assert_eq!(places.try_acquire(&ada).unwrap_err(), NoPlace);
        assert_eq!(places.within(&ada, Duration::ZERO).await.unwrap_err(), NoPlace);
        let _bobs = places.try_acquire(&bob).unwrap();
        // All permits are taken, so an account below its own limit gets none either.
        assert_eq!(places.try_acquire(&bob).unwrap_err(), NoPlace);
    }

    #[tokio::test]
    async fn an_account_is_served_in_the_order_of_arrival() {
        let places = FairShare::new(1, 2);
        let ada = account("ada");
        let held = places.acquire(&ada).await;
        let mut first = Box::pin(places.acquire(&ada));
        let mut second = Box::pin(places.acquire(&ada));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        drop(held);
        assert!((&mut second).now_or_never().is_none());
        drop(first.await);
        second.await;
    }

    #[tokio::test]
    async fn a_dropped_request_loses_its_turn() {
        let places = FairShare::new(1, 1);
        let (ada, bob) = (account("ada"), account("bob"));
        let held = places.acquire(&ada).await;
        let mut first = Box::pin(places.acquire(&bob));
        let mut second = Box::pin(places.acquire(&bob));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        drop(first);
        drop(held);
        second.await;
    }

    #[tokio::test]
    async fn accounts_without_a_place_are_forgotten() {
        let places = FairShare::new(1, 2);
        let (ada, bob) = (account("ada"), account("bob"));
        let held = places.acquire(&ada).await;
        places.within(&ada, Duration::ZERO).await.unwrap_err();
        places.try_acquire(&ada).unwrap_err();
        drop(places.acquire(&bob).await);
        assert_eq!(places.0.accounts().len(), 1);
        drop(held);
        assert_eq!(places.0.accounts().len(), 0);
        assert_eq!(places.0.total.available_permits(), 2);
    }
}
