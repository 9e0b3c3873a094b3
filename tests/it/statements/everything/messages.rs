//! Webhooks and mails.
use std::time::Duration;

use linepress::server;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::outbox;
use serde_json::json;

use crate::test_app::{Actor, Browser, MailBehavior, MailServer, PASSWORD, Page, TestApp, Web, book_of};
use crate::testing;

/// Creates a webhook with two secrets; returns its path.
pub(super) async fn add_webhook(ada: &Actor) -> String {
    let new = json!({"webhook": {"url": "https://id.pictures.test/events"}});
    let made = ada.post("/webhooks", &new).await.expect(201);
    let path = format!("/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    let rotate = format!("{path}/rotate_secret");
    ada.post(&rotate, &json!({"overlap_hours": 1})).await.expect(200);
    path
}

/// Sends events to a receiver that is gone, and uses the log of what was sent.
pub(super) async fn deliver_events(app: &TestApp, web: &Web, ada: &Actor, webhook: &str) {
    web.page(
        "/events",
        Page::Whole(b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n".to_vec()),
    );
    while testing::deliver_to_webhook(&app.server).await.unwrap() {}
    ada.get("/webhooks").await.expect(200);
    for is_paused in [false, true, false] {
        let change = json!({"webhook": {"paused": is_paused}});
        ada.patch(webhook, &change).await.expect(200);
    }
    let log = ada.get(&format!("{webhook}/deliveries")).await.expect(200);
    let delivery = log["deliveries"][0]["id"].as_str().unwrap();
    ada.post_nothing(&format!("{webhook}/deliveries/{delivery}/replay"))
        .await
        .expect(200);
    ada.post_nothing(&format!("{webhook}/test")).await.expect(200);
    ada.delete(webhook).await.expect_no_content();
}

/// Sends mails from a node that has a mail server, and uses the links in them.
pub(super) async fn mail(app: &TestApp) {
    let mail = MailServer::start().await;
    let node = app.another_node_with(|config| mail.configure(config)).await;
    let browser = || Browser::of(server::router(node.clone()));
    let (email, mut ivy) = ("ivy@example.com", browser());
    ivy.post("/sign-up", &[("email", email), ("password", PASSWORD)])
        .await
        .expect_redirect("/account");
    mail.behave(MailBehavior::Busy);
    assert!(testing::deliver_mail(&node).await.unwrap());
    assert_eq!(outbox::waiting(&node).await.unwrap(), 1);
    mail.behave(MailBehavior::Take);
    node.clock.advance(Duration::from_secs(600));
    assert!(testing::deliver_mail(&node).await.unwrap());
    let link = mail.take_one().path("/verify/");
    ivy.submit(&link, &link, &[])
        .await
        .expect_redirect("/account?verified=yes");
    ivy.submit(
        "/account",
        "/account/notices",
        &[("book_ready", "yes"), ("low_credits", "yes")],
    )
    .await
    .expect_redirect("/account?saved=yes#notices");
    browser()
        .post("/forgot-password", &[("email", email)])
        .await
        .expect(200, "is on its way");
    assert!(testing::deliver_mail(&node).await.unwrap());
    mail.take_one().path("/reset/");
    let account = accounts::find(&node, email).await.unwrap().unwrap();
    testing::set_plan(&node, &account, Plan::Business).await.unwrap();
    testing::grant(&node, &account, 5).await.unwrap();
    let (_, key) = testing::create_key(&node, &account, "laptop").await.unwrap();
    let ivy = app.with_key(key.expose()).at(server::router(node.clone()));
    app.accepted(&ivy, "/books", &book_of(1)).await;
    while testing::work_once(&node).await.unwrap() {}
    while testing::deliver_mail(&node).await.unwrap() {}
    for mail in mail.take() {
        let link = mail.path("/unsubscribe/");
        browser().post(&link, &[]).await.expect(200, "no longer get an e-mail");
    }
}
