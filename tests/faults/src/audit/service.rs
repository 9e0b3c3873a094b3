//! The nodes after the last fault: each accepts, draws and prints a book for each account.
use std::sync::Arc;

use fastrand::Rng;
use hyper::StatusCode;

use super::Check;
use super::replies::get;
use crate::api::{Api, Request};
use crate::customer::{Book, Customer};
use crate::figures::Figures;
use crate::site::{Account, Site};

/// Orders a book for each account through each node. Returns a customer for each order, who uses no other node.
pub(crate) async fn order_everywhere(
    site: &Site,
    accounts: &[Account],
    figures: &Arc<Figures>,
    random: &mut Rng,
) -> Vec<Customer> {
    let mut customers = Vec::new();
    for (number, account) in accounts.iter().enumerate() {
        for node in &site.nodes {
            let name = format!("late-customer-{number}-{}", node.parts.number);
            let api = Api::new([node.parts.address].into(), account.key.clone(), Arc::clone(figures));
            let mut customer = Customer::new(name, account.email.clone(), api, random.fork());
            customer.order_ordinary_book().await;
            customers.push(customer);
        }
    }
    customers
}

/// Every book that was ordered after the last fault is drawn, and its PDF is made.
pub(crate) async fn of_each_node(customers: &[Customer]) -> Check {
    let mut violations = Vec::new();
    let mut count = 0;
    for customer in customers {
        if customer.books.is_empty() {
            violations.push(format!("{} ordered a book and has none", customer.email));
        }
        for book in &customer.books {
            count += 1;
            let fault = fault_of(&customer.api, book).await;
            violations.extend(fault.map(|fault| format!("{}: {fault}", book.id)));
        }
    }
    Check::new(
        "every node accepts, draws and prints a book",
        count,
        "books",
        violations,
    )
}

async fn fault_of(api: &Api, book: &Book) -> Option<String> {
    let reply = get(api, &Request::get(format!("/books/{}", book.id))).await;
    let pages = reply["book"]["pages"].as_array();
    if !pages.is_some_and(|pages| pages.iter().all(|page| page["status"] == "ready")) {
        return Some(format!("its pages are not ready: {reply}"));
    }
    let pdf = match api.ask(&Request::get(format!("/books/{}/pdf", book.id))).await {
        Ok(pdf) => pdf,
        Err(error) => return Some(format!("{error:#}")),
    };
    if pdf.status == StatusCode::OK && pdf.body.starts_with(b"%PDF-") {
        api.figures.pdfs.add_one();
        return None;
    }
    Some(format!("its PDF is {}", pdf.summary()))
}
