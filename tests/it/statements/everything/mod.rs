//! A use of the server that runs every statement.
mod account_pages;
mod drawings;
mod keys_and_apps;
mod library;
mod messages;
mod operators;

use std::time::Duration;

use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::{credits, requests, sign_in, webhooks};
use linepress_core::objects::{self, Thoroughness};
use linepress_drawings::spending;
use linepress_operator::administration::{self, plugin_calls};
use linepress_operator::monitoring::Monitor;
use serde_json::json;

use crate::test_app::{IdentityProvider, PASSWORD, TestApp};
use crate::testing;

use account_pages::{use_account_pages, use_second_factor};
use drawings::{draw, give_up};
use keys_and_apps::{use_apps, use_keys};
use library::{import, look_at_page, use_bin, use_reviews};
use messages::{add_webhook, deliver_events, mail};
use operators::{administer, back_up, maintain, store_values_of_a_plugin};

/// Uses the server in every way that runs a statement.
pub(super) async fn do_everything() -> TestApp {
    let provider = IdentityProvider::open().await;
    let app = provider
        .builder(true)
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .webhook_fetcher(provider.web.fetcher())
        .installed("linepress.sketchbook")
        .config(|config| config.sign_up = true)
        .start()
        .await;
    let server = &app.server;
    let link = sign_in::offer_first_account(server).await.unwrap().unwrap();
    let link = format!("/first-account/{}", link.expose());
    let fields = [
        ("email", "operator@example.com"),
        ("password", PASSWORD),
        ("credits", "1"),
    ];
    app.browser().post(&link, &fields).await.expect_redirect("/");
    let ada = app.account(100).await;
    use_account_pages(&app).await;
    use_second_factor(&app).await;
    use_apps(&app, &provider.web).await;
    provider
        .sign_in(&mut app.browser(), "1", "dora@example.com")
        .await
        .expect_redirect("/account");
    let fields = [("email", "emil@example.com"), ("password", PASSWORD)];
    app.browser().post("/sign-up", &fields).await.expect_redirect("/");
    provider
        .sign_in(&mut app.browser(), "2", "emil@example.com")
        .await
        .expect_redirect("/account");
    let webhook = add_webhook(&ada).await;
    ada.post_nothing("/callback_secret").await.expect(200);
    let called = json!({"page": {"title": "A"}, "callback_url": "https://id.pictures.test/events"});
    app.accepted(&ada, "/pages", &called).await;
    draw(&app, &ada).await;
    deliver_events(&app, &provider.web, &ada, &webhook).await;
    import(&app, &ada).await;
    look_at_page(&app, &ada).await;
    use_bin(&app, &ada).await;
    use_reviews(&app, &ada).await;
    for list in [
        "/characters",
        "/pages",
        "/books",
        "/operations",
        "/operations?status=failed",
        "/me",
        "/requests",
        "/ledger",
        "/usage",
        "/requests?status=4xx&code=not_found",
        "/books?q=dog&status=ready&aspect=portrait",
        "/books?q=dog&status=incomplete&sort=title",
        "/books?status=generating&sort=changed",
        "/pages?q=dog&status=ready&aspect=portrait",
        "/pages?q=dog%20night&sort=title",
        "/pages?sort=changed",
        "/characters?q=pip&status=ready",
        "/characters?archived=true&sort=title",
        "/characters?sort=changed",
    ] {
        ada.get(list).await.expect(200);
    }
    let plan = json!({"book_plan": {"theme": "Woods", "page_count": 1}});
    while ada.post("/book_plans", &plan).await.status != 429 {}
    let account = accounts::find(server, "ada@example.com").await.unwrap().unwrap();
    testing::index(server).await.unwrap();
    testing::write_request_log(server).await.unwrap();
    testing::write_plugin_calls(server).await.unwrap();
    let command_line = administration::Actor::command_line();
    let calls = plugin_calls::last(server, &command_line, "testbed.flaky")
        .await
        .unwrap();
    let call = plugin_calls::find(server, &command_line, &calls[0].id).await.unwrap();
    assert_eq!(call.unwrap().0, "testbed.flaky");
    store_values_of_a_plugin(&app).await;
    testing::trim_request_log(server, &account.id, 1).await.unwrap();
    accounts::summary(server, &account).await.unwrap();
    testing::grant(server, &account, 1).await.unwrap();
    testing::set_plan(server, &account, Plan::Business).await.unwrap();
    testing::debit(server, &account, 1, "a mistake").await.unwrap();
    credits::entries(server, &account.id, 10).await.unwrap();
    spending::since(server, None).await.unwrap();
    Monitor::new(server.clone()).text().await.unwrap();
    server.storage.put("imports/stray/image.png", "stray").await.unwrap();
    let lost = app.referred().await.into_iter().next().unwrap();
    let object = server.storage.get(&lost).await.unwrap().unwrap();
    server.storage.delete(&lost).await.unwrap();
    let found = objects::compare(server, Thoroughness::Full).await.unwrap();
    assert_eq!(found.missing.len(), 1);
    server.storage.put(&lost, object).await.unwrap();
    administer(&app).await;
    use_keys(&app, &ada).await;
    mail(&app).await;
    for key in accounts::list_keys(server, &account).await.unwrap() {
        testing::revoke_key(server, &key.id).await.unwrap();
    }
    testing::close(server, &account).await.unwrap();
    server.clock.advance(Duration::from_secs(48 * 3600));
    testing::forget_idempotency_keys(server).await.unwrap();
    testing::forget_uploads(server).await.unwrap();
    testing::forget_drafts(server).await.unwrap();
    testing::sweep_objects(server).await.unwrap();
    testing::forget_sessions(server).await.unwrap();
    testing::forget_links(server).await.unwrap();
    testing::forget_journeys(server).await.unwrap();
    testing::forget_pending_sign_ins(server).await.unwrap();
    testing::forget_grants(server).await.unwrap();
    testing::forget_throttles(server).await.unwrap();
    testing::forget_plugin_calls(server).await.unwrap();
    testing::forget_closed_plugin_stores(server).await.unwrap();
    testing::give_up_mails(server).await.unwrap();
    webhooks::forget_old(server).await.unwrap();
    requests::forget_old(server).await.unwrap();
    linepress_reviews::links::forget_old(server).await.unwrap();
    give_up(&app).await;
    server.clock.advance(Duration::from_secs(31 * 24 * 3600));
    testing::forget_requests(server).await.unwrap();
    credits::mismatches(server).await.unwrap();
    accounts::miscounted(server).await.unwrap();
    back_up(&app).await;
    maintain(&app).await;
    let actor = administration::Actor::command_line();
    administration::installation::renew_secrets(server, &actor)
        .await
        .unwrap();
    app
}
