//! The rate limits that a request counted toward, for the interface that responds to it.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A rate limit of an account, after a request counted toward it or was refused by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The name of the limit, as clients see it.
    pub name: &'static str,
    /// The number of requests that are allowed in each window.
    pub times: u32,
    pub window: Duration,
    /// The number of requests that are allowed at this moment.
    pub remaining: u32,
    /// The time after which all requests of a window are allowed again, if none is sent meanwhile.
    pub reset_after: Duration,
}

/// The quotas of one request. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Quotas(Arc<Mutex<Vec<Quota>>>);

impl Quotas {
    /// Records a quota, in place of an earlier one of the same limit.
    pub(crate) fn record(&self, quota: Quota) {
        let mut quotas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        quotas.retain(|earlier| earlier.name != quota.name);
        quotas.push(quota);
    }

    /// The quotas that were recorded.
    pub fn recorded(&self) -> Vec<Quota> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
