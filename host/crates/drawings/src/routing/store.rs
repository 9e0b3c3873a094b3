//! The SQL of the provider states that all nodes share.
use std::collections::HashMap;
use std::time::Duration;

use super::ProviderSwitch;
use linepress_platform::clock::{Timestamp, microseconds};
use linepress_platform::database::{LeaseClock, Reader, Tx, placeholders};

/// The state of one provider. Times are microseconds from now, negative for times in the past.
#[derive(Default, sqlx::FromRow)]
pub(super) struct State {
    provider: String,
    /// Consecutive failures up to the most recent result.
    pub failures: i64,
    paused_for: i64,
    probed_for: i64,
    busy_for: i64,
    off_since: Option<Timestamp>,
    off_reason: Option<String>,
}

impl State {
    pub(super) fn paused_for(&self) -> Duration {
        duration(self.paused_for)
    }

    /// Returns true when an operator switched the provider off.
    pub(super) fn is_off(&self) -> bool {
        self.off_since.is_some()
    }

    /// The switch with which an operator took the provider out of use.
    pub(super) fn into_switch(self) -> Option<ProviderSwitch> {
        let Self {
            off_since, off_reason, ..
        } = self;
        off_since.map(|since| ProviderSwitch {
            reason: off_reason.unwrap_or_default(),
            since,
        })
    }

    pub(super) fn probed_for(&self) -> Duration {
        duration(self.probed_for)
    }

    pub(super) fn busy_for(&self) -> Duration {
        duration(self.busy_for)
    }
}

fn duration(microseconds: i64) -> Duration {
    Duration::from_micros(u64::try_from(microseconds).unwrap_or(0))
}

/// The states by provider id. A provider without a recorded state is missing.
pub(super) async fn states(
    clock: LeaseClock<'_>,
    pool: &Reader,
    providers: &[&str],
) -> sqlx::Result<HashMap<String, State>> {
    let statement = format!(
        "SELECT provider, failures, until - {{now}} AS paused_for, probing_until - {{now}} AS probed_for, \
           next_call_at - {{now}} AS busy_for, off_since, off_reason FROM provider_pauses WHERE provider IN ({})",
        placeholders(2, providers.len())
    );
    let mut query = clock.query_as(&statement);
    for provider in providers {
        query = query.bind((*provider).to_owned());
    }
    let states: Vec<State> = query.fetch_all(pool).await?;
    Ok(states
        .into_iter()
        .map(|state| (state.provider.clone(), state))
        .collect())
}

/// Admits one probe of a provider with at least `failures` failures, and no other for `length`. Returns false when the
/// provider is paused or being probed.
pub(super) async fn probe(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    provider: &str,
    failures: i64,
    length: Duration,
) -> sqlx::Result<bool> {
    let done = clock
        .query(
            "UPDATE provider_pauses SET probing_until = {now} + $2 \
             WHERE provider = $3 AND until <= {now} AND probing_until <= {now} AND failures >= $4",
        )
        .bind(microseconds(length))
        .bind(provider)
        .bind(failures)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends a probe that made no call, so that another one may begin.
pub(super) async fn end_probe(tx: &mut Tx, provider: &str) -> sqlx::Result<()> {
    sqlx::query("UPDATE provider_pauses SET probing_until = 0 WHERE provider = $1 AND probing_until > 0")
        .bind(provider)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Admits a call, and no other until `between` has passed. Returns false when the previous call is too recent or the
/// provider is switched off.
pub(super) async fn take_turn(
    clock: LeaseClock<'_>,
    tx: &mut Tx,
    provider: &str,
    between: Duration,
) -> sqlx::Result<bool> {
    let done = clock
        .query(
            "INSERT INTO provider_pauses (provider, until, failures, next_call_at) VALUES ($2, 0, 0, {now} + $3) \
             ON CONFLICT (provider) DO UPDATE SET next_call_at = excluded.next_call_at \
               WHERE provider_pauses.next_call_at <= {now} AND provider_pauses.off_since IS NULL",
        )
        .bind(provider)
        .bind(microseconds(between))
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// The number of failures of the provider since its last success.
pub(super) async fn failures(tx: &mut Tx, provider: &str) -> sqlx::Result<i64> {
    let failures: Option<i64> = sqlx::query_scalar("SELECT failures FROM provider_pauses WHERE provider = $1")
        .bind(provider)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(failures.unwrap_or(0))
}

/// Counts a failure, unless the provider is already paused: such a call began before the pause. Returns the number of
/// consecutive failures and whether the provider is paused.
pub(super) async fn record_failure(clock: LeaseClock<'_>, tx: &mut Tx, provider: &str) -> sqlx::Result<(i64, bool)> {
    let (failures, paused_for): (i64, i64) = clock
        .query_as(
            "INSERT INTO provider_pauses (provider, until, failures) VALUES ($2, 0, 1) \
             ON CONFLICT (provider) DO UPDATE SET probing_until = 0, failures = provider_pauses.failures + \
               CASE WHEN provider_pauses.until > {now} THEN 0 ELSE 1 END \
             RETURNING failures, until - {now}",
        )
        .bind(provider)
        .fetch_one(&mut **tx)
        .await?;
    Ok((failures, paused_for > 0))
}

/// Pauses the provider for `length`, unless it is already paused for longer.
pub(super) async fn pause(clock: LeaseClock<'_>, tx: &mut Tx, provider: &str, length: Duration) -> sqlx::Result<()> {
    clock
        .query("UPDATE provider_pauses SET until = {now} + $2 WHERE provider = $3 AND until < {now} + $2")
        .bind(microseconds(length))
        .bind(provider)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Resets the failure count. A pause continues, because the successful call may have begun before it.
pub(super) async fn forget_failures(tx: &mut Tx, provider: &str) -> sqlx::Result<()> {
    sqlx::query("UPDATE provider_pauses SET failures = 0, probing_until = 0 WHERE provider = $1 AND failures > 0")
        .bind(provider)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Switches the provider off, with the reason that the operator gave. Returns false when it is off already.
pub(super) async fn switch_off(tx: &mut Tx, provider: &str, reason: &str, since: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "INSERT INTO provider_pauses (provider, until, failures, off_since, off_reason) VALUES ($1, 0, 0, $2, $3) \
         ON CONFLICT (provider) DO UPDATE SET off_since = excluded.off_since, off_reason = excluded.off_reason \
           WHERE provider_pauses.off_since IS NULL",
    )
    .bind(provider)
    .bind(since)
    .bind(reason)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Switches the provider on. Returns false when it is on already.
pub(super) async fn switch_on(tx: &mut Tx, provider: &str) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE provider_pauses SET off_since = NULL, off_reason = NULL WHERE provider = $1 AND off_since IS NOT NULL",
    )
    .bind(provider)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends the pause and forgets the failures. The rate limit remains.
pub(super) async fn end_pause(tx: &mut Tx, provider: &str) -> sqlx::Result<()> {
    sqlx::query("UPDATE provider_pauses SET until = 0, failures = 0, probing_until = 0 WHERE provider = $1")
        .bind(provider)
        .execute(&mut **tx)
        .await?;
    Ok(())
}
