//! The scopes that each operation needs.
use linepress_accounts::accounts::{NewApiKey, Plan};
use linepress_platform::scopes::Scope;

use super::{Generation, READING, Sent, Server, TABLE, Target, all_resources, call, make_room};
use crate::test_app::TestApp;
use crate::testing;

/// The sets of scopes of which any is enough for an operation, the smallest first.
fn sufficient_scopes(operation: &str, on: Target, sent: &Sent) -> &'static [&'static [Scope]] {
    use Scope::{BooksRead, BooksWrite, CreditsSpend};
    let manages_webhooks = operation.contains(" /webhooks") && !operation.starts_with("GET ");
    let sends_events = operation.ends_with("/test") || operation.ends_with("/replay");
    let manages_webhooks = manages_webhooks || operation == "POST /callback_secret";
    if on == Server || operation.contains(" /keys") || manages_webhooks && !sends_events {
        return &[Scope::ALL];
    }
    match sent {
        _ if operation == "GET /print_formats" => &[&[BooksRead], &[BooksWrite], &[CreditsSpend]],
        _ if operation.starts_with("GET ") || READING.contains(&operation) => &[&[BooksRead], &[BooksWrite]],
        Generation(_) => &[&[BooksWrite, CreditsSpend]],
        _ => &[&[BooksWrite]],
    }
}

/// Every set of scopes that a key may have.
fn every_set_of_scopes() -> Vec<Vec<Scope>> {
    let numbers = 1..1_u32 << Scope::ALL.len();
    let set = |number: u32| {
        let scopes = Scope::ALL.iter().enumerate();
        scopes
            .filter(move |(bit, _)| number & 1 << bit != 0)
            .map(|(_, scope)| *scope)
    };
    numbers.map(|number| set(number).collect()).collect()
}

#[tokio::test]
async fn every_operation_needs_its_scopes_and_no_other() {
    let app = TestApp::start().await;
    let ada = app.account(500).await;
    app.make_operator("ada@example.com").await;
    let account = app.account_of("ada@example.com").await;
    let customer = app.account_named("ben@example.com", Plan::Business, 0).await;
    let customer = customer.account_id().await;
    let mut resources = all_resources(&app, &ada).await;
    resources.customer = customer.clone();
    for (operation, on, sent, status) in TABLE {
        let sufficient = sufficient_scopes(operation, *on, sent);
        for scopes in every_set_of_scopes() {
            let is_enough = sufficient
                .iter()
                .any(|needed| needed.iter().all(|scope| scopes.contains(scope)));
            if is_enough && !sufficient.contains(&&scopes[..]) {
                // A larger set than a sufficient one is not tried, because each call changes something.
                continue;
            }
            let terms = NewApiKey {
                scopes: Some(scopes.clone()),
                ..NewApiKey::named("scoped")
            };
            let (key, secret) = testing::create_key_with(&app.server, &account, &terms).await.unwrap();
            let reply = call(&app, &app.with_key(secret.expose()), &resources, operation, sent, &[]).await;
            testing::revoke_key(&app.server, &key.id).await.unwrap();
            if is_enough {
                assert_eq!(reply.status, *status, "{operation} with {scopes:?}: {:?}", reply.body);
                app.draw_what_is_due().await;
                continue;
            }
            let error = reply.expect_error(403, "insufficient_scope");
            reply.expect_free();
            let missing = sufficient[0].iter().find(|scope| !scopes.contains(scope)).unwrap();
            let message = error["message"].as_str().unwrap();
            assert!(
                message.contains(missing.as_str()),
                "{operation} with {scopes:?}: {message}"
            );
        }
        if operation.starts_with("DELETE") {
            make_room(&ada, &resources).await;
            resources = all_resources(&app, &ada).await;
            resources.customer = customer.clone();
        }
    }
}
