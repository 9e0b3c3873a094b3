//! How often somebody may do something: by the address they come from, by what they name, or by their account.
//!
//! Each turn takes the time of the rate divided by its turns, and as many as it has may be taken ahead of time: the generic
//! cell rate algorithm, as a leaky bucket (ITU-T I.371). One statement on one row decides: all nodes count together.
mod accounts;
mod store;

use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::app::App;
use crate::database::Tx;
use crate::error::{ErrorKind, Result};

pub(crate) use accounts::{CHANGES, PLANS, change_rate, plan_rate, take_change, take_plan};

/// So many at once, and then as many again in this time.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    pub times: u32,
    pub within: Duration,
}

impl Rate {
    pub const fn new(times: u32, within: Duration) -> Self {
        Self { times, within }
    }

    fn each(self) -> Duration {
        self.within / self.times.max(1)
    }

    /// How many turns keep their subject busy for so long.
    pub fn turns_in(self, busy: Duration) -> u128 {
        busy.as_micros().div_ceil(self.each().as_micros())
    }
}

/// Takes one turn; refuses when there were too many lately. `name` tells what is limited, in words that stand in the
/// refusal; `subject` tells whose turn it is, and is stored as a hash.
pub async fn take(app: &App, name: &'static str, subject: &str, rate: Rate) -> Result<()> {
    let mut tx = app.database.begin().await?;
    take_in(app, &mut tx, name, subject, rate).await?;
    tx.commit().await?;
    Ok(())
}

/// The same within a transaction, which gives the turn back where it does not end well.
pub async fn take_in(app: &App, tx: &mut Tx, name: &'static str, subject: &str, rate: Rate) -> Result<()> {
    let now = app.database.shared_time(tx, &app.clock).await?;
    let each = rate.each();
    let latest = now.plus(rate.within).minus(each);
    let subject = subject_hash(subject);
    if !store::take_turn(tx, name, &subject, now, each, latest).await? {
        let busy_until = store::busy_until(tx, name, &subject).await?;
        return Err(ErrorKind::RateLimited {
            what: name,
            retry_after: busy_until.since(latest).max(Duration::from_secs(1)),
        }
        .into());
    }
    Ok(())
}

/// Forgets the turns that were taken: whoever tried has shown to be the right one.
pub async fn clear(app: &App, name: &'static str, subject: &str) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::delete(&mut tx, name, &subject_hash(subject)).await?;
    tx.commit().await?;
    Ok(())
}

/// Forgets what limits nobody any more.
pub async fn forget_old(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_old(&mut tx, now).await?;
    tx.commit().await?;
    Ok(forgotten)
}

/// Under which the turns of a subject are stored.
pub fn subject_hash(subject: &str) -> String {
    hex::encode(Sha256::digest(subject))
}
