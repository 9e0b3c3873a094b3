//! Rate limits by the address of a client, by the name it sends, or by its account.
//!
//! Each turn takes the time of the rate divided by its number of turns, and up to that number may be taken ahead of
//! time: the generic cell rate algorithm, as a leaky bucket (ITU-T I.371). One statement on one row decides, so that
//! all nodes count together.
mod accounts;
mod store;

use std::time::Duration;

use sha2::{Digest, Sha256};

use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{ErrorKind, Result};

pub use accounts::{CHANGES, PLANS, take_change, take_plan};
pub(crate) use accounts::{change_rate, plan_rate, take_new_key};

/// Allows a burst of `times` turns, and then `times` further turns in each period of `within`.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    pub times: u32,
    pub within: Duration,
}

impl Rate {
    pub const fn new(times: u32, within: Duration) -> Self {
        Self { times, within }
    }

    fn interval(self) -> Duration {
        self.within / self.times.max(1)
    }

    /// The number of turns that occupy their subject for `busy`.
    pub fn turns_in(self, busy: Duration) -> u128 {
        busy.as_micros().div_ceil(self.interval().as_micros())
    }
}

/// Takes one turn; fails with `RateLimited` when the subject took too many recently. `name` is the limit's name, which
/// completes "Too many ..." in the error; `subject` identifies the client or account, and is stored as a hash.
pub async fn take(app: &App, name: &'static str, subject: &str, rate: Rate) -> Result<()> {
    let mut tx = app.database.begin().await?;
    take_in(app, &mut tx, name, subject, rate).await?;
    tx.commit().await?;
    Ok(())
}

/// Like `take`, within a transaction: the turn is returned if it rolls back.
async fn take_in(app: &App, tx: &mut Tx, name: &'static str, subject: &str, rate: Rate) -> Result<()> {
    take_turn(app, tx, name, subject, rate).await?.require(name)
}

/// The outcome of an attempt to take a turn.
struct Turn {
    /// The time for which the subject is occupied by the turns that it took.
    busy: Duration,
    /// The time to wait for a turn; `None` if this one was taken.
    wait: Option<Duration>,
}

impl Turn {
    /// Fails with `RateLimited` if the turn was not taken.
    fn require(self, name: &'static str) -> Result<()> {
        match self.wait {
            None => Ok(()),
            Some(retry_after) => Err(ErrorKind::RateLimited {
                what: name,
                retry_after,
            }
            .into()),
        }
    }
}

async fn take_turn(app: &App, tx: &mut Tx, name: &str, subject: &str, rate: Rate) -> Result<Turn> {
    let now = app.database.shared_time(tx, &app.clock).await?;
    let interval = rate.interval();
    let latest = now.plus(rate.within).minus(interval);
    let subject = subject_hash(subject);
    if let Some(busy_until) = store::take_turn(tx, name, &subject, now, interval, latest).await? {
        return Ok(Turn {
            busy: busy_until.since(now),
            wait: None,
        });
    }
    let busy_until = store::busy_until(tx, name, &subject).await?;
    Ok(Turn {
        busy: busy_until.since(now),
        wait: Some(busy_until.since(latest).max(Duration::from_secs(1))),
    })
}

/// Deletes the turns that the subject took, after it has proved its identity.
pub async fn clear(app: &App, name: &'static str, subject: &str) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::delete(&mut tx, name, &subject_hash(subject)).await?;
    tx.commit().await?;
    Ok(())
}

/// Deletes throttles that have no effect any more; returns their number.
pub async fn forget_old(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_old(&mut tx, now).await?;
    tx.commit().await?;
    Ok(forgotten)
}

/// The key under which the turns of a subject are stored.
pub(crate) fn subject_hash(subject: &str) -> String {
    hex::encode(Sha256::digest(subject))
}
