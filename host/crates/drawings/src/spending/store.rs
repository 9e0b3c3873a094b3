//! The SQL of the providers' drawings and costs by day.
use super::{DAY_MICROSECONDS, ProviderDay, Spending};
use crate::queue::{DrawingOutcome, Work};
use linepress_platform::clock::{Timestamp, microseconds};
use linepress_platform::database::{Reader, Tx};

pub(super) async fn add(tx: &mut Tx, day: i64, work: &Work, outcome: DrawingOutcome) -> sqlx::Result<()> {
    let (drawings, failures, credits): (i64, i64, i64) = match outcome {
        DrawingOutcome::Drawn { credits } => (1, 0, credits),
        DrawingOutcome::Failed { .. } => (0, 1, 0),
        DrawingOutcome::Requeued { .. } | DrawingOutcome::LeaseLost => (0, 0, 0),
    };
    sqlx::query(
        "INSERT INTO provider_days (day, provider, model, drawings, credits, failures, attempts, draw_microseconds, \
           cost_microdollars) VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8) \
         ON CONFLICT (day, provider, model) DO UPDATE SET \
           drawings = provider_days.drawings + excluded.drawings, \
           credits = provider_days.credits + excluded.credits, \
           failures = provider_days.failures + excluded.failures, \
           attempts = provider_days.attempts + 1, \
           draw_microseconds = provider_days.draw_microseconds + excluded.draw_microseconds, \
           cost_microdollars = provider_days.cost_microdollars + excluded.cost_microdollars",
    )
    .bind(day)
    .bind(work.provider.as_str())
    .bind(work.model.as_deref().unwrap_or_default())
    .bind(drawings)
    .bind(credits)
    .bind(failures)
    .bind(microseconds(work.took))
    .bind(work.cost_microdollars)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn since(pool: &Reader, day: i64) -> sqlx::Result<Vec<Spending>> {
    sqlx::query_as(
        "SELECT provider, model, CAST(SUM(drawings) AS BIGINT) AS drawings, CAST(SUM(failures) AS BIGINT) AS failures, \
           CAST(SUM(attempts) AS BIGINT) AS attempts, CAST(SUM(draw_microseconds) AS BIGINT) AS draw_microseconds, \
           CAST(SUM(cost_microdollars) AS BIGINT) AS cost_microdollars, CAST(SUM(credits) AS BIGINT) AS credits \
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
        }
    }
}

/// The totals of each day after this one, newest first.
pub(super) async fn by_day(pool: &Reader, after: i64) -> sqlx::Result<Vec<DayRow>> {
    sqlx::query_as(
        "SELECT day, provider, model, drawings, failures, attempts, draw_microseconds, cost_microdollars, credits \
         FROM provider_days WHERE day > $1 ORDER BY day DESC, provider, model",
    )
    .bind(after)
    .fetch_all(pool)
    .await
}
