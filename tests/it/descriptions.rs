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
async fn a_person_corrects_the_text_of_a_picture() {
    let app = start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox", "A hen"]).await;
    let page = format!("/pages/{}", ada.page_ids(&book).await[0]);
    let described = ada.look(&page, "page").await;
    assert_eq!(described["alternative_text"], "en: A fox");
    let printed = async || {
        let pdf = ada.get(&format!("/books/{book}/pdf")).await;
        alternative_texts(&Document::load_mem(&pdf.body).unwrap())
    };
    let is_printed = |texts: &[String], text: &str| texts.iter().any(|found| found == text);
    assert!(is_printed(&printed().await, "en: A fox"));
    let correct = async |text: &str| {
        let body = json!({"page": {"alternative_text": text}});
        let reply = ada.patch(&page, &body).await;
        reply.expect_free();
        reply.expect(200)["page"]["alternative_text"].clone()
    };
    assert_eq!(correct("A red fox sleeps").await, "A red fox sleeps");
    let texts = printed().await;
    for (text, expected) in [
        ("A red fox sleeps", true),
        ("en: A hen", true),
        ("en: A fox", false),
        ("A fox", false),
    ] {
        assert_eq!(is_printed(&texts, text), expected, "{text}: {texts:?}");
    }
    // Without one, the title is read.
    assert_eq!(correct("").await, json!(null));
    assert!(is_printed(&printed().await, "A fox"));

    // Each picture has its own.
    correct("A red fox sleeps").await;
    let earlier = app.chosen_attempt(page.trim_start_matches("/pages/")).await;
    let replacement = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("{page}/image"), replacement)
        .await
        .expect(200);
    assert_eq!(ada.look(&page, "page").await["alternative_text"], json!(null));
    assert_eq!(correct("My own fox").await, "My own fox");
    let chosen = ada.post_nothing(&format!("{page}/attempts/{earlier}/choose")).await;
    assert_eq!(chosen.expect(200)["page"]["alternative_text"], "A red fox sleeps");
}

#[tokio::test]
async fn a_page_without_a_picture_has_no_text_to_correct() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let waiting = format!("/pages/{}", app.new_page(&ada, "A fox").await.page_id());
    let body = json!({"page": {"title": "A wolf", "alternative_text": "A wolf howls"}});
    ada.patch(&waiting, &body)
        .await
        .expect_fields(&["page.alternative_text"]);
    let unchanged = ada.look(&waiting, "page").await;
    assert_eq!(
        (&unchanged["title"], &unchanged["alternative_text"]),
        (&json!("A fox"), &json!(null))
    );
    let empty = json!({"page": {"title": "A wolf", "alternative_text": ""}});
    assert_eq!(ada.patch(&waiting, &empty).await.expect(200)["page"]["title"], "A wolf");
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&format!("/library{waiting}")).await;
    assert!(!shown.expect(200, "Save").text.contains("alternative_text"));
}

#[tokio::test]
async fn a_text_is_corrected_in_the_browser() {
    let app = start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/library/pages/{page}");
    let mut browser = app.browser_of("ada@example.com").await;
    browser.get(&path).await.expect(200, "en: A fox</textarea>");
    let corrected = [("alternative_text", "A red fox\r\nsleeps")];
    browser
        .submit(&path, &path, &corrected)
        .await
        .expect_redirect(&format!("{path}?done=saved"));
    browser.get(&path).await.expect(200, "alt=\"A red fox sleeps\"");
    let long = "x".repeat(501);
    browser
        .submit(&path, &path, &[("alternative_text", &long)])
        .await
        .expect(422, "id=\"alternative_text-error\"")
        .expect(422, &long);
    browser
        .submit(&path, &path, &[("alternative_text", "")])
        .await
        .expect_redirect(&format!("{path}?done=saved"));
    browser.get(&path).await.expect(200, "alt=\"Line drawing: A fox\"");
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
