//! Section 5 of the specification: authentication and authorization.
use std::convert::Infallible;

use crate::testing;
use axum::body::Body;
use futures::{FutureExt as _, StreamExt as _, stream};
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::credits;
use linepress_core::operations::OperationStatus;
use serde_json::{Value, json};

use crate::test_app::TestApp;

#[tokio::test]
async fn a_revoked_key_stops_working_at_once() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    ada.get("/me").await.expect(200);
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    let keys = accounts::list_keys(&app.server, &account).await.unwrap();
    assert!(testing::revoke_key(&app.server, &keys[0].id).await.unwrap());
    ada.get("/me").await.expect_error(401, "unauthorized");
}

#[tokio::test]
async fn a_key_is_accepted_only_as_a_bearer_token() {
    let app = TestApp::start().await;
    let account = testing::create_account(&app.server, "ada@example.com", Plan::Business, 1)
        .await
        .unwrap();
    let (_, secret) = testing::create_key(&app.server, &account, "test").await.unwrap();
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
async fn several_keys_open_the_same_account() {
    let app = TestApp::start().await;
    let account = testing::create_account(&app.server, "ada@example.com", Plan::Business, 3)
        .await
        .unwrap();
    let (_, one) = testing::create_key(&app.server, &account, "one").await.unwrap();
    let (_, other) = testing::create_key(&app.server, &account, "other").await.unwrap();
    let (one, other) = (app.with_key(one.expose()), app.with_key(other.expose()));
    let page = app.ready_page(&one, "A fox").await;
    other.get(&format!("/pages/{page}")).await.expect(200);
    assert_eq!((one.credits().await, other.credits().await), (2, 2));
}

/// A body whose second half follows once `meanwhile` has completed.
fn around(body: &Value, meanwhile: impl Future<Output = ()> + Send + 'static) -> Body {
    let mut begun = body.to_string().into_bytes();
    let end = begun.split_off(begun.len() / 2);
    let begun = stream::once(async { Ok::<_, Infallible>(begun) });
    Body::from_stream(begun.chain(stream::once(async {
        meanwhile.await;
        Ok(end)
    })))
}

#[tokio::test]
async fn a_request_is_refused_when_its_account_loses_the_right_meanwhile() {
    for (ended_by, status, code) in [
        ("close", 403, "plan_required"),
        ("plan", 403, "plan_required"),
        ("key", 401, "unauthorized"),
    ] {
        let app = TestApp::start().await;
        let ada = app.account(5).await;
        let page = app.imported_page(&ada, "A fox").await;
        let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
        let costs = json!({"book": {"title": "B", "pages": [{"title": "A"}]}});
        let is_free = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
        for (key, body) in [("k1", costs), ("k2", is_free)] {
            testing::set_plan(&app.server, &account, Plan::Business).await.unwrap();
            let (made, secret) = testing::create_key(&app.server, &account, "test").await.unwrap();
            let (server, account) = (app.server.clone(), account.clone());
            let end = async move {
                match ended_by {
                    "close" => drop(testing::close(&server, &account).await.unwrap()),
                    "plan" => testing::set_plan(&server, &account, Plan::Free).await.unwrap(),
                    _ => assert!(testing::revoke_key(&server, &made.id).await.unwrap()),
                }
            };
            let headers = [("content-type", "application/json"), ("idempotency-key", key)];
            let actor = app.with_key(secret.expose());
            let reply = actor.send("POST", "/books", &headers, around(&body, end)).await;
            reply.expect_error(status, code);
        }
        let entries = credits::entries(&app.server, &account.id, 10).await.unwrap();
        assert_eq!(entries.len(), 1, "only the grant: {entries:?}");
        assert!(testing::claim(&app.server).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_failed_drawing_of_a_closed_account_is_not_retried() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    // The drawing is leased, so closing the account does not cancel it; then its provider fails.
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    let closed = testing::close(&app.server, &account).await.unwrap();
    assert_eq!((closed.drawings, closed.credits), (0, 4));
    testing::attempt(&app.server, &held).await;
    assert!(!testing::work_once(&app.server).await.unwrap(), "no drawing is due");
    testing::set_plan(&app.server, &account, Plan::Business).await.unwrap();
    let (_, secret) = testing::create_key(&app.server, &account, "again").await.unwrap();
    let ada = app.with_key(secret.expose());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 5);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_read_returns_the_balance_at_its_end() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    let path = format!("/books/{book}/pdf");
    // The request is authorized, and then its PDF waits for a permit to typeset.
    let permits: Vec<_> = std::iter::from_fn(|| app.server.renderer.permit().now_or_never()).collect();
    let mut pdf = Box::pin(ada.get(&path));
    tokio::select! {
        pdf = &mut pdf => panic!("the PDF was made without a permit: {pdf:?}"),
        () = app.until_reads_have_ended() => {}
    }
    assert_eq!(testing::grant(&app.server, &account, 7).await.unwrap(), 11);
    drop(permits);
    let pdf = pdf.await;
    assert_eq!(pdf.status, 200);
    assert_eq!(pdf.header("x-service-credits-available"), "11");
}
