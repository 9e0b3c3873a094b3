//! Credits: balances, charges and refunds.
use std::collections::{BTreeMap, BTreeSet};

use sqlx::PgPool;

use super::Check;
use crate::customer::Customer;

/// Every balance and its counters are sums of the ledger.
pub(super) async fn balances(database: &PgPool) -> anyhow::Result<Check> {
    let accounts: Vec<(String, i64, i64, i64, i64, i64, i64)> = sqlx::query_as(
        "SELECT a.email, a.credits, a.spent, a.refunded, \
           CAST(COALESCE(SUM(l.amount), 0) AS BIGINT), \
           CAST(COALESCE(-SUM(l.amount) FILTER (WHERE l.kind = 'charge'), 0) AS BIGINT), \
           CAST(COALESCE(SUM(l.amount) FILTER (WHERE l.kind = 'refund'), 0) AS BIGINT) \
         FROM accounts a LEFT JOIN ledger_entries l ON l.account_id = a.id GROUP BY a.id",
    )
    .fetch_all(database)
    .await?;
    let mut violations = Vec::new();
    for (email, credits, spent, refunded, sum, charges, refunds) in &accounts {
        if (credits, spent, refunded) != (sum, charges, refunds) {
            violations.push(format!(
                "{email} has {credits} credits, {spent} spent and {refunded} refunded; its ledger has {sum}, {charges} and {refunds}"
            ));
        }
    }
    Ok(Check::new(
        "every balance is the sum of its ledger",
        accounts.len(),
        "accounts",
        violations,
    ))
}

/// Every order that was acknowledged is charged once, and nothing else is charged.
pub(super) async fn charges(database: &PgPool, customers: &[Customer]) -> anyhow::Result<Check> {
    let entries: Vec<(String, i64)> =
        sqlx::query_as("SELECT COALESCE(operation_id, ''), amount FROM ledger_entries WHERE kind = 'charge'")
            .fetch_all(database)
            .await?;
    let operations: Vec<String> = sqlx::query_scalar("SELECT id FROM operations")
        .fetch_all(database)
        .await?;
    let keys: Vec<String> = sqlx::query_scalar("SELECT key FROM idempotency_keys")
        .fetch_all(database)
        .await?;
    let mut charged: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (operation, amount) in &entries {
        charged.entry(operation).or_default().push(*amount);
    }
    let mut violations = Vec::new();
    let mut acknowledged = BTreeSet::new();
    let mut used = BTreeSet::new();
    for order in customers.iter().flat_map(|customer| &customer.orders) {
        let amounts = charged.remove(order.operation.as_str()).unwrap_or_default();
        if amounts != [-order.price] {
            let (operation, price) = (&order.operation, order.price);
            violations.push(format!("{operation} costs {price} credits and was charged {amounts:?}"));
        }
        let key = order.request.idempotency_key.as_deref().unwrap_or_default();
        if !acknowledged.insert(order.operation.as_str()) || !used.insert(key) {
            violations.push(format!("{} belongs to two orders", order.operation));
        }
    }
    for (operation, amounts) in charged {
        violations.push(format!("{operation} was charged {amounts:?} and never acknowledged"));
    }
    for operation in operations
        .iter()
        .filter(|operation| !acknowledged.contains(operation.as_str()))
    {
        violations.push(format!("{operation} was accepted and never acknowledged"));
    }
    for key in keys.iter().filter(|key| !used.contains(key.as_str())) {
        violations.push(format!("the key {key} is used and its order was never acknowledged"));
    }
    Ok(Check::new(
        "every order was charged exactly once",
        acknowledged.len(),
        "orders",
        violations,
    ))
}

/// The refunds of an operation are the credits of its failed drawings.
pub(super) async fn refunds(database: &PgPool) -> anyhow::Result<Check> {
    let operations: Vec<(String, i64, i64, i64)> = sqlx::query_as(
        "SELECT o.id, o.refunded, \
           CAST(COALESCE((SELECT SUM(d.credits) FROM drawings d WHERE d.operation_id = o.id AND d.status = 'failed'), 0) AS BIGINT), \
           CAST(COALESCE((SELECT SUM(l.amount) FROM ledger_entries l WHERE l.operation_id = o.id AND l.kind = 'refund'), 0) AS BIGINT) \
         FROM operations o",
    )
    .fetch_all(database)
    .await?;
    let mut violations = Vec::new();
    for (operation, refunded, failed, entries) in &operations {
        if (refunded, failed) != (entries, entries) {
            violations.push(format!(
                "{operation} states a refund of {refunded}, its failed drawings cost {failed}, and the ledger has {entries}"
            ));
        }
    }
    Ok(Check::new(
        "refunds are the credits of failed drawings",
        operations.len(),
        "operations",
        violations,
    ))
}
