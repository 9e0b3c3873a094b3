//! The audit after a run: compares what customers were told with the database, the object store and the nodes.
mod ledger;
mod nodes;
mod objects;
mod replies;
mod service;
mod work;

use std::time::{Duration, Instant};

use sqlx::PgPool;
use tokio::time;

pub(crate) use service::{of_each_node, order_everywhere};
pub(crate) use work::of_the_run;

use crate::customer::Customer;
use crate::figures::Figures;
use crate::site::Site;

/// Much longer than drawings need to end after the last fault: a provider is paused for at most a minute.
const END_TIMEOUT: Duration = Duration::from_secs(300);

/// The result of examining one invariant.
pub(crate) struct Check {
    pub invariant: &'static str,
    /// The number of things that were examined, with their name.
    pub examined: String,
    pub violations: Vec<String>,
}

impl Check {
    fn new(invariant: &'static str, count: usize, things: &str, mut violations: Vec<String>) -> Self {
        // Nothing is wrong with no things at all, for example when no order was accepted.
        if count == 0 {
            violations.push(format!("there were no {things} to examine"));
        }
        Self {
            invariant,
            examined: format!("{count} {things}"),
            violations,
        }
    }
}

/// Waits until every operation has ended. Returns the time that this took; an operation that does not end is a finding
/// of the audit.
pub(crate) async fn await_end(database: &PgPool) -> anyhow::Result<Duration> {
    let began = Instant::now();
    loop {
        let open: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM operations WHERE finished_at IS NULL")
            .fetch_one(database)
            .await?;
        if open == 0 || began.elapsed() > END_TIMEOUT {
            return Ok(began.elapsed());
        }
        time::sleep(Duration::from_millis(200)).await;
    }
}

/// Examines all invariants. The replies come first, because a repeat that is charged shows in the ledger.
pub(crate) async fn examine(
    site: &Site,
    database: &PgPool,
    customers: &[Customer],
    figures: &Figures,
) -> anyhow::Result<Vec<Check>> {
    Ok(vec![
        replies::during_the_run(customers),
        replies::of_uploads(figures),
        replies::of_repeats(customers).await,
        replies::of_operations(customers).await,
        replies::of_accounts(customers).await,
        replies::of_books(customers).await,
        work::ended(database).await?,
        work::drawn_once(database).await?,
        ledger::balances(database).await?,
        ledger::charges(database, customers).await?,
        ledger::refunds(database).await?,
        objects::pictures(customers).await,
        objects::doctor(site).await?,
        nodes::processes(site),
        // At the end, because the other checks send requests.
        replies::internal_errors(figures),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invariant_of_which_nothing_was_examined_is_violated() {
        assert!(
            Check::new("pages are ready", 1, "pages", Vec::new())
                .violations
                .is_empty()
        );
        let check = Check::new("pages are ready", 0, "pages", Vec::new());
        assert_eq!(check.violations, ["there were no pages to examine"]);
    }
}
