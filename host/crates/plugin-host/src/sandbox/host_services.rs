//! The host's side of the services that a plugin may use if the operator granted them.
use std::time::Duration;

use super::host_state::State;
use crate::services::CallStoreError;
use crate::v0::services::cache::linepress::host::cache;
use crate::v0::services::store::linepress::host::store;

impl From<CallStoreError> for store::StoreError {
    fn from(error: CallStoreError) -> Self {
        match error {
            CallStoreError::Invalid(reason) => Self::Invalid(reason),
            CallStoreError::Full => Self::Full,
            CallStoreError::Unavailable(reason) => Self::Unavailable(reason.to_owned()),
            CallStoreError::TooManyOperations(reason) => Self::Other(reason),
        }
    }
}

impl store::Host for State {
    async fn get(&mut self, key: String) -> Result<Option<String>, store::StoreError> {
        Ok(self.services.get(&key).await?)
    }

    async fn set(&mut self, key: String, value: String) -> Result<(), store::StoreError> {
        Ok(self.services.set(&key, value).await?)
    }

    async fn delete(&mut self, key: String) -> Result<(), store::StoreError> {
        Ok(self.services.delete(&key).await?)
    }

    async fn list_keys(&mut self, prefix: String) -> Result<Vec<String>, store::StoreError> {
        Ok(self.services.list_keys(&prefix).await?)
    }
}

impl cache::Host for State {
    fn get(&mut self, key: String, max_age_s: u32) -> Option<String> {
        self.services.cached(&key, Duration::from_secs(max_age_s.into()))
    }

    fn set(&mut self, key: String, value: String) {
        self.services.cache(key, value);
    }
}
