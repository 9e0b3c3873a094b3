//! Pages of a plan that are drawn from photographs.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use serde_json::json;

use super::{Planned, opened, planned, titles};
use crate::test_app::{Browser, Form, TestApp, borrowed, pictures};

/// Chooses a photograph for the page with this number; returns the plan afterwards.
async fn with_photo(browser: &mut Browser, plan: &Planned, number: usize) -> Planned {
    let form = format!("{}/photo", plan.path);
    let shown = browser.get(&format!("{form}?page={number}")).await;
    shown.expect(200, &format!("A photograph for page {number}"));
    let sent = Form::new()
        .text("csrf_token", &shown.value_of("csrf_token"))
        .text("page", &number.to_string())
        .text("was_title", titles(&plan.fields)[number - 1])
        .picture("dog.jpg", &pictures::photograph(900, 600));
    browser
        .send_file(&form, sent)
        .await
        .expect_redirect(&format!("{}#page-{}", plan.path, number - 1));
    opened(browser, plan.path.clone()).await
}

fn sources(plan: &Planned) -> Vec<bool> {
    let sources = plan.fields.iter().filter(|(name, _)| name == "page_source_upload_id");
    sources.map(|(_, id)| !id.is_empty()).collect()
}

#[tokio::test]
async fn a_page_of_a_plan_is_drawn_from_a_photograph() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    assert_eq!(sources(&plan), [false, false, false]);
    // The button saves what was typed before it leads to the form.
    plan.set("page_title", "Our dog");
    plan.fields.push(("do".into(), "photo:0".into()));
    ada.post(&plan.path, &borrowed(&plan.fields))
        .await
        .expect_redirect(&format!("{}/photo?page=1", plan.path));
    let plan = opened(&mut ada, plan.path.clone()).await;
    let plan = with_photo(&mut ada, &plan, 1).await;
    let mut plan = with_photo(&mut ada, &plan, 3).await;
    assert_eq!(sources(&plan), [true, false, true]);
    ada.get(&plan.path).await.expect(200, "Drawn from your photograph");

    // It moves with its page, and can be taken away.
    plan.fields.push(("do".into(), "down:0".into()));
    ada.post(&plan.path, &borrowed(&plan.fields))
        .await
        .expect_redirect(&format!("{}#page-1", plan.path));
    let mut plan = opened(&mut ada, plan.path.clone()).await;
    assert_eq!(
        (sources(&plan), titles(&plan.fields)[1]),
        (vec![false, true, true], "Our dog")
    );
    plan.fields.push(("do".into(), "words:2".into()));
    ada.post(&plan.path, &borrowed(&plan.fields))
        .await
        .expect_redirect(&format!("{}#page-2", plan.path));
    let plan = opened(&mut ada, plan.path.clone()).await;
    assert_eq!(sources(&plan), [false, true, false]);

    let ordered = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    assert_eq!(ordered.status, 303, "{}", ordered.text);
    app.draw_everything().await;
    let book = ordered.header("location").split('?').next().unwrap().to_owned();
    let shown = ada.get(&book).await;
    assert_eq!(shown.text.matches("drawn from image/jpeg").count(), 1, "{}", shown.text);
}

#[tokio::test]
async fn a_photograph_that_has_expired_is_complained_about_at_its_page() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    let plan = with_photo(&mut ada, &plan, 2).await;
    app.server.clock.advance(Duration::from_secs(24 * 3600 + 1));
    let refused = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    refused
        .expect(
            422,
            "Page 2, photograph: names no upload of this account; it may have expired.",
        )
        .expect(422, "data-photo>Names no upload of this account");
    ada.get("/library").await.expect(200, "10 <span");
}

#[tokio::test]
async fn a_file_that_is_no_photograph_or_for_another_page_changes_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    let form = format!("{}/photo", plan.path);
    let token = ada.csrf_token(&plan.path).await;
    let title = titles(&plan.fields)[0].to_owned();
    let sent = |title: &str| {
        Form::new()
            .text("csrf_token", &token)
            .text("page", "1")
            .text("was_title", title)
    };
    ada.send_file(&form, sent(&title))
        .await
        .expect(422, "Is required: choose a photograph to draw from.");
    let heic = b"\0\0\0\x24ftypheic\0\0\0\0mif1heic and a photo";
    ada.send_file(&form, sent(&title).picture("dog.heic", heic))
        .await
        .expect(422, "HEIC photo");
    let other = sent("Another title").picture("dog.jpg", &pictures::photograph(900, 600));
    ada.send_file(&form, other)
        .await
        .expect_redirect(&format!("{}?done=plan-changed", plan.path));
    for page in ["0", "4"] {
        ada.get(&format!("{form}?page={page}"))
            .await
            .expect_redirect(&plan.path);
    }
    let plan = opened(&mut ada, plan.path.clone()).await;
    assert_eq!(sources(&plan), [false, false, false]);
    let mut bob = app.person("bob@example.com", Plan::Business, 1).await;
    bob.get(&format!("{form}?page=1"))
        .await
        .expect(404, "There is nothing here");
    let token = bob.csrf_token("/library").await;
    let sent = Form::new()
        .text("csrf_token", &token)
        .text("page", "1")
        .text("was_title", &title);
    bob.send_file(&form, sent.picture("dog.jpg", &pictures::photograph(900, 600)))
        .await
        .expect(404, "There is nothing here");
}

#[tokio::test]
async fn a_server_that_draws_from_words_alone_offers_no_photographs_in_a_plan() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    let shown = ada.get(&plan.path).await;
    assert!(!shown.text.contains("Draw it from a photograph"));
}
