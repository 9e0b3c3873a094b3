//! The replies of the REST interface, after the run and during it.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Check;
use crate::api::{Api, Request};
use crate::customer::{self, Customer};
use crate::figures::Figures;
use crate::site::CREDITS;

/// No reply during the run contradicted the specification, and each request got one.
pub(super) fn during_the_run(customers: &[Customer]) -> Check {
    let violations = customers
        .iter()
        .flat_map(|customer| customer.violations.iter().cloned());
    Check::new(
        "every request got a definite reply, as specified",
        customers.len(),
        "customers",
        violations.collect(),
    )
}

/// Files were uploaded, so that a full disk could hit them. Wrong replies are among those of the run.
pub(super) fn of_uploads(figures: &Figures) -> Check {
    Check::new(
        "nodes received files during the faults",
        figures.uploads.get(),
        "uploads",
        Vec::new(),
    )
}

/// No reply had the status 500. A node that cannot reach a part it depends on, or whose disk is full, answers 503.
pub(super) fn internal_errors(figures: &Figures) -> Check {
    Check::new(
        "no reply was an internal error",
        figures.requests.get(),
        "requests",
        figures.internal_errors.get(),
    )
}

/// The repeat of an order returns the first reply and costs nothing.
pub(super) async fn of_repeats(customers: &[Customer]) -> Check {
    let mut violations = Vec::new();
    let mut count = 0;
    for customer in customers {
        for order in &customer.orders {
            count += 1;
            violations.extend(customer::repeat(&customer.api, order).await);
        }
    }
    Check::new("a repeat returns the first reply", count, "orders", violations)
}

/// An operation has ended, all nodes agree about it, and its credits follow from its items.
pub(super) async fn of_operations(customers: &[Customer]) -> Check {
    let mut violations = Vec::new();
    let mut count = 0;
    for customer in customers {
        for order in &customer.orders {
            count += 1;
            let request = Request::get(format!("/operations/{}", order.operation));
            let first = get(&customer.api, &request).await;
            if first != get(&customer.api, &request).await {
                violations.push(format!("{} differs from one node to another", order.operation));
            }
            if !adds_up(&first["operation"], order.price) {
                violations.push(format!("{} does not add up: {first}", order.operation));
            }
        }
    }
    Check::new("an operation is final and adds up", count, "operations", violations)
}

/// Returns true if an operation has ended, and its progress and credits are those of its items.
fn adds_up(operation: &Value, price: i64) -> bool {
    let items: Vec<&Value> = operation["items"].as_array().into_iter().flatten().collect();
    let count = |is_counted: &dyn Fn(&Value) -> bool| items.iter().filter(|item| is_counted(item)).count();
    let failed = count(&|item| item["status"] == "failed");
    let succeeded = count(&|item| item["status"] == "succeeded");
    // The cover of a new book is free; nothing else is.
    let refunded = count(&|item| item["status"] == "failed" && item["type"] != "cover");
    operation["finished_at"].is_string()
        && failed + succeeded == items.len()
        && operation["progress"] == json!({"completed": succeeded, "failed": failed, "total": items.len()})
        && operation["credits"] == json!({"charged": price, "refunded": refunded})
}

/// The credits of an account are those that it was granted, less its charges, and its refunds.
pub(super) async fn of_accounts(customers: &[Customer]) -> Check {
    let mut accounts: BTreeMap<&str, (&Api, i64, i64)> = BTreeMap::new();
    for customer in customers {
        let (_, charged, refunded) = accounts.entry(&customer.email).or_insert((&customer.api, 0, 0));
        for order in &customer.orders {
            let request = Request::get(format!("/operations/{}", order.operation));
            let credits = &get(&customer.api, &request).await["operation"]["credits"];
            *charged += credits["charged"].as_i64().unwrap_or_default();
            *refunded += credits["refunded"].as_i64().unwrap_or_default();
        }
    }
    let mut violations = Vec::new();
    for (email, (api, charged, refunded)) in &accounts {
        let reply = get(api, &Request::get("/me")).await;
        let expected = json!({"available": CREDITS - charged + refunded, "spent": charged, "refunded": refunded});
        let found = &reply["account"]["credits"];
        if *found != expected {
            violations.push(format!("{email} sees {found}, and its operations add up to {expected}"));
        }
    }
    Check::new(
        "an account sees the credits of its operations",
        accounts.len(),
        "accounts",
        violations,
    )
}

/// A book has each of its pages once, in the order in which they were ordered, and waits for none.
pub(super) async fn of_books(customers: &[Customer]) -> Check {
    let mut violations = Vec::new();
    let mut count = 0;
    for customer in customers {
        for book in &customer.books {
            count += 1;
            let reply = get(&customer.api, &Request::get(format!("/books/{}", book.id))).await;
            let found = &reply["book"];
            let pages = customer::pages_of(found);
            if pages != book.pages {
                let (id, expected) = (&book.id, &book.pages);
                violations.push(format!("{id} has the pages {pages:?} instead of {expected:?}"));
            }
            if found["status"] == "generating" || !found["active_operation_id"].is_null() {
                violations.push(format!("{} waits for a drawing: {found}", book.id));
            }
        }
    }
    Check::new("a book has the pages that were ordered", count, "books", violations)
}

/// Returns the JSON of a reply, or the reason for its absence as a text.
pub(super) async fn get(api: &Api, request: &Request) -> Value {
    match api.ask(request).await {
        Ok(reply) => reply.json(),
        Err(error) => Value::from(format!("{error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_credits_of_an_operation_follow_from_its_items() {
        let operation = |refunded: i64| {
            json!({
                "finished_at": "2026-11-21T09:30:00.000Z",
                "progress": {"completed": 1, "failed": 2, "total": 3},
                "credits": {"charged": 2, "refunded": refunded},
                "items": [
                    {"type": "page", "status": "succeeded"},
                    {"type": "page", "status": "failed"},
                    {"type": "cover", "status": "failed"},
                ],
            })
        };
        assert!(adds_up(&operation(1), 2));
        assert!(!adds_up(&operation(2), 2), "a free cover is not refunded");
        assert!(!adds_up(&operation(1), 3), "a price of 3 was not charged");
        let mut unfinished = operation(1);
        unfinished["finished_at"] = Value::Null;
        assert!(!adds_up(&unfinished, 2));
    }
}
