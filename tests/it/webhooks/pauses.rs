//! Webhooks whose receivers fail are paused, and resumed by their owners.
use std::time::Duration;

use linepress_accounts::webhooks::{self, AttemptResult, Response};
use serde_json::{Value, json};

use super::{LONG, URL, deliver, deliveries, received, start, status, webhook};
use crate::test_app::{MailServer, TestApp, Web};
use crate::testing;

#[tokio::test]
async fn a_receiver_that_fails_for_a_day_is_paused_until_the_account_resumes_it() {
    let (app, web) = start().await;
    web.page("/events", status("503 Service Unavailable"));
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    for _ in 0..20 {
        deliver(&app).await;
        app.server.clock.advance(LONG / 3);
    }
    let paused = ada.look(&webhook.path, "webhook").await;
    assert_eq!(paused["pause_reason"], "failures");
    let log = deliveries(&ada, &webhook).await;
    let sent = web.requests().len();
    assert_eq!(log[0]["attempts"], i64::try_from(sent).unwrap());
    assert!(sent >= 5, "{sent}");
    // While it is paused, nothing is recorded for it, and nothing is sent.
    app.ready_page(&ada, "An owl").await;
    deliver(&app).await;
    assert_eq!(
        (deliveries(&ada, &webhook).await.len(), web.requests().len()),
        (1, sent)
    );
    let test = ada.post_nothing(&format!("{}/test", webhook.path)).await;
    test.expect_fields(&["paused"]);

    web.page("/events", status("204 No Content"));
    let resume = json!({"webhook": {"paused": false}});
    let resumed = ada.patch(&webhook.path, &resume).await.expect(200);
    assert_eq!(
        (&resumed["webhook"]["paused_at"], &resumed["webhook"]["failing_since"]),
        (&Value::Null, &Value::Null)
    );
    let replay = format!("{}/deliveries/{}/replay", webhook.path, log[0]["id"].as_str().unwrap());
    let replayed = ada.post_nothing(&replay).await.expect(200);
    assert_eq!(replayed["delivery"]["status"], "waiting");
    deliver(&app).await;
    let log = deliveries(&ada, &webhook).await;
    assert_eq!(log[0]["status"], "delivered");
    let events = received(&web);
    assert_eq!(events.last().unwrap().id, events[0].id);
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_paused_at_once() {
    let (app, web) = start().await;
    web.page("/events", status("410 Gone"));
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!([])).await;
    app.ready_page(&ada, "A fox").await;
    deliver(&app).await;
    assert_eq!(web.requests().len(), 1);
    let paused = ada.look(&webhook.path, "webhook").await;
    assert_eq!(paused["pause_reason"], "gone");
    // The account paused nothing, and the reason remains when it asks for a pause.
    let pause = json!({"webhook": {"paused": true}});
    let paused = ada.patch(&webhook.path, &pause).await.expect(200);
    assert_eq!(paused["webhook"]["pause_reason"], "gone");
}

#[tokio::test]
async fn a_changed_address_begins_anew_and_an_owners_pause_gives_up_nothing() {
    let (app, web) = start().await;
    web.page("/events", status("503 Service Unavailable"));
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    deliver(&app).await;
    let shown = ada.look(&webhook.path, "webhook").await;
    assert_ne!(shown["failing_since"], Value::Null);
    let moved = json!({"webhook": {"url": "https://shop.test/elsewhere"}});
    let moved = ada.patch(&webhook.path, &moved).await.expect(200);
    assert_eq!(moved["webhook"]["failing_since"], Value::Null);

    let pause = |paused: bool| json!({"webhook": {"paused": paused}});
    ada.patch(&webhook.path, &pause(true)).await.expect(200);
    app.server.clock.advance(LONG);
    web.page("/elsewhere", status("204 No Content"));
    deliver(&app).await;
    assert_eq!(deliveries(&ada, &webhook).await[0]["status"], "waiting");
    ada.patch(&webhook.path, &pause(false)).await.expect(200);
    deliver(&app).await;
    assert_eq!(deliveries(&ada, &webhook).await[0]["status"], "delivered");
}

#[tokio::test]
async fn an_attempt_at_an_address_that_was_changed_meanwhile_pauses_nothing() {
    let (app, web) = start().await;
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    app.ready_page(&ada, "A fox").await;
    let mut claimed = webhooks::claim(&app.server, LONG).await.unwrap().unwrap();
    let due = webhooks::next_due(&app.server, &claimed).await.unwrap().unwrap();
    let moved = json!({"webhook": {"url": "https://shop.test/elsewhere"}});
    ada.patch(&webhook.path, &moved).await.expect(200);
    assert!(webhooks::next_due(&app.server, &claimed).await.unwrap().is_none());
    let gone = AttemptResult {
        response: Ok(Response {
            status: 410,
            text: String::new(),
        }),
        duration: Duration::ZERO,
    };
    webhooks::conclude(&app.server, &mut claimed, &due, &gone)
        .await
        .unwrap();
    let shown = ada.look(&webhook.path, "webhook").await;
    assert_eq!(shown["paused_at"], Value::Null);
    drop(web);
}

#[tokio::test]
async fn the_owner_is_told_once_that_a_webhook_was_paused() {
    let (web, mail) = (Web::open_for(&["shop.test"]).await, MailServer::start().await);
    web.page("/events", status("410 Gone"));
    let builder = TestApp::builder().config(|config| mail.configure(config));
    let app = builder.webhook_fetcher(web.fetcher()).start().await;
    let ada = app.account(9).await;
    let webhook = webhook(&ada, json!(["page.ready"])).await;
    let deliver_mail = async || while testing::deliver_mail(&app.server).await.unwrap() {};
    app.ready_page(&ada, "A fox").await;
    app.ready_page(&ada, "An owl").await;
    deliver(&app).await;
    deliver_mail().await;
    let letter = mail.take_one();
    assert_eq!(
        letter.header("Subject"),
        "Linepress no longer sends events to your webhook"
    );
    for said in [URL, "410", "http://linepress.test/account/webhooks"] {
        assert!(letter.text.contains(said), "{}", letter.text);
    }
    // A notice that is no longer true is not sent.
    let resume = json!({"webhook": {"paused": false}});
    ada.patch(&webhook.path, &resume).await.expect(200);
    app.ready_page(&ada, "A hare").await;
    deliver(&app).await;
    ada.patch(&webhook.path, &resume).await.expect(200);
    deliver_mail().await;
    assert!(mail.take().is_empty());
}
