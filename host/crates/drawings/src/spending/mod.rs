//! The drawings, drawing times and costs of image providers, compared with the credits that accounts paid for them, and
//! the reviews and costs of reviewers.
mod store;

use std::time::Duration;

use serde::Serialize;

use crate::queue::{DrawingOutcome, Work};
use linepress_platform::app::App;
use linepress_platform::clock::{Timestamp, microseconds};
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// The drawings or reviews, and the costs, of one image provider or reviewer with one of its models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Spending {
    /// The id of the image provider or the reviewer.
    pub provider: String,
    /// Empty when the plugin did not name a model, for example because it failed.
    pub model: String,
    /// Pictures that were stored.
    pub drawings: i64,
    /// Drawings that failed permanently.
    pub failures: i64,
    /// The number of calls to the plugin.
    pub attempts: i64,
    /// The total duration of the calls.
    pub draw_microseconds: i64,
    /// The cost that the plugin reported, in millionths of a US dollar.
    pub cost_microdollars: i64,
    /// The credits that accounts were charged for the drawings, less refunds.
    pub credits: i64,
    /// The verdicts of a reviewer on prompts and pictures; 0 for an image provider.
    pub reviews: i64,
}

/// Adds an attempt to the day's totals. Must come after all statements that lock the account's row.
pub async fn record(app: &App, tx: &mut Tx, work: &Work, outcome: DrawingOutcome) -> Result<()> {
    let (drawings, failures, credits) = match outcome {
        DrawingOutcome::Drawn { credits } => (1, 0, credits),
        DrawingOutcome::Failed { .. } => (0, 1, 0),
        DrawingOutcome::Requeued { .. } | DrawingOutcome::LeaseLost => (0, 0, 0),
    };
    let attempt = Spending {
        provider: work.provider.clone(),
        model: work.model.clone().unwrap_or_default(),
        drawings,
        failures,
        attempts: 1,
        draw_microseconds: microseconds(work.took),
        cost_microdollars: work.cost_microdollars,
        credits,
        reviews: 0,
    };
    Ok(store::add(tx, day_of(app.clock.now()), &attempt).await?)
}

/// A call of a reviewer that has ended.
pub(crate) struct ReviewerCall<'a> {
    pub reviewer: &'a str,
    pub took: Duration,
    /// False for a description of a picture, and for a call that failed.
    pub has_verdict: bool,
    /// The model and the cost that the reviewer reported, whether or not its answer was valid.
    pub model: Option<&'a str>,
    pub cost_microdollars: Option<i64>,
}

/// Adds a call of a reviewer to the day's totals.
pub(crate) async fn record_reviewer(app: &App, tx: &mut Tx, call: &ReviewerCall<'_>) -> Result<()> {
    let call = Spending {
        provider: call.reviewer.to_owned(),
        model: call.model.unwrap_or_default().to_owned(),
        attempts: 1,
        draw_microseconds: microseconds(call.took),
        cost_microdollars: call.cost_microdollars.unwrap_or(0),
        reviews: i64::from(call.has_verdict),
        ..Spending::default()
    };
    Ok(store::add(tx, day_of(app.clock.now()), &call).await?)
}

/// The totals since the start of that UTC day by plugin and model; all totals when `day` is `None`.
pub async fn since(app: &App, day: Option<Timestamp>) -> Result<Vec<Spending>> {
    let day = day.map_or(i64::MIN, day_of);
    Ok(store::since(&app.database.read, day).await?)
}

/// The drawings or reviews, and the costs, of one image provider or reviewer with one of its models on one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ProviderDay {
    /// The day in UTC.
    #[schema(format = Date, example = "2026-11-23")]
    pub day: String,
    /// The id of the image provider or the reviewer.
    pub provider: String,
    /// Empty when the plugin did not name a model, for example because it failed.
    pub model: String,
    /// Pictures that were stored.
    #[schema(minimum = 0)]
    pub drawings: i64,
    /// Drawings that failed permanently.
    #[schema(minimum = 0)]
    pub failures: i64,
    /// The number of calls to the plugin.
    #[schema(minimum = 0)]
    pub attempts: i64,
    /// The total duration of the calls.
    #[schema(minimum = 0)]
    pub draw_milliseconds: i64,
    /// The cost that the plugin reported, in millionths of a US dollar.
    #[schema(minimum = 0)]
    pub cost_microdollars: i64,
    /// The credits that accounts were charged for the drawings, less refunds.
    #[schema(minimum = 0)]
    pub credits: i64,
    /// The verdicts of a reviewer on prompts and pictures; 0 for an image provider.
    #[schema(minimum = 0)]
    pub reviews: i64,
}

/// The totals of the last days, today included: newest day first, by plugin and model.
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
