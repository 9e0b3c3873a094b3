//! Section 5 of the specification: who may call.
use axum::body::Body;
use linepress::accounts::{self, Plan};

use crate::test_app::TestApp;

#[tokio::test]
async fn a_revoked_key_is_dead_at_once() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    ada.get("/me").await.expect(200);
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    let keys = accounts::list_keys(&app.server, &account).await.unwrap();
    assert!(accounts::revoke_key(&app.server, &keys[0].id).await.unwrap());
    ada.get("/me").await.expect_error(401, "unauthorized");
}

#[tokio::test]
async fn the_key_is_sent_as_a_bearer_token_and_in_no_other_way() {
    let app = TestApp::start().await;
    let account = accounts::create(&app.server, "ada@example.com", Plan::Business, 1)
        .await
        .unwrap();
    let (_, secret) = accounts::create_key(&app.server, &account, "test").await.unwrap();
    let key = secret.expose();
    let send = async |path: &str, name: &str, value: &str| {
        app.anonymous().send("GET", path, &[(name, value)], Body::empty()).await
    };
    for good in [format!("Bearer {key}"), format!("bearer {key}")] {
        send("/me", "authorization", &good).await.expect(200);
    }
    for (name, value) in [
        ("authorization", key.to_owned()),
        ("authorization", format!("Basic {key}")),
        ("authorization", format!("Bearer {key}x")),
        ("authorization", "Bearer ".into()),
        ("x-api-key", key.to_owned()),
        ("cookie", format!("authorization=Bearer {key}; session={key}")),
    ] {
        send("/me", name, &value).await.expect_error(401, "unauthorized");
    }
    let query = format!("/me?api_key={key}&access_token={key}");
    app.anonymous().get(&query).await.expect_error(401, "unauthorized");
}

#[tokio::test]
async fn an_account_may_have_several_keys_and_all_open_the_same_account() {
    let app = TestApp::start().await;
    let account = accounts::create(&app.server, "ada@example.com", Plan::Business, 3)
        .await
        .unwrap();
    let (_, one) = accounts::create_key(&app.server, &account, "one").await.unwrap();
    let (_, other) = accounts::create_key(&app.server, &account, "other").await.unwrap();
    let (one, other) = (app.with_key(one.expose()), app.with_key(other.expose()));
    let page = app.ready_page(&one, "A fox").await;
    other.get(&format!("/pages/{page}")).await.expect(200);
    assert_eq!((one.credits().await, other.credits().await), (2, 2));
}
