//! What image providers drew, and what that took and cost, beside the credits that customers paid for it.
mod store;

use serde::Serialize;

use crate::app::App;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::Result;
use crate::queue::Work;

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// A picture that was kept, for so many credits.
    Drawing(i64),
    /// Nothing yet.
    Nothing,
    /// Nothing ever: what it cost was refunded.
    Failure,
}

/// What a provider drew with one of its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Spending {
    pub provider: String,
    /// Empty where the provider does not say, as it cannot where it failed.
    pub model: String,
    /// Pictures that were kept.
    pub drawings: i64,
    /// Drawings that failed for good.
    pub failures: i64,
    /// How often it was asked.
    pub attempts: i64,
    /// How long it was at work.
    pub draw_microseconds: i64,
    /// What it says that it cost, in millionths of a US dollar.
    pub cost_microdollars: i64,
    /// What customers were charged for the drawings, less what was refunded.
    pub credits: i64,
}

/// Adds an attempt. Comes after all that locks the account's row.
pub(crate) async fn record(app: &App, tx: &mut Tx, work: &Work, came: Came) -> Result<()> {
    Ok(store::add(tx, day_of(app.clock.now()), work, came).await?)
}

/// What was drawn on that day and since, by provider and model. All there is where no day is given.
pub async fn since(app: &App, day: Option<Timestamp>) -> Result<Vec<Spending>> {
    let day = day.map_or(i64::MIN, day_of);
    Ok(store::since(&app.database.read, day).await?)
}

/// Days since 1970 in UTC.
fn day_of(time: Timestamp) -> i64 {
    time.microseconds().div_euclid(86_400_000_000)
}
