//! `/first-account/{token}` and `/reset/{token}`: links that work once.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::sign_in;

use crate::test_app::{PASSWORD, TestApp, all_accounts};

const ADA: &str = "ada@example.com";
const DAY: Duration = Duration::from_secs(24 * 3600);
const NEW_PASSWORD: &str = "another horse battery";

async fn first_link(app: &TestApp) -> String {
    let token = sign_in::offer_first_account(&app.server).await.unwrap().unwrap();
    format!("/first-account/{}", token.expose())
}

async fn reset_link(app: &TestApp) -> String {
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    let token = testing::offer_password_reset(&app.server, &account).await.unwrap();
    format!("/reset/{}", token.expose())
}

#[tokio::test]
async fn the_first_account_of_a_new_server_is_created_in_the_browser() {
    let app = TestApp::start().await;
    let link = first_link(&app).await;
    let mut browser = app.browser();
    browser.get(&link).await.expect(200, "Business plan");
    let fields = [("email", ADA), ("password", "short"), ("credits", "5")];
    browser.post(&link, &fields).await.expect(422, "must be 10 to 200");
    let fields = [("email", ADA), ("password", PASSWORD), ("credits", "many")];
    browser.post(&link, &fields).await.expect(422, "must be a whole number");
    let fields = [("email", ADA), ("password", PASSWORD), ("credits", "5")];
    browser.post(&link, &fields).await.expect_redirect("/");
    browser.get("/account").await.expect(200, ADA);
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!((account.plan, account.credits), (Plan::Business, 5));
    let log = browser.get("/admin/audit-log").await;
    log.expect(200, "Account created")
        .expect(200, "operator, business, 5 credits")
        .expect(200, &format!("{ADA} from 127.0.0.1"));
    app.check_ledger().await;
}

#[tokio::test]
async fn the_link_for_the_first_account_works_only_while_no_account_exists() {
    let app = TestApp::start().await;
    let (link, other) = (first_link(&app).await, first_link(&app).await);
    let fields = [("email", ADA), ("password", PASSWORD), ("credits", "5")];
    app.browser().post(&link, &fields).await.expect_redirect("/");
    let eve = [("email", "eve@example.com"), ("password", PASSWORD), ("credits", "5")];
    for dead in [&link, &other] {
        app.browser().get(dead).await.expect(404, "This link does not work");
        app.browser()
            .post(dead, &eve)
            .await
            .expect(404, "This link does not work");
    }
    assert_eq!(all_accounts(&app.server).await.len(), 1);
    assert!(sign_in::offer_first_account(&app.server).await.unwrap().is_none());

    let app = TestApp::start().await;
    let link = first_link(&app).await;
    app.account(0).await;
    app.browser().get(&link).await.expect(404, "This link does not work");
    app.browser()
        .post(&link, &eve)
        .await
        .expect(404, "This link does not work");

    let app = TestApp::start().await;
    let link = first_link(&app).await;
    app.server.clock.advance(DAY);
    app.browser()
        .post(&link, &fields)
        .await
        .expect(404, "This link does not work");
    assert_eq!(testing::forget_links(&app.server).await.unwrap(), 1);
    assert!(all_accounts(&app.server).await.is_empty());
}

#[tokio::test]
async fn of_two_concurrent_first_accounts_one_is_created() {
    let app = TestApp::start().await;
    let (link, other) = (first_link(&app).await, first_link(&app).await);
    let (mut ada, mut eve) = (app.browser(), app.browser());
    let fields = [("email", ADA), ("password", PASSWORD), ("credits", "5")];
    let others = [("email", "eve@example.com"), ("password", PASSWORD), ("credits", "5")];
    let both = tokio::join!(ada.post(&link, &fields), eve.post(&other, &others));
    let mut statuses = [both.0.status.as_u16(), both.1.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 404]);
    assert_eq!(all_accounts(&app.server).await.len(), 1);
}

#[tokio::test]
async fn a_link_sets_a_new_password_and_ends_every_session() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Free, 0).await;
    let link = reset_link(&app).await;
    let mut browser = app.browser();
    browser.get(&link).await.expect(200, ADA);
    browser
        .post(&link, &[("password", "short")])
        .await
        .expect(422, "must be 10 to 200");
    assert!(ada.is_signed_in().await);
    browser
        .post(&link, &[("password", NEW_PASSWORD)])
        .await
        .expect_redirect("/");
    assert!(browser.is_signed_in().await);
    assert!(!ada.is_signed_in().await);
    app.browser().sign_in(ADA, PASSWORD).await.expect(422, "is wrong");
    app.browser().sign_in(ADA, NEW_PASSWORD).await.expect_redirect("/");
    browser.get(&link).await.expect(404, "This link does not work");
    browser
        .post(&link, &[("password", PASSWORD)])
        .await
        .expect(404, "This link does not work");
    app.browser().sign_in(ADA, NEW_PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn an_expired_or_replaced_link_does_not_work() {
    let app = TestApp::start().await;
    testing::create_account(&app.server, ADA, Plan::Free, 0).await.unwrap();
    let (replaced, link) = (reset_link(&app).await, reset_link(&app).await);
    app.browser()
        .post(&replaced, &[("password", NEW_PASSWORD)])
        .await
        .expect(404, "This link does not work");
    app.server.clock.advance(DAY);
    app.browser()
        .post(&link, &[("password", NEW_PASSWORD)])
        .await
        .expect(404, "This link does not work");
    app.browser().sign_in(ADA, NEW_PASSWORD).await.expect(422, "is wrong");
    // A link for another purpose does not work either.
    let link = reset_link(&app).await;
    let token = link.strip_prefix("/reset/").unwrap();
    let fields = [("email", "eve@example.com"), ("password", PASSWORD), ("credits", "5")];
    let other = format!("/first-account/{token}");
    app.browser()
        .post(&other, &fields)
        .await
        .expect(404, "This link does not work");
    for nonsense in ["x", "%00", "%FF", &"A".repeat(43), &"A".repeat(5000)] {
        app.browser()
            .get(&format!("/reset/{nonsense}"))
            .await
            .expect(404, "This link does not work");
        app.browser()
            .get(&format!("/first-account/{nonsense}"))
            .await
            .expect(404, "This link does not work");
    }
    app.browser()
        .post(&link, &[("password", NEW_PASSWORD)])
        .await
        .expect_redirect("/");
}

#[tokio::test]
async fn a_changed_password_invalidates_links_that_would_set_another() {
    let app = TestApp::start().await;
    app.person(ADA, Plan::Free, 0).await;
    let link = reset_link(&app).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    testing::set_password(&app.server, &account, NEW_PASSWORD)
        .await
        .unwrap();
    app.browser()
        .post(&link, &[("password", PASSWORD)])
        .await
        .expect(404, "This link does not work");
    app.browser().sign_in(ADA, NEW_PASSWORD).await.expect_redirect("/");
}
