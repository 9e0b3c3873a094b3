//! Hashes of passwords, which are slow to compute on purpose.
use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::PasswordHasher as _;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordVerifier as _, Version};
use tokio::sync::Semaphore;

use crate::error::{Error, ErrorKind, Result};
use crate::random::Random;

/// The time for which a request waits for a free thread.
const HASH_WAIT_LIMIT: Duration = Duration::from_secs(10);

/// Hashes passwords, at most one per core at a time: each hash takes 19 MiB and some hundredths of a second of a core.
pub struct Passwords {
    argon2: Argon2<'static>,
    /// A hash that no known password has. Comparing with it takes as long as with any other.
    dummy_hash: String,
    places: Arc<Semaphore>,
}

impl Passwords {
    /// Uses the parameters that OWASP recommends for argon2id
    /// (<https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html>).
    pub fn new() -> Self {
        Self::with(19_456, 2)
    }

    /// Uses fast and unsafe parameters, for tests, which hash many passwords.
    #[doc(hidden)]
    pub fn weak() -> Self {
        Self::with(Params::MIN_M_COST, 1)
    }

    fn with(kibibytes: u32, rounds: u32) -> Self {
        let params = Params::new(kibibytes, rounds, 1, None).expect("the parameters are within argon2's bounds");
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            dummy_hash: format!(
                "$argon2id$v=19$m={kibibytes},t={rounds},p=1${}${}",
                "A".repeat(22),
                "A".repeat(43)
            ),
            argon2: Argon2::new(Algorithm::Argon2id, Version::V0x13, params),
            places: Arc::new(Semaphore::new(cores)),
        }
    }

    /// The hash of a password, for storage.
    pub async fn hash(&self, random: &Random, password: &str) -> Result<String> {
        let mut salt = [0; 16];
        random.fill(&mut salt);
        let password = password.to_owned();
        let hash = move |argon2: Argon2<'_>| {
            let hash: Result<PasswordHash, _> = argon2.hash_password_with_salt(password.as_bytes(), &salt);
            hash.map(|hash| hash.to_string())
        };
        self.work(hash)
            .await?
            .map_err(|error| Error::internal(error.to_string()))
    }

    /// Returns true when the password has this hash. Takes the same time when `hash` is `None`.
    pub async fn verify(&self, password: &str, hash: Option<&str>) -> Result<bool> {
        let known = hash.is_some();
        let hash = hash.unwrap_or(&self.dummy_hash).to_owned();
        let password = password.to_owned();
        let verify = move |argon2: Argon2<'_>| argon2.verify_password(password.as_bytes(), hash.as_str()).is_ok();
        Ok(self.work(verify).await? && known)
    }

    /// Runs `work` on a blocking thread as soon as one of the places is free; fails with `Overloaded` when none becomes
    /// free in time.
    async fn work<T: Send + 'static>(&self, work: impl FnOnce(Argon2<'static>) -> T + Send + 'static) -> Result<T> {
        let overloaded = || ErrorKind::Overloaded {
            retry_after: HASH_WAIT_LIMIT,
        };
        let place = tokio::time::timeout(HASH_WAIT_LIMIT, self.places.clone().acquire_owned()).await;
        let place = place.map_err(|_| overloaded())?.map_err(Error::internal)?;
        let argon2 = self.argon2.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            work(argon2)
        });
        done.await.map_err(Error::internal)
    }
}

impl Default for Passwords {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_matches_its_hash() {
        let passwords = Passwords::weak();
        let random = Random::seeded(1);
        let hash = passwords.hash(&random, "correct horse").await.expect("hashed");
        assert!(hash.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{hash}");
        assert_ne!(hash, passwords.hash(&random, "correct horse").await.expect("hashed"));
        assert!(passwords.verify("correct horse", Some(&hash)).await.expect("verified"));
        assert!(!passwords.verify("wrong horse", Some(&hash)).await.expect("verified"));
        assert!(!passwords.verify("correct horse", None).await.expect("verified"));
    }

    #[test]
    fn the_dummy_hash_takes_the_same_work() {
        let passwords = Passwords::new();
        let dummy_hash = PasswordHash::new(&passwords.dummy_hash).expect("a hash");
        let params = Params::try_from(&dummy_hash).expect("parameters");
        assert_eq!((params.m_cost(), params.t_cost(), params.p_cost()), (19_456, 2, 1));
        assert_eq!(dummy_hash.hash.expect("an output").len(), Params::DEFAULT_OUTPUT_LEN);
    }
}
