//! Randomness. All code takes it from `App`, so that tests can seed it.
use std::sync::{Arc, Mutex, PoisonError};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A cryptographically secure generator; all clones share its state.
#[derive(Clone)]
pub struct Random(Arc<Mutex<StdRng>>);

impl Random {
    /// Seeded by the operating system.
    pub fn system() -> Self {
        let seeded = StdRng::try_from_rng(&mut rand::rngs::SysRng).expect("the operating system provides randomness");
        Self(Arc::new(Mutex::new(seeded)))
    }

    /// A generator that yields the same numbers each time; for tests only.
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    pub fn fill(&self, bytes: &mut [u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(bytes);
    }

    /// A uniformly distributed number below `end`, which must not be 0.
    pub fn below(&self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        // A remainder of 53 random bits is close enough to uniform for the small numbers that are used here.
        usize::try_from(self.seed().unsigned_abs() % end).unwrap_or_default()
    }

    /// A seed for a provider or planner. 53 bits, so that it survives every JSON reader.
    pub fn seed(&self) -> i64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        i64::try_from(u64::from_le_bytes(bytes) >> 11).expect("53 bits fit")
    }
}
