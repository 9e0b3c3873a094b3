//! Pages of a plan that are drawn from photographs.
use std::time::Duration;

use axum::body::to_bytes;
use linepress_accounts::accounts::Plan;
use serde_json::json;

use super::{Planned, opened, planned, titles};
use crate::test_app::{Browser, Form, TestApp, borrowed, pictures};

/// Opens the form for a photograph of the page with this number; returns what it sends without a file.
async fn photo_form(browser: &mut Browser, plan: &Planned, number: usize) -> Form {
    let form = format!("{}/photo", plan.path);
    let shown = browser.get(&format!("{form}?page={number}")).await;
    shown.expect(200, &format!("A photograph for page {number}"));
    let fields = shown.form(&form);
    fields
        .iter()
        .fold(Form::new(), |form, (name, value)| form.text(name, value))
}

/// The form with a photograph.
fn photographed(form: &Form) -> Form {
    form.clone().picture("dog.jpg", &pictures::photograph(900, 600))
}

/// Chooses a photograph for the page with this number; returns the plan afterwards.
async fn with_photo(browser: &mut Browser, plan: &Planned, number: usize) -> Planned {
    let sent = photo_form(browser, plan, number).await;
    browser
        .send_file(&format!("{}/photo", plan.path), photographed(&sent))
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
    ada.get(&plan.path)
        .await
        .expect(200, "Will be drawn from your photograph");

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
async fn the_card_of_a_page_shows_its_photograph_to_the_owner_of_the_plan_alone() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    let plan = with_photo(&mut ada, &plan, 2).await;
    let shown = ada.get(&plan.path).await;
    let (_, source) = shown.text.split_once("src=\"/library/uploads/").unwrap();
    let address = format!("/library/uploads/{}", source.split('"').next().unwrap());
    assert_eq!(shown.text.matches("/library/uploads/").count(), 1);
    assert_eq!(shown.text.matches(">Choose another photograph<").count(), 1);
    assert_eq!(shown.text.matches(">Draw it from a photograph<").count(), 2);
    let picture = ada.open(&address).await;
    assert_eq!(picture.status(), 200);
    assert_eq!(picture.headers()["content-type"], "image/png");
    assert_eq!(picture.headers()["cache-control"], "private, max-age=604800, immutable");
    let bytes = to_bytes(picture.into_body(), usize::MAX).await.unwrap();
    let picture = image::load_from_memory(&bytes).unwrap();
    assert!(picture.height() < picture.width() && picture.width() <= 640);

    let mut bob = app.person("bob@example.com", Plan::Business, 1).await;
    bob.get(&address).await.expect(404, "There is nothing here");
    let anyone = app.browser().get(&address).await;
    assert_eq!(anyone.status, 303, "{}", anyone.text);
    app.server.clock.advance(Duration::from_secs(24 * 3600 + 1));
    ada.get(&address).await.expect(404, "There is nothing here");
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
async fn a_file_that_is_no_photograph_or_for_a_missing_page_changes_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    let form = format!("{}/photo", plan.path);
    let sent = photo_form(&mut ada, &plan, 1).await;
    ada.send_file(&form, sent.clone())
        .await
        .expect(422, "Is required: choose a photograph to draw from.");
    let heic = b"\0\0\0\x24ftypheic\0\0\0\0mif1heic and a photo";
    let refused = ada.send_file(&form, sent.picture("dog.heic", heic)).await;
    refused.expect(422, "HEIC photo");
    // The form that is shown again is for the same page.
    assert!(
        refused
            .form(&form)
            .iter()
            .any(|(name, page)| name == "was_page" && page.contains(titles(&plan.fields)[0])),
        "{}",
        refused.text
    );
    let token = ada.csrf_token(&plan.path).await;
    for (page, was_page) in [("0", "{}"), ("4", "{}"), ("1", "not JSON"), ("1", "")] {
        let sent = Form::new()
            .text("csrf_token", &token)
            .text("page", page)
            .text("was_page", was_page);
        ada.send_file(&form, photographed(&sent))
            .await
            .expect_redirect(&format!("{}?done=plan-changed", plan.path));
    }
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
        .text("was_page", "{}");
    bob.send_file(&form, photographed(&sent))
        .await
        .expect(404, "There is nothing here");
}

#[tokio::test]
async fn a_photograph_for_a_page_that_was_moved_or_changed_meanwhile_is_deleted() {
    let app = TestApp::builder()
        .config(|config| config.limits.uploads = 1)
        .start()
        .await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    let autosave = format!("{}/autosave", plan.path);
    let form = format!("{}/photo", plan.path);
    // The pages have the same title, and only their prompts tell them apart.
    let mut tab = opened(&mut ada, plan.path.clone()).await;
    for (field, text) in [("page_title", "A dog"), ("page_caption", "")] {
        for (_, value) in tab.fields.iter_mut().filter(|(name, _)| name == field) {
            *value = text.into();
        }
    }
    assert_eq!(ada.post(&autosave, &borrowed(&tab.fields)).await.status, 204);
    let first = photo_form(&mut ada, &plan, 1).await;

    // The tab that saved the pages saves them again, in another order and under the same version.
    let prompts: Vec<usize> = (0..tab.fields.len())
        .filter(|&index| tab.fields[index].0 == "page_prompt")
        .collect();
    assert_ne!(tab.fields[prompts[0]], tab.fields[prompts[1]]);
    tab.fields.swap(prompts[0], prompts[1]);
    assert_eq!(ada.post(&autosave, &borrowed(&tab.fields)).await.status, 204);
    ada.send_file(&form, photographed(&first))
        .await
        .expect_redirect(&format!("{}?done=plan-changed", plan.path));
    assert_eq!(
        sources(&opened(&mut ada, plan.path.clone()).await),
        [false, false, false]
    );

    // The photograph that was not used does not count toward the limit of uploads.
    let plan = with_photo(&mut ada, &plan, 2).await;
    assert_eq!(sources(&plan), [false, true, false]);
    // The tab does not know the photograph, and no longer saves.
    ada.post(&autosave, &borrowed(&tab.fields))
        .await
        .expect(409, "This plan was changed in another tab");
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
