//! The pages of operators under `/admin`.
mod account;
mod accounts;
mod audit_log;
mod backups;
mod health;
mod operations;
mod plugins;
mod providers;
mod settings;
mod strangers;

use linepress_accounts::accounts::Plan;

use crate::test_app::{Browser, OPERATOR, TestApp, all_accounts};

/// Returns a browser in which an operator is signed in.
async fn operator(app: &TestApp) -> Browser {
    let browser = app.person(OPERATOR, Plan::Business, 0).await;
    app.make_operator(OPERATOR).await;
    browser
}

/// Returns the address of the page about an account.
async fn page_of(app: &TestApp, email: &str) -> String {
    let accounts = all_accounts(&app.server).await;
    let account = accounts.iter().find(|account| account.email == email).unwrap();
    format!("/admin/accounts/{}", account.id)
}
