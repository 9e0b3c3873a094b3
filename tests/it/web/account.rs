//! `/account` and the pages below it.
use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::credits;
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::json;

use crate::test_app::{PASSWORD, TestApp};

const ADA: &str = "ada@example.com";
const NEW: &str = "another horse battery";

#[tokio::test]
async fn the_account_shows_its_plan_its_credits_and_its_limits() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 1_234).await;
    let page = ada.get("/account").await;
    for text in [
        ADA,
        "Business",
        "1234</strong> to spend",
        "2026-11-21",
        "0 of 1\u{202f}000",
        "0 MB of 10\u{202f}000 MB",
    ] {
        page.expect(200, text);
    }
    assert_eq!(page.header("cache-control"), "private, no-store");
    assert!(!page.text.contains("Free plan"), "{}", page.text);
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    bob.get("/account")
        .await
        .expect(200, "need the Business plan. Ask the operator of this server");
    for path in [
        "/account",
        "/account/keys",
        "/account/password",
        "/account/second-factor",
    ] {
        app.browser()
            .get(path)
            .await
            .expect_redirect(&format!("/sign-in?return_to={}", path.replace('/', "%2F")));
    }
}

#[tokio::test]
async fn the_ledger_shows_where_credits_came_from_and_went() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await;
    let client = app.account(100).await;
    let body = json!({"book": {"title": "Woods & <b>", "pages": [{"title": "An owl"}, {"title": "refused"}]}});
    let second = std::time::Duration::from_secs(1);
    app.server.clock.advance(second);
    app.accepted(&client, "/books", &body).await;
    app.server.clock.advance(second);
    let page = app.ready_page(&client, "A fox").await;
    app.draw_everything().await;
    client.delete(&format!("/pages/{page}")).await.expect_no_content();
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    testing::debit(&app.server, &account, 3, "sold by mistake")
        .await
        .unwrap();
    testing::set_password(&app.server, &account, PASSWORD).await.unwrap();
    let mut ada = app.browser();
    ada.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    let shown = ada.get("/account").await;
    for text in [
        "+100",
        "Added",
        "\u{2212}2",
        "Book drawn: Woods &#38; &#60;b&#62;",
        "+1",
        "Refunded",
        "Page drawn, deleted since",
        "\u{2212}3",
        "Taken back",
        "sold by mistake",
        "21 November 2026, 12:00 UTC",
    ] {
        shown.expect(200, text);
    }
    let places: Vec<_> = ["sold by mistake", "Page drawn", "Added"]
        .map(|text| shown.text.find(text).unwrap())
        .into();
    assert!(places.is_sorted(), "the newest entries come first: {places:?}");
}

#[tokio::test]
async fn a_long_ledger_has_pages_which_are_the_accounts_own() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Free, 0).await;
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    for number in 1..=60 {
        app.server.clock.advance(std::time::Duration::from_secs(1));
        testing::grant(&app.server, &account, number).await.unwrap();
    }
    assert_eq!(credits::entries(&app.server, &account.id, 100).await.unwrap().len(), 60);
    let mut path = "/account".to_owned();
    let mut amounts = Vec::new();
    let mut pages = 0;
    loop {
        let page = ada.get(&path).await;
        page.expect(200, "class=\"entries\"");
        let entries = page.text.split("income\">+").skip(1);
        amounts.extend(entries.map(|rest| rest.split('<').next().unwrap().parse::<i64>().unwrap()));
        pages += 1;
        let Some((_, rest)) = page.text.split_once("href=\"/account?after=") else {
            break;
        };
        path = format!("/account?after={}", rest.split(['"', '#']).next().unwrap());
        bob.get(&path).await.expect_redirect("/account");
    }
    assert_eq!((pages, amounts), (3, (1..=60).rev().collect()));
    ada.get("/account?after=nonsense").await.expect_redirect("/account");
}

#[tokio::test]
async fn the_entries_of_each_month_can_be_downloaded() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Free, 7).await;
    app.server.clock.advance(std::time::Duration::from_secs(20 * 24 * 3600));
    let page = ada.get("/account").await;
    page.expect(200, "/account/ledger.csv?month=2026-12");
    page.expect(200, "/account/usage.csv?month=2026-11");
    assert!(!page.text.contains("month=2026-10"), "{}", page.text);
    let ledger = ada.get("/account/ledger.csv?month=2026-11").await;
    ledger.expect(200, ",grant,7,,,,,,");
    assert!(
        ledger.text.starts_with("\u{feff}id,"),
        "Excel needs a byte order mark: {}",
        ledger.text
    );
    assert_eq!(
        ledger.header("content-disposition"),
        "attachment; filename=\"ledger-2026-11.csv\""
    );
    let usage = ada.get("/account/usage.csv?month=2026-11").await;
    usage.expect(200, "2026-11,grant,,1,7");
    ada.get("/account/usage.csv?month=never").await.expect(404, "");
    app.browser()
        .get("/account/ledger.csv?month=2026-11")
        .await
        .expect_redirect("/sign-in?return_to=%2Faccount%2Fledger.csv%3Fmonth%3D2026-11");
}

#[tokio::test]
async fn a_key_is_made_shown_once_used_and_revoked() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 1).await;
    ada.get("/account/keys").await.expect(200, "There is no key yet");
    let made = ada
        .submit("/account/keys", "/account/keys", &[("name", "The shop's <server>")])
        .await;
    made.expect(200, "it is not shown again")
        .expect(200, "The shop&#39;s &#60;server&#62;");
    let (_, rest) = made.text.split_once("class=\"secret\">lp_").unwrap();
    let key = format!("lp_{}", rest.split('<').next().unwrap());
    let client = app.with_key(&key);
    client.get("/me").await.expect(200);
    let listed = ada.get("/account/keys").await;
    listed.expect(200, "The shop&#39;s");
    assert!(!listed.text.contains(&key), "{}", listed.text);

    let (_, rest) = listed.text.split_once("href=\"/account/keys/key_").unwrap();
    let revoke = format!("/account/keys/key_{}", rest.split('"').next().unwrap());
    // A key of another account is not found.
    let mut bob = app.person("bob@example.com", Plan::Business, 1).await;
    bob.get(&revoke).await.expect(404, "nothing here");
    bob.submit("/account/keys", &revoke, &[])
        .await
        .expect(404, "nothing here");
    client.get("/me").await.expect(200);

    ada.get(&revoke).await.expect(200, "stop working at once");
    ada.submit(&revoke, &revoke, &[]).await.expect_redirect("/account/keys");
    client.get("/me").await.expect_error(401, "unauthorized");
    ada.get("/account/keys")
        .await
        .expect(200, "Revoked")
        .expect(200, "There is no key yet");
    ada.get(&revoke).await.expect(404, "nothing here");
}

#[tokio::test]
async fn a_repeated_form_creates_one_key() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 1).await;
    let page = ada.get("/account/keys").await;
    let made = ada.send_form(&page, "/account/keys", &[("name", "laptop")]).await;
    made.expect(200, "it is not shown again");
    let again = ada.send_form(&page, "/account/keys", &[("name", "laptop")]).await;
    again.expect(409, "This key was already created");
    assert!(!again.text.contains("class=\"secret\""));
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!(accounts::list_keys(&app.server, &account).await.unwrap().len(), 1);
    // The page with this error creates another key.
    let other = ada.send_form(&again, "/account/keys", &[("name", "laptop")]).await;
    other.expect(200, "it is not shown again");
}

#[tokio::test]
async fn a_key_needs_a_name_and_the_business_plan_and_there_are_at_most_fifty() {
    let app = TestApp::start().await;
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    bob.get("/account/keys")
        .await
        .expect(200, "API keys need the Business plan");
    let refused = bob
        .submit("/account/keys", "/account/keys", &[("name", "laptop")])
        .await;
    refused.expect(403, "Business plan");
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let long = "x".repeat(101);
    for name in ["", " ", "two\nlines", &long] {
        let refused = ada.submit("/account/keys", "/account/keys", &[("name", name)]).await;
        refused.expect(422, "The name must be");
    }
    let token = ada.csrf_token("/account/keys").await;
    for number in 0..50 {
        let fields = [("name", &*format!("key {number}")), ("csrf_token", &token)];
        ada.post("/account/keys", &fields).await.expect(200, "not shown again");
    }
    let one_more = ada
        .submit("/account/keys", "/account/keys", &[("name", "one more")])
        .await;
    one_more.expect(422, "API keys is 50");
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!(accounts::list_keys(&app.server, &account).await.unwrap().len(), 50);
}

#[tokio::test]
async fn a_new_password_ends_every_other_session() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Free, 0).await;
    let mut elsewhere = app.browser();
    elsewhere.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    let path = "/account/password";
    let wrong = ada.submit(path, path, &[("current", NEW), ("password", NEW)]).await;
    wrong.expect(422, "The current password is wrong");
    let weak = ada
        .submit(path, path, &[("current", PASSWORD), ("password", "short")])
        .await;
    weak.expect(422, "must be 10 to 200 characters");
    assert!(elsewhere.is_signed_in().await);
    let before = ada.cookies.clone();
    let changed = ada
        .submit(path, path, &[("current", PASSWORD), ("password", NEW)])
        .await;
    changed.expect_redirect("/account/password?changed=yes");
    assert_ne!(ada.cookies, before);
    ada.get("/account/password?changed=yes")
        .await
        .expect(200, "Your password is changed");
    assert!(!elsewhere.is_signed_in().await);
    let mut stolen = app.browser();
    stolen.cookies = before;
    assert!(!stolen.is_signed_in().await);
    app.browser().sign_in(ADA, PASSWORD).await.expect(422, "is wrong");
    app.browser().sign_in(ADA, NEW).await.expect_redirect("/");
}

#[tokio::test]
async fn an_attacker_at_a_signed_in_browser_cannot_guess_the_password() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Free, 0).await;
    let path = "/account/password";
    let token = ada.csrf_token(path).await;
    let guess = [
        ("current", "wrong horse battery"),
        ("password", NEW),
        ("csrf_token", &token),
    ];
    for _ in 0..10 {
        ada.post(path, &guess).await.expect(422, "Nothing was changed");
    }
    let right = [("current", PASSWORD), ("password", NEW), ("csrf_token", &token)];
    ada.post(path, &right)
        .await
        .expect(429, "Too many sign-ins to this account");
}

#[tokio::test]
async fn a_connected_app_is_shown_with_scopes_and_spending_and_can_be_revoked() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 1).await;
    ada.get("/account/apps")
        .await
        .expect(200, "No app is connected")
        .expect(200, "http://linepress.test/mcp");
    let granted = app.grant(ADA, Scopes::ALL, Some(12)).await;
    let shown = ada.get("/account/apps").await;
    for text in [
        "An app",
        "this name is not verified",
        "May see your books",
        "for your credits",
        "0 of at most 12 credits spent",
        "never used",
    ] {
        shown.expect(200, text);
    }
    let revoke = format!("/account/apps/{}/revoke", granted.grant_id);
    assert!(shown.text.contains(&revoke), "{}", shown.text);
    let mut bob = app.person("bob@example.com", Plan::Business, 1).await;
    bob.get(&revoke).await.expect(404, "nothing here");
    bob.submit("/account", &revoke, &[]).await.expect(404, "nothing here");
    ada.post(&revoke, &[]).await.expect(403, "nothing was changed");
    ada.get(&revoke).await.expect(200, "Disconnect “An app”?");
    ada.submit(&revoke, &revoke, &[]).await.expect_redirect("/account/apps");
    ada.get("/account/apps").await.expect(200, "No app is connected");
    ada.get(&revoke).await.expect(404, "nothing here");
    let resource = app.server.config.mcp_url();
    let caller = linepress_accounts::grants::caller_of_token(&app.server, &granted.access_token, &resource)
        .await
        .unwrap();
    assert!(caller.is_none());
}

#[tokio::test]
async fn the_spending_limit_of_an_app_is_changed_by_its_owner_alone() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let (agent, granted) = app.agent_with(ADA, Scopes::ALL, Some(1)).await;
    let page = |key: &str| json!({"title": "A fox", "idempotency_key": key, "confirm_credits": 1});
    agent.call("create_page", page("k1")).await.expect();
    agent
        .call("create_page", page("k2"))
        .await
        .expect_error("credit_cap_reached");
    let limit = format!("/account/apps/{}/limit", granted.grant_id);
    ada.get("/account/apps").await.expect(200, &limit);
    ada.get(&limit)
        .await
        .expect(200, "1 of at most 1 credits spent")
        .expect(200, "value=\"1\"");
    for wrong in ["", "-1", "many", "1000000001"] {
        let refused = ada.submit(&limit, &limit, &[("credit_cap", wrong)]).await;
        refused.expect(422, "Enter the limit as a whole number");
    }
    let mut bob = app.person("bob@example.com", Plan::Business, 1).await;
    bob.get(&limit).await.expect(404, "nothing here");
    let more = [("credit_cap", "2")];
    bob.submit("/account", &limit, &more).await.expect(404, "nothing here");
    ada.post(&limit, &more).await.expect(403, "nothing was changed");
    agent
        .call("create_page", page("k2"))
        .await
        .expect_error("credit_cap_reached");

    ada.submit(&limit, &limit, &more).await.expect_redirect("/account/apps");
    ada.get("/account/apps")
        .await
        .expect(200, "1 of at most 2 credits spent");
    agent.call("create_page", page("k2")).await.expect();
    agent
        .call("create_page", page("k3"))
        .await
        .expect_error("credit_cap_reached");
    // Without a limit, and then with one below what was spent.
    ada.submit(&limit, &limit, &[("no_limit", "yes")])
        .await
        .expect_redirect("/account/apps");
    agent.call("create_page", page("k3")).await.expect();
    ada.submit(&limit, &limit, &[("credit_cap", "0")])
        .await
        .expect_redirect("/account/apps");
    agent
        .call("create_page", page("k4"))
        .await
        .expect_error("credit_cap_reached");
    app.check_ledger().await;

    // An app that may spend nothing has no limit to change.
    let reading = app.grant(ADA, Scopes::of(&[Scope::BooksRead]), None).await;
    let limit = format!("/account/apps/{}/limit", reading.grant_id);
    ada.get(&limit).await.expect(404, "nothing here");
}

#[tokio::test]
async fn the_new_keys_of_an_account_are_limited_per_day_even_if_others_are_revoked() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    let token = ada.csrf_token("/account/keys").await;
    let fields = [("name", "laptop"), ("csrf_token", token.as_str())];
    for _ in 0..100 {
        assert_eq!(ada.post("/account/keys", &fields).await.status, 200);
        for key in accounts::list_keys(&app.server, &account).await.unwrap() {
            if key.revoked_at.is_none() {
                testing::revoke_key(&app.server, &key.id).await.unwrap();
            }
        }
    }
    let refused = ada.post("/account/keys", &fields).await;
    refused.expect(429, "Too many new API keys in a day");
    assert_eq!(accounts::list_keys(&app.server, &account).await.unwrap().len(), 100);
}
