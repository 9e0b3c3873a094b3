//! What one account may have and do: counted under its lock, so that no two requests share the last place.
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::store;
use crate::app::App;
use crate::caller::Caller;
use crate::database::Tx;
use crate::error::{ErrorKind, Result};

/// A limit and how much of it is used.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Limit {
    /// How many are allowed.
    #[schema(minimum = 0)]
    pub limit: i64,
    /// The current use; null where it is counted for each book.
    #[schema(required, minimum = 0)]
    pub used: Option<i64>,
}

/// What an account has a limited number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Countable {
    /// That are not archived.
    Characters,
    Pages,
    Books,
    /// Under way.
    Generations,
    /// That have not expired.
    Uploads,
    /// Books of the last 24 hours that bought no page, each of which draws a cover for nothing.
    FreeCovers,
}

impl Countable {
    const ALL: [Self; 6] = [
        Self::Characters,
        Self::Pages,
        Self::Books,
        Self::Generations,
        Self::Uploads,
        Self::FreeCovers,
    ];

    /// The name that clients know it by.
    fn name(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::Pages => "pages",
            Self::Books => "books",
            Self::Generations => "generations",
            Self::Uploads => "uploads",
            Self::FreeCovers => "free_covers_per_day",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Characters => "active characters",
            Self::Pages => "pages",
            Self::Books => "books",
            Self::Generations => "generations under way",
            Self::Uploads => "uploads waiting",
            Self::FreeCovers => "books a day that buy no page",
        }
    }

    fn limit(self, app: &App) -> i64 {
        let limits = &app.config.limits;
        match self {
            Self::Characters => limits.characters,
            Self::Pages => limits.pages,
            Self::Books => limits.books,
            Self::Generations => limits.generations,
            Self::Uploads => limits.uploads,
            Self::FreeCovers => limits.free_covers_per_day,
        }
    }
}

/// Refuses when the account, with what this transaction added and `more` of each, has more than it may have.
pub async fn check_limits(app: &App, tx: &mut Tx, caller: &Caller, of: &[Countable], more: i64) -> Result<()> {
    store::lock(&app.database, tx, &caller.account_id).await?;
    for &what in of {
        let used = store::count_in(tx, what, &caller.account_id, app.clock.now()).await?;
        let limit = what.limit(app);
        if used + more > limit {
            let what = what.words();
            return Err(ErrorKind::AccountLimitReached { what, limit }.into());
        }
    }
    Ok(())
}

/// Takes one of the account's book plans; refuses when there were too many lately.
///
/// Each takes a minute divided by the limit, and as many as the limit may be taken ahead of time: the generic cell
/// rate algorithm, as a leaky bucket (ITU-T I.371). One statement decides, whichever node runs it.
pub async fn take_plan(app: &App, caller: &Caller) -> Result<()> {
    let now = app.clock.now();
    let each = plan_interval(app);
    let mut tx = app.database.begin().await?;
    let latest = now.plus(MINUTE).minus(each);
    if !store::take_turn(&mut tx, &caller.account_id, PLANS, now, each, latest).await? {
        let busy_until = store::busy_until(&mut tx, &caller.account_id, PLANS).await?;
        return Err(ErrorKind::RateLimited {
            what: "book plans",
            retry_after: busy_until.since(latest).max(Duration::from_secs(1)),
        }
        .into());
    }
    tx.commit().await?;
    Ok(())
}

/// Every limit by name, with its use.
pub(super) async fn limits(app: &App, caller: &Caller) -> Result<BTreeMap<&'static str, Limit>> {
    let mut tx = app.database.begin_read().await?;
    let now = app.clock.now();
    let mut limits = BTreeMap::new();
    for what in Countable::ALL {
        let used = store::count_in(&mut tx, what, &caller.account_id, now).await?;
        limits.insert(
            what.name(),
            Limit {
                limit: what.limit(app),
                used: Some(used),
            },
        );
    }
    let busy = store::busy_until(&mut tx, &caller.account_id, PLANS).await?.since(now);
    let plans = busy.as_micros().div_ceil(plan_interval(app).as_micros());
    limits.insert(
        "plans_per_minute",
        Limit {
            limit: app.config.limits.plans_per_minute,
            used: Some(i64::try_from(plans).unwrap_or(i64::MAX)),
        },
    );
    limits.insert(
        "pages_per_book",
        Limit {
            limit: app.config.limits.pages_per_book,
            used: None,
        },
    );
    Ok(limits)
}

const PLANS: &str = "plans";
const MINUTE: Duration = Duration::from_secs(60);

fn plan_interval(app: &App) -> Duration {
    MINUTE / u32::try_from(app.config.limits.plans_per_minute).unwrap_or(u32::MAX)
}
