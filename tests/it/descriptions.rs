//! The descriptions of pictures by a reviewer: alternative texts in PDFs and web pages.
use linepress_core::operations::OperationStatus;
use linepress_platform::config::OnReviewFailure;
use lopdf::{Document, Object};
use serde_json::json;

use crate::test_app::{Form, TestApp, pictures};

/// A server with a reviewer that describes pictures.
async fn start() -> TestApp {
    let builder = TestApp::builder().config(|config| {
        config.reviewer = "testbed.narrator".into();
        config.reviewer_on_failure = OnReviewFailure::Refuse;
    });
    builder.start().await
}

/// The alternative texts of the figures in a PDF, sorted.
pub(crate) fn alternative_texts(document: &Document) -> Vec<String> {
    let told = |object: &Object| {
        let text = object.as_dict().ok()?.get(b"Alt").ok()?;
        Some(lopdf::decode_text_string(text).unwrap())
    };
    let mut texts: Vec<_> = document.objects.values().filter_map(told).collect();
    texts.sort_unstable();
    texts
}

#[tokio::test]
async fn a_picture_of_a_page_is_described_in_the_language_of_its_book() {
    let app = start().await;
    let ada = app.account(5).await;
    let pages = json!([
        {"title": "A fox", "prompt": "A fox with the secret key of Ada"},
        {"title": "A speechless hen", "caption": "Cluck"},
        {"title": "A mute owl"},
    ]);
    let body = json!({"book": {"title": "Tiere", "language": "de", "pages": pages}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    assert_eq!(app.draw_everything().await, 4, "a missing description costs no attempt");
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let book = format!("/books/{}", accepted.book_id());
    let pdf = ada.get(&format!("{book}/pdf")).await;
    let texts = alternative_texts(&Document::load_mem(&pdf.body).unwrap());
    for text in ["de: A fox", "A speechless hen: Cluck", "A mute owl"] {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }

    let mut browser = app.browser_of("ada@example.com").await;
    let shown = ada.get(&book).await.expect(200);
    for (index, alt) in [(0, "de: A fox"), (1, "Line drawing: A speechless hen")] {
        let page = shown["book"]["pages"][index]["id"].as_str().unwrap();
        let page = browser.get(&format!("/library/pages/{page}")).await;
        page.expect(200, &format!("alt=\"{alt}\""));
    }
    app.check_ledger().await;
}

#[tokio::test]
async fn a_rate_limit_of_a_description_pauses_the_reviewer() {
    let app = start().await;
    let ada = app.account(2).await;
    let hurried = app.new_page(&ada, "A hurried fox").await;
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&hurried).await, OperationStatus::Succeeded);
    let waiting = app.new_page(&ada, "A fox").await;
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&waiting).await, OperationStatus::Running);
    app.draw_everything().await;
    assert_eq!(ada.status(&waiting).await, OperationStatus::Succeeded);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_stopping_server_stores_pictures_without_describing_them() {
    let app = start().await;
    let ada = app.account(1).await;
    app.server.stopping.give();
    let page = app.ready_page(&ada, "A fox").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&format!("/library/pages/{page}")).await;
    shown.expect(200, "alt=\"Line drawing: A fox\"");
}

#[tokio::test]
async fn a_page_without_a_book_is_described_in_english() {
    let app = start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&format!("/library/pages/{page}")).await;
    shown.expect(200, "alt=\"en: A fox\"");
    // A replacement has no description, and the picture before keeps its own.
    let earlier = app.chosen_attempt(&page).await;
    let replacement = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("/pages/{page}/image"), replacement)
        .await
        .expect(200);
    let shown = browser.get(&format!("/library/pages/{page}")).await;
    shown.expect(200, "alt=\"Line drawing: A fox\"");
    ada.post_nothing(&format!("/pages/{page}/attempts/{earlier}/choose"))
        .await
        .expect(200);
    let shown = browser.get(&format!("/library/pages/{page}")).await;
    shown.expect(200, "alt=\"en: A fox\"");
}
