//! The printed report of a run.
use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::PgPool;

use crate::audit::Check;
use crate::customer::Customer;
use crate::figures::Figures;
use crate::schedule::{Fault, Kind};
use crate::site::Site;

/// The number of violations of one invariant that are printed in full.
const MAX_SHOWN_VIOLATIONS: usize = 10;

/// Prints what will happen.
pub(crate) fn print_schedule(seed: u64, length: Duration, nodes: usize, faults: &[Fault]) {
    println!(
        "{} faults in {} s on {nodes} nodes, seed {seed}:",
        faults.len(),
        length.as_secs()
    );
    for fault in faults {
        println!("{fault}");
    }
}

/// Prints the number of faults by kind, and what clients and workers did meanwhile.
pub(crate) async fn print_figures(
    site: &Site,
    database: &PgPool,
    faults: &[Fault],
    customers: &[Customer],
    figures: &Figures,
    recovery: Duration,
) -> anyhow::Result<()> {
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    for fault in faults {
        *kinds.entry(fault.kind).or_default() += 1;
    }
    println!("\nfaults");
    for (kind, count) in kinds {
        line(kind.name(), count);
    }
    println!("nodes");
    let histories: Vec<_> = site.nodes.iter().map(|node| node.history()).collect();
    line("starts", histories.iter().map(|history| history.starts).sum::<usize>());
    line(
        "starts that failed during a fault",
        histories.iter().map(|history| history.failed_starts).sum::<usize>(),
    );
    println!("clients");
    line("requests", figures.requests.get());
    line("retries", figures.retries.get());
    line("replies with status 500", figures.internal_errors.get().len());
    line(
        "generations accepted",
        customers.iter().map(|customer| customer.orders.len()).sum::<usize>(),
    );
    line("orders refused", figures.refusals.get());
    line("orders repeated after their reply", figures.repeats.get());
    line("replies replayed", figures.replays.get());
    line("PDFs", figures.pdfs.get());
    line("uploads", figures.uploads.get());
    println!("drawings");
    let drawings: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT status, COUNT(*), CAST(SUM(attempts) AS BIGINT) FROM drawings GROUP BY status ORDER BY status",
    )
    .fetch_all(database)
    .await?;
    for (status, count, attempts) in &drawings {
        println!("  {status:36} {count:6} in {attempts} counted attempts");
    }
    println!(
        "  {:36} {:6.1} s",
        "the last ended after the faults by",
        recovery.as_secs_f64()
    );
    Ok(())
}

fn line(name: &str, count: impl std::fmt::Display) {
    println!("  {name:36} {count:6}");
}

/// Prints the result of each check. Returns true if no invariant is violated.
pub(crate) fn print_checks(checks: &[Check]) -> bool {
    println!("\ninvariants");
    for check in checks {
        let Check {
            invariant,
            examined,
            violations,
        } = check;
        if violations.is_empty() {
            println!("  holds     {invariant} ({examined})");
            continue;
        }
        println!("  VIOLATED  {invariant} ({} of {examined})", violations.len());
        for violation in violations.iter().take(MAX_SHOWN_VIOLATIONS) {
            println!("            {}", violation.trim_end().replace('\n', "\n            "));
        }
    }
    checks.iter().all(|check| check.violations.is_empty())
}
