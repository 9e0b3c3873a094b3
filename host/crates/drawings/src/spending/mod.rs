//! The drawings, drawing times and costs of image providers, compared with the credits that accounts paid for them.
mod store;

use serde::Serialize;

use crate::queue::{DrawingOutcome, Work};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// The drawings and costs of one provider with one of its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Spending {
    pub provider: String,
    /// Empty when the provider did not name a model, for example because it failed.
    pub model: String,
    /// Pictures that were stored.
    pub drawings: i64,
    /// Drawings that failed permanently.
    pub failures: i64,
    /// The number of calls to the provider.
    pub attempts: i64,
    /// The total duration of the calls.
    pub draw_microseconds: i64,
    /// The cost that the provider reported, in millionths of a US dollar.
    pub cost_microdollars: i64,
    /// The credits that accounts were charged for the drawings, less refunds.
    pub credits: i64,
}

/// Adds an attempt to the day's totals. Must come after all statements that lock the account's row.
pub async fn record(app: &App, tx: &mut Tx, work: &Work, outcome: DrawingOutcome) -> Result<()> {
    Ok(store::add(tx, day_of(app.clock.now()), work, outcome).await?)
}

/// The totals since the start of that UTC day by provider and model; all totals when `day` is `None`.
pub async fn since(app: &App, day: Option<Timestamp>) -> Result<Vec<Spending>> {
    let day = day.map_or(i64::MIN, day_of);
    Ok(store::since(&app.database.read, day).await?)
}

/// The drawings and costs of one provider with one of its models on one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ProviderDay {
    /// The day in UTC.
    #[schema(format = Date, example = "2026-11-23")]
    pub day: String,
    /// The id of the image provider.
    pub provider: String,
    /// Empty when the provider did not name a model, for example because it failed.
    pub model: String,
    /// Pictures that were stored.
    #[schema(minimum = 0)]
    pub drawings: i64,
    /// Drawings that failed permanently.
    #[schema(minimum = 0)]
    pub failures: i64,
    /// The number of calls to the provider.
    #[schema(minimum = 0)]
    pub attempts: i64,
    /// The total duration of the calls.
    #[schema(minimum = 0)]
    pub draw_milliseconds: i64,
    /// The cost that the provider reported, in millionths of a US dollar.
    #[schema(minimum = 0)]
    pub cost_microdollars: i64,
    /// The credits that accounts were charged for the drawings, less refunds.
    #[schema(minimum = 0)]
    pub credits: i64,
}

/// The totals of the last days, today included: newest day first, by provider and model.
pub async fn last_days(app: &App, days: u32) -> Result<Vec<ProviderDay>> {
    let after = day_of(app.clock.now()) - i64::from(days);
    let rows = store::by_day(&app.database.read, after).await?;
    Ok(rows.into_iter().map(store::DayRow::into_day).collect())
}

/// The number of microseconds of a day.
const DAY_MICROSECONDS: i64 = 86_400_000_000;

/// The number of days since 1970 in UTC.
fn day_of(time: Timestamp) -> i64 {
    time.microseconds().div_euclid(DAY_MICROSECONDS)
}
