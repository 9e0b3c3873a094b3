//! The SQL of the drawings, reviews and costs of plugins by day.
use super::{DAY_MICROSECONDS, ProviderDay, Spending};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};

/// Adds a call, or an attempt with its calls.
pub(super) async fn add(tx: &mut Tx, day: i64, call: &Spending) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO provider_days (day, provider, model, drawings, credits, failures, attempts, draw_microseconds, \
           cost_microdollars, reviews) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
         ON CONFLICT (day, provider, model) DO UPDATE SET \
           drawings = provider_days.drawings + excluded.drawings, \
           credits = provider_days.credits + excluded.credits, \
           failures = provider_days.failures + excluded.failures, \
           attempts = provider_days.attempts + excluded.attempts, \
           draw_microseconds = provider_days.draw_microseconds + excluded.draw_microseconds, \
           cost_microdollars = provider_days.cost_microdollars + excluded.cost_microdollars, \
           reviews = provider_days.reviews + excluded.reviews",
    )
    .bind(day)
    .bind(call.provider.as_str())
    .bind(call.model.as_str())
    .bind(call.drawings)
    .bind(call.credits)
    .bind(call.failures)
    .bind(call.attempts)
    .bind(call.draw_microseconds)
    .bind(call.cost_microdollars)
    .bind(call.reviews)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn since(pool: &Reader, day: i64) -> sqlx::Result<Vec<Spending>> {
    sqlx::query_as(
        "SELECT provider, model, CAST(SUM(drawings) AS BIGINT) AS drawings, CAST(SUM(failures) AS BIGINT) AS failures, \
           CAST(SUM(attempts) AS BIGINT) AS attempts, CAST(SUM(draw_microseconds) AS BIGINT) AS draw_microseconds, \
           CAST(SUM(cost_microdollars) AS BIGINT) AS cost_microdollars, CAST(SUM(credits) AS BIGINT) AS credits, \
           CAST(SUM(reviews) AS BIGINT) AS reviews \
         FROM provider_days WHERE day >= $1 GROUP BY provider, model ORDER BY provider, model",
    )
    .bind(day)
    .fetch_all(pool)
    .await
}

#[derive(sqlx::FromRow)]
pub(super) struct DayRow {
    day: i64,
    #[sqlx(flatten)]
    totals: Spending,
}

impl DayRow {
    pub(super) fn into_day(self) -> ProviderDay {
        let Self { day, totals } = self;
        let midnight = Timestamp::from_microseconds(day.saturating_mul(DAY_MICROSECONDS)).to_string();
        let date = midnight.split('T').next().unwrap_or_default();
        ProviderDay {
            day: date.to_owned(),
            provider: totals.provider,
            model: totals.model,
            drawings: totals.drawings,
            failures: totals.failures,
            attempts: totals.attempts,
            draw_milliseconds: totals.draw_microseconds / 1000,
            cost_microdollars: totals.cost_microdollars,
            credits: totals.credits,
            reviews: totals.reviews,
        }
    }
}

/// The totals of each day after this one, newest first.
pub(super) async fn by_day(pool: &Reader, after: i64) -> sqlx::Result<Vec<DayRow>> {
    sqlx::query_as(
        "SELECT day, provider, model, drawings, failures, attempts, draw_microseconds, cost_microdollars, credits, \
           reviews \
         FROM provider_days WHERE day > $1 ORDER BY day DESC, provider, model",
    )
    .bind(after)
    .fetch_all(pool)
    .await
}
