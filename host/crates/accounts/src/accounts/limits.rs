//! The limits of one account, checked while its row is locked, so that two requests cannot both take the last place.
use std::collections::BTreeMap;

use serde::Serialize;

use super::lock;
use super::store::{self, Standing};
use crate::caller::Caller;
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::config::Limits;
use linepress_platform::database::Tx;
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::AccountId;

/// A limit and its current use.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Limit {
    /// The largest allowed number.
    #[schema(minimum = 0)]
    pub limit: i64,
    /// The current use; null for limits that apply to each book, each picture or each node.
    #[schema(required, minimum = 0)]
    pub used: Option<i64>,
}

/// A resource with a limit and a stored counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Countable {
    /// Characters that are not archived.
    Characters,
    Pages,
    Books,
    /// Generations that have not ended.
    Generations,
    /// Bytes of artwork and of uploads.
    StoredBytes,
}

impl Countable {
    pub(super) const ALL: [Self; 5] = [
        Self::Characters,
        Self::Pages,
        Self::Books,
        Self::Generations,
        Self::StoredBytes,
    ];

    /// The name in the API.
    fn name(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::Pages => "pages",
            Self::Books => "books",
            Self::Generations => "generations",
            Self::StoredBytes => "stored_bytes",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Characters => "active characters",
            Self::Pages => "pages",
            Self::Books => "books",
            Self::Generations => "generations under way",
            Self::StoredBytes => "bytes of artwork and uploads",
        }
    }

    /// The advice how to make room.
    fn advice(self) -> &'static str {
        match self {
            Self::Characters => "Archive one that you do not need.",
            Self::Pages | Self::Books => "Delete some that you do not need.",
            Self::Generations => "Wait until one of them has ended.",
            Self::StoredBytes => "Delete pages that you do not need, or wait until uploads expire.",
        }
    }

    pub(super) fn limit(self, limits: &Limits) -> i64 {
        match self {
            Self::Characters => limits.characters,
            Self::Pages => limits.pages,
            Self::Books => limits.books,
            Self::Generations => limits.generations,
            Self::StoredBytes => limits.stored_mb * 1_000_000,
        }
    }
}

/// Fails with `AccountLimitReached` when `used` exceeds the limit.
pub(super) fn check(limits: &Limits, what: Countable, used: i64) -> Result<()> {
    within(used, what.limit(limits), what.words(), what.advice())
}

fn within(used: i64, limit: i64, what: &'static str, advice: &'static str) -> Result<()> {
    if used <= limit {
        return Ok(());
    }
    Err(ErrorKind::AccountLimitReached { what, limit, advice }.into())
}

/// Fails when the account has reached its limit of unexpired uploads.
pub async fn check_uploads(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    lock(app, tx, caller.account_id()).await?;
    let used = store::uploads(tx, caller.account_id(), app.clock.now()).await?;
    let advice = "Wait until one expires: an upload lasts an hour, and a photograph in a plan a day.";
    within(
        used + 1,
        caller.limits(app).uploads,
        "uploads that have not expired",
        advice,
    )
}

/// Fails when the account's free covers of the last 24 hours, including those of this transaction, exceed the limit.
pub async fn check_free_covers(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    let used = free_covers(app, tx, caller.account_id()).await?;
    let limit = caller.limits(app).free_covers_per_day;
    let advice = "Wait: each counts for 24 hours, or until a paid drawing of its order is completed.";
    within(used, limit, "free covers", advice)
}

/// Returns true when the account's free covers of the last 24 hours, including those of this transaction, are within
/// the limit.
pub async fn are_free_covers_within(app: &App, tx: &mut Tx, account: &AccountId) -> Result<bool> {
    let used = free_covers(app, tx, account).await?;
    let limits = app.config.limits.with(&store::own_limits(tx, account).await?);
    Ok(used <= limits.free_covers_per_day)
}

/// The number of free covers. Locks the account's row, so that two transactions cannot both take the last one.
async fn free_covers(app: &App, tx: &mut Tx, account: &AccountId) -> Result<i64> {
    lock(app, tx, account).await?;
    Ok(store::free_covers(tx, account, app.clock.now()).await?)
}

impl Standing {
    /// Every limit by name, with its current use.
    pub fn limits(&self, app: &App, now: Timestamp) -> BTreeMap<&'static str, Limit> {
        let all = app.config.limits.with(&self.limits);
        let counted = Countable::ALL.map(|what| (what.name(), what.limit(&all), self.usage.count(what)));
        let free_covers = all.free_covers_per_day;
        let others = [
            ("uploads", all.uploads, self.uploads),
            // An order that found no free cover left is counted too, so that the next one is refused; it used none.
            ("free_covers_per_day", free_covers, self.free_covers.min(free_covers)),
        ];
        let mut limits: BTreeMap<&'static str, Limit> = counted
            .into_iter()
            .chain(others)
            .map(|(name, limit, used)| {
                (
                    name,
                    Limit {
                        limit,
                        used: Some(used),
                    },
                )
            })
            .collect();
        let taken = |busy_until: Option<Timestamp>, rate: Rate| {
            let busy = busy_until.map(|until| until.since(now)).unwrap_or_default();
            Some(i64::try_from(rate.turns_in(busy)).unwrap_or(i64::MAX))
        };
        limits.insert(
            "plans_per_minute",
            Limit {
                limit: all.plans_per_minute,
                used: taken(self.plans_until, throttle::plan_rate(&all)),
            },
        );
        limits.insert(
            "changes_per_minute",
            Limit {
                limit: all.changes_per_minute,
                used: taken(self.changes_until, throttle::change_rate(&all)),
            },
        );
        let number = |limit: usize| i64::try_from(limit).unwrap_or(i64::MAX);
        let without_use = [
            ("transfers", number(all.transfers)),
            ("pages_per_book", all.pages_per_book),
            ("attempts_per_picture", number(app.config.attempts.max_per_picture)),
        ];
        limits.extend(without_use.map(|(name, limit)| (name, Limit { limit, used: None })));
        limits
    }
}
