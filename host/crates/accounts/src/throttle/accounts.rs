//! The rates at which one account may plan, change and make keys. Each limit that a request counts toward is recorded
//! for the response to it.
use std::time::Duration;

use super::{Rate, Turn, take_turn};
use crate::caller::Caller;
use crate::quotas::Quota;
use linepress_platform::account_limits::LimitName;
use linepress_platform::app::App;
use linepress_platform::config::Limits;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// The name of the throttle of book plans.
pub const PLANS: &str = "book plans in a short time";

/// The name of the throttle of changes.
pub const CHANGES: &str = "changes in a short time";

/// Takes one of the account's book plans; an error when it has made too many in the last minute.
pub async fn take_plan(app: &App, caller: &Caller) -> Result<()> {
    let mut tx = app.database.begin().await?;
    let limit = AccountLimit {
        throttle: PLANS,
        name: LimitName::PlansPerMinute.as_str(),
        rate: plan_rate(&caller.limits(app)),
    };
    take_counted(app, &mut tx, caller, limit).await?;
    Ok(tx.commit().await?)
}

/// Takes one of the account's changes whose replies are stored; an error when it has made too many in the last minute.
pub async fn take_change(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    let limit = AccountLimit {
        throttle: CHANGES,
        name: LimitName::ChangesPerMinute.as_str(),
        rate: change_rate(&caller.limits(app)),
    };
    take_counted(app, tx, caller, limit).await
}

/// Takes one of the account's new API keys of a day. They are limited because revoked keys stay in the database.
pub(crate) async fn take_new_key(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    let limit = AccountLimit {
        throttle: "new API keys in a day",
        name: "new_keys_per_day",
        rate: Rate::new(100, Duration::from_secs(24 * 3600)),
    };
    take_counted(app, tx, caller, limit).await
}

/// A rate limit of each account.
struct AccountLimit {
    /// The name of its throttle.
    throttle: &'static str,
    /// Its name for clients.
    name: &'static str,
    rate: Rate,
}

/// Takes one of the account's turns, and records what is left of them: at once if there was none, otherwise when the
/// transaction commits, because a rollback returns the turn.
async fn take_counted(app: &App, tx: &mut Tx, caller: &Caller, limit: AccountLimit) -> Result<()> {
    let AccountLimit { throttle, name, rate } = limit;
    let turn = take_turn(app, tx, throttle, caller.account_id().as_str(), rate).await?;
    let quotas = caller.quotas().clone();
    let quota = quota(name, rate, &turn);
    if turn.wait.is_some() {
        quotas.record(quota);
    } else {
        tx.after_commit(move || quotas.record(quota));
    }
    turn.require(throttle)
}

fn quota(name: &'static str, rate: Rate, turn: &Turn) -> Quota {
    let taken = u32::try_from(rate.turns_in(turn.busy)).unwrap_or(u32::MAX);
    Quota {
        name,
        times: rate.times,
        window: rate.within,
        remaining: rate.times.saturating_sub(taken),
        reset_after: turn.busy,
    }
}

pub(crate) fn plan_rate(limits: &Limits) -> Rate {
    per_minute(limits.plans_per_minute)
}

pub(crate) fn change_rate(limits: &Limits) -> Rate {
    per_minute(limits.changes_per_minute)
}

fn per_minute(times: i64) -> Rate {
    Rate::new(u32::try_from(times).unwrap_or(u32::MAX), Duration::from_secs(60))
}
