//! The plan and the credits that an account gets when its address is verified, and what an operator decided before.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Plan};

use crate::test_app::{IdentityProvider, MailServer, PASSWORD, TestApp};

const ADA: &str = "ada@example.com";
const NEW_PASSWORD: &str = "another horse battery";

/// Starts a server that verifies addresses by mail, where Ada has signed up and has not verified hers. She may also
/// sign in with the provider.
async fn signed_up(provider: &IdentityProvider) -> TestApp {
    let mail = MailServer::start().await;
    let builder = provider.builder(false).config(|config| {
        mail.configure(config);
        config.sign_up = true;
        config.sign_up_plan = Plan::Business;
        config.sign_up_credits = 7;
    });
    let app = builder.start().await;
    let fields = [("email", ADA), ("password", PASSWORD)];
    app.browser()
        .post("/sign-up", &fields)
        .await
        .expect_redirect("/account");
    app
}

#[tokio::test]
async fn the_plan_that_an_operator_set_stays_when_the_address_is_verified() {
    for by_provider in [true, false] {
        let provider = IdentityProvider::open().await;
        let app = signed_up(&provider).await;
        let account = app.account_of(ADA).await;
        testing::set_plan(&app.server, &account, Plan::Free).await.unwrap();
        if by_provider {
            provider
                .sign_in(&mut app.browser(), "7", ADA)
                .await
                .expect_redirect("/account");
        } else {
            testing::set_password(&app.server, &account, NEW_PASSWORD)
                .await
                .unwrap();
        }
        let unverified_since = accounts::unverified_since(&app.server, &account).await;
        assert_eq!(unverified_since.unwrap(), None);
        assert_eq!(app.standing(ADA).await, (Plan::Free, 0));
        app.check_ledger().await;
    }
}

#[tokio::test]
async fn a_closed_account_whose_address_was_never_verified_stays_closed() {
    let provider = IdentityProvider::open().await;
    let app = signed_up(&provider).await;
    let account = app.account_of(ADA).await;
    testing::close(&app.server, &account).await.unwrap();
    let mut ada = app.browser();
    provider.sign_in(&mut ada, "7", ADA).await.expect(403, "is closed");
    assert!(!ada.is_signed_in().await);
    testing::set_password(&app.server, &account, NEW_PASSWORD)
        .await
        .unwrap_err();
    let closed_at: Option<i64> = sqlx::query_scalar("SELECT closed_at FROM accounts WHERE email = $1")
        .bind(ADA)
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert!(closed_at.is_some());
    assert_eq!(app.standing(ADA).await, (Plan::Free, 0));
    // An operator who opens it again decides about its plan.
    testing::set_plan(&app.server, &account, Plan::Free).await.unwrap();
    provider.sign_in(&mut ada, "7", ADA).await.expect_redirect("/account");
    assert_eq!(app.standing(ADA).await, (Plan::Free, 0));
    app.check_ledger().await;
}

#[tokio::test]
async fn an_address_receives_at_most_five_links_of_each_kind_a_day() {
    let provider = IdentityProvider::open().await;
    let app = signed_up(&provider).await;
    let mut eve = app.browser();
    eve.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    let (password, verification) = ("/forgot-password", "/account/verification");
    for _ in 0..5 {
        app.server.clock.advance(Duration::from_secs(20 * 60));
        eve.post(password, &[("email", ADA)]).await.expect(200, "is on its way");
        eve.submit("/account", verification, &[])
            .await
            .expect_redirect("/account?sent=yes");
    }
    app.server.clock.advance(Duration::from_secs(20 * 60));
    let refused = eve.post(password, &[("email", ADA)]).await;
    refused.expect(429, "to this e-mail address in a day");
    let refused = eve.submit("/account", verification, &[]).await;
    refused.expect(429, "to this address in a day");
    app.server.clock.advance(Duration::from_secs(24 * 3600 / 5));
    eve.post(password, &[("email", ADA)]).await.expect(200, "is on its way");
}
