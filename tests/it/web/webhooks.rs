//! `/account/webhooks`.
use linepress_accounts::accounts::Plan;

use crate::test_app::{Browser, Html, Page, TestApp, Web};
use crate::testing;

const ADA: &str = "ada@example.com";
const URL: &str = "https://shop.test/events";

/// The address of the only webhook in the list.
fn webhook_of(page: &Html) -> String {
    let mut values = page.text.split('"');
    let path = values.find(|value| value.starts_with("/account/webhooks/hook_"));
    path.unwrap_or_else(|| panic!("no webhook in {}", page.text)).to_owned()
}

#[tokio::test]
async fn a_person_makes_tests_pauses_and_deletes_a_webhook() {
    let web = Web::open_for(&["shop.test"]).await;
    web.page(
        "/events",
        Page::Whole(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<fine>".to_vec()),
    );
    let app = TestApp::builder().webhook_fetcher(web.fetcher()).start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    ada.get("/account/webhooks")
        .await
        .expect(200, "There is no webhook yet.");
    let refused = ada
        .submit("/account/webhooks", "/account/webhooks", &[("url", URL)])
        .await;
    refused.expect(422, "must name at least one").expect(422, URL);
    let fields = [("url", URL), ("description", "The <shop>"), ("events", "page.ready")];
    let made = ada.submit("/account/webhooks", "/account/webhooks", &fields).await;
    made.expect(200, "Here is the secret of this webhook.");
    made.expect(200, "The &#60;shop&#62;").expect(200, "whsec_");
    let listed = ada.get("/account/webhooks").await;
    listed.expect(200, URL).expect(200, "A page was drawn");
    let path = webhook_of(&listed);
    let page = ada.get(&path).await;
    assert!(!page.text.contains("whsec_"), "the secret is shown once");

    let post = async |ada: &mut Browser, part: &str, fields: &[(&str, &str)], done: &str| {
        let sent = ada.submit(&path, &format!("{path}/{part}"), fields).await;
        sent.expect_redirect(&format!("{path}?done={done}"));
        ada.get(&path).await
    };
    post(&mut ada, "test", &[], "tested").await;
    while testing::deliver_to_webhook(&app.server).await.unwrap() {}
    let page = ada.get(&path).await;
    page.expect(200, "Delivered").expect(200, "200 &#60;fine&#62;");
    let replay = page
        .text
        .split('"')
        .find(|value| value.ends_with("/replay"))
        .unwrap()
        .to_owned();
    let part = replay.strip_prefix(&format!("{path}/")).unwrap().to_owned();
    post(&mut ada, &part, &[], "replayed").await.expect(200, "Waiting");
    let paused = post(&mut ada, "pause", &[("paused", "yes")], "paused").await;
    paused.expect(200, "Paused").expect(200, "Send events again");
    post(&mut ada, "pause", &[("paused", "no")], "resumed")
        .await
        .expect(200, "Active");
    let rotated = ada.submit(&path, &format!("{path}/secret"), &[]).await;
    rotated
        .expect(200, "whsec_")
        .expect(200, "The secret before the present one signs until");
    let deleted = ada.submit(&path, &format!("{path}/delete"), &[]).await;
    deleted.expect_redirect("/account/webhooks?done=deleted");
    ada.get(&path).await.expect(404, "");
}

#[tokio::test]
async fn a_rejected_address_is_shown_again_with_what_was_typed() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let fields = [("url", "http://shop.test/"), ("events", "page.ready")];
    let refused = ada.submit("/account/webhooks", "/account/webhooks", &fields).await;
    refused.expect(422, "Must start with https://.");
    let again = refused.form("/account/webhooks");
    assert!(again.contains(&("url".into(), "http://shop.test/".into())), "{again:?}");
    let chosen: Vec<_> = again.iter().filter(|(name, _)| name == "events").collect();
    assert_eq!(chosen, [&("events".to_owned(), "page.ready".to_owned())]);
    let made = ada
        .submit(
            "/account/webhooks",
            "/account/webhooks",
            &[("url", URL), ("events", "credits.low")],
        )
        .await;
    made.expect(200, "whsec_");
    let path = webhook_of(&ada.get("/account/webhooks").await);
    let refused = ada
        .submit(&path, &path, &[("url", "ftp://shop.test/"), ("events", "credits.low")])
        .await;
    refused.expect(422, "Must start with https://.");
    let saved = ada
        .submit(
            &path,
            &path,
            &[("url", URL), ("description", "A shop"), ("events", "credits.low")],
        )
        .await;
    saved.expect_redirect(&format!("{path}?done=saved"));
    ada.get(&path).await.expect(200, "A shop");
}

#[tokio::test]
async fn a_webhook_of_another_account_is_not_found_and_the_free_plan_makes_none() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let fields = [("url", URL), ("events", "page.ready")];
    let made = ada.submit("/account/webhooks", "/account/webhooks", &fields).await;
    made.expect(200, "whsec_");
    let path = webhook_of(&ada.get("/account/webhooks").await);
    let mut eve = app.person("eve@example.com", Plan::Business, 0).await;
    eve.get(&path).await.expect(404, "");
    for part in ["test", "pause", "secret", "delete"] {
        let sent = eve.submit("/account/webhooks", &format!("{path}/{part}"), &[]).await;
        sent.expect(404, "");
    }
    ada.get(&path).await.expect(200, URL);
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    bob.get("/account/webhooks")
        .await
        .expect(200, "Webhooks need the Business plan.");
}
