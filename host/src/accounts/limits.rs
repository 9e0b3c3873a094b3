//! What one account may have and do: decided under its lock, so that no two requests share the last place.
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::store::{self, Standing};
use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::{ErrorKind, Result};
use crate::ids::AccountId;
use crate::throttle::{self, Rate};

/// A limit and how much of it is used.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Limit {
    /// How many are allowed.
    #[schema(minimum = 0)]
    pub limit: i64,
    /// The current use; null where it is counted for each book, or by each machine.
    #[schema(required, minimum = 0)]
    pub used: Option<i64>,
}

/// What an account has a limited number of, and a counter for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Countable {
    /// That are not archived.
    Characters,
    Pages,
    Books,
    /// Under way.
    Generations,
    /// Of artwork and of uploads.
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

    /// The name that clients know it by.
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

    /// What makes room for more.
    fn advice(self) -> &'static str {
        match self {
            Self::Characters => "Archive one that is not needed.",
            Self::Pages | Self::Books => "Delete some that are not needed.",
            Self::Generations => "Wait until one of them has ended.",
            Self::StoredBytes => "Delete pages that are not needed, or wait until uploads expire.",
        }
    }

    fn limit(self, app: &App) -> i64 {
        let limits = &app.config.limits;
        match self {
            Self::Characters => limits.characters,
            Self::Pages => limits.pages,
            Self::Books => limits.books,
            Self::Generations => limits.generations,
            Self::StoredBytes => limits.stored_mb * 1_000_000,
        }
    }
}

/// Refuses when so many are more than the account may have.
pub(super) fn check(app: &App, what: Countable, used: i64) -> Result<()> {
    within(used, what.limit(app), what.words(), what.advice())
}

fn within(used: i64, limit: i64, what: &'static str, advice: &'static str) -> Result<()> {
    if used <= limit {
        return Ok(());
    }
    Err(ErrorKind::AccountLimitReached { what, limit, advice }.into())
}

/// Refuses when the account has no place for one more upload: they are few, and expire by themselves.
pub async fn check_uploads(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    store::lock(&app.database, tx, &caller.account_id).await?;
    let used = store::uploads(tx, &caller.account_id, app.clock.now()).await?;
    let advice = "Wait until one expires: none lasts longer than an hour.";
    within(
        used + 1,
        app.config.limits.uploads,
        "uploads that have not expired",
        advice,
    )
}

/// Refuses when the account's free covers of the last 24 hours, with what this transaction added, are too many.
pub async fn check_free_covers(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    let used = free_covers(app, tx, &caller.account_id).await?;
    let limit = app.config.limits.free_covers_per_day;
    let advice = "Wait: each counts for 24 hours, or until a page of its order is drawn.";
    within(used, limit, "covers of books of which no page was bought", advice)
}

/// Whether the account's free covers of the last 24 hours, with what this transaction added, are within its limit.
pub async fn are_free_covers_within(app: &App, tx: &mut Tx, account: &AccountId) -> Result<bool> {
    Ok(free_covers(app, tx, account).await? <= app.config.limits.free_covers_per_day)
}

/// Locks the account's row, so that no two transactions take the last one.
async fn free_covers(app: &App, tx: &mut Tx, account: &AccountId) -> Result<i64> {
    store::lock(&app.database, tx, account).await?;
    Ok(store::free_covers(tx, account, app.clock.now()).await?)
}

/// Takes one of the account's new API keys of a day: those that are revoked stay in the database, too.
pub(super) async fn take_new_key(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    const NEW_KEYS: Rate = Rate::new(100, Duration::from_secs(24 * 3600));
    throttle::take_in(app, tx, "new API keys in a day", caller.account_id.as_str(), NEW_KEYS).await
}

/// Every limit by name, with its use.
pub(super) fn limits(app: &App, standing: &Standing, now: Timestamp) -> BTreeMap<&'static str, Limit> {
    let counted = Countable::ALL.map(|what| (what.name(), what.limit(app), standing.usage.of(what)));
    let others = [
        ("uploads", app.config.limits.uploads, standing.uploads),
        (
            "free_covers_per_day",
            app.config.limits.free_covers_per_day,
            standing.free_covers,
        ),
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
            limit: app.config.limits.plans_per_minute,
            used: taken(standing.plans_until, throttle::plan_rate(app)),
        },
    );
    limits.insert(
        "changes_per_minute",
        Limit {
            limit: app.config.limits.changes_per_minute,
            used: taken(standing.changes_until, throttle::change_rate(app)),
        },
    );
    limits.insert(
        "transfers",
        Limit {
            limit: i64::try_from(app.config.limits.transfers).unwrap_or(i64::MAX),
            used: None,
        },
    );
    limits.insert(
        "pages_per_book",
        Limit {
            limit: app.config.limits.pages_per_book,
            used: None,
        },
    );
    limits
}
