//! `/library/pages/{id}/refine`: the form that changes something in a page's picture.
use std::time::Duration;

use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_person_refines_a_page_of_the_library() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    // The newest drawing of the page is the one with the note.
    app.server.clock.advance(Duration::from_secs(1));
    let path = format!("/library/pages/{page}");
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&path).await;
    shown.expect(200, "Change something in this picture");
    assert!(shown.text.contains("Everything else stays as it is."), "{}", shown.text);
    assert!(shown.text.contains("Change it for 1 credit"), "{}", shown.text);
    let form = |instruction: &'static str| {
        [
            ("instruction", instruction),
            ("idempotency_key", "form-1"),
            ("price", "1"),
        ]
    };
    let refused = browser.submit(&path, &format!("{path}/refine"), &form(" ")).await;
    refused.expect(422, "Instruction");
    let accepted = browser
        .submit(&path, &format!("{path}/refine"), &form("Remove the hat"))
        .await;
    accepted.expect_redirect(&format!("{path}?done=drawing"));
    app.draw_everything().await;
    assert_eq!(
        ada.look(&format!("/pages/{page}"), "page").await["image"]["revision"],
        2
    );
    let drawn = browser.get(&path).await;
    drawn.expect(200, "with the change &#34;Remove the hat&#34;");
}

#[tokio::test]
async fn the_texts_of_a_page_change_with_its_picture_if_the_form_changes_them() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/library/pages/{page}");
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&path).await;
    // The form does not take back what an app has changed since it was shown.
    let caption = json!({"page": {"caption": "Of an app"}});
    ada.patch(&format!("/pages/{page}"), &caption).await.expect(200);
    let wish = [("instruction", "Make it a wolf"), ("title", "A wolf")];
    let refined = browser.send_form(&shown, &format!("{path}/refine"), &wish).await;
    refined.expect_redirect(&format!("{path}?done=drawing"));
    let waiting = browser.get(&path).await;
    assert!(waiting.part("title").starts_with("A fox</h1>"), "{}", waiting.text);
    app.draw_everything().await;
    let refined = ada.page(&page).await;
    assert_eq!([refined.title, refined.caption], ["A wolf", "Of an app"]);
    // The parts that the script of the page updates.
    let drawn = browser.get(&path).await;
    assert!(drawn.part("title").starts_with("A wolf</h1>"), "{}", drawn.text);
    assert!(
        drawn.part("refine-texts").contains("value=\"A wolf\""),
        "{}",
        drawn.text
    );
}

#[tokio::test]
async fn a_refused_refinement_keeps_its_texts_and_marks_their_fields() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/library/pages/{page}");
    let refine = format!("{path}/refine");
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&path).await;
    let texts = "<summary>Title and line below the picture, if they change too";
    shown.expect(200, &format!("<details>{texts}"));
    // No two forms of the page have a field with the same id.
    for id in ["instruction", "refine-title", "refine-caption", "title", "caption"] {
        assert_eq!(shown.text.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
    let long = "x".repeat(301);
    let wish = [
        ("instruction", "Make it a wolf"),
        ("title", " "),
        ("caption", long.as_str()),
    ];
    let refused = browser.send_form(&shown, &refine, &wish).await;
    refused
        .expect(422, &format!("<details open>{texts}"))
        .expect(422, "id=\"refine-title-error\"")
        .expect(422, "id=\"refine-caption-error\"");
    for other in ["id=\"title-error\"", "id=\"caption-error\""] {
        assert!(!refused.text.contains(other), "{other} in {}", refused.text);
    }
    let field = |form: &str, name: &str| {
        let fields = refused.form(form);
        fields.into_iter().find(|(field, _)| field == name).unwrap().1
    };
    assert_eq!(field(&refine, "instruction"), "Make it a wolf");
    assert_eq!(field(&refine, "title"), "");
    assert_eq!(field(&refine, "was_title"), "A fox");
    assert_eq!(field(&refine, "caption"), long);
    assert_eq!(field(&path, "title"), "A fox");
    assert_eq!(ada.credits().await, 4);
}

#[tokio::test]
async fn the_form_says_that_a_server_without_such_a_provider_draws_the_page_again() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(5).await;
    let path = format!("/library/pages/{}", app.ready_page(&ada, "A fox").await);
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&path)
        .await
        .expect(200, "This server cannot change a picture")
        .expect(200, "Draw it again with this change for 1 credit");
}

#[tokio::test]
async fn the_form_promises_a_change_only_if_a_provider_of_the_aspect_is_switched_on() {
    let portraits = json!({"prompt": "no prompt holds this", "aspects": ["portrait"]});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", portraits)
        .next_image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let operator = app.operator().await;
    let ada = app.account(5).await;
    let portrait = app.ready_page(&ada, "A fox").await;
    let square = json!({"page": {"title": "An owl", "aspect": "square"}});
    let square = app.accepted(&ada, "/pages", &square).await.page_id();
    app.draw_what_is_due().await;
    let mut browser = app.browser_of("ada@example.com").await;
    let again = "Draw it again with this change for 1 credit";
    let shown = browser.get(&format!("/library/pages/{portrait}")).await;
    shown.expect(200, "Change it for 1 credit");
    let shown = browser.get(&format!("/library/pages/{square}")).await;
    shown
        .expect(200, "This server cannot change a picture")
        .expect(200, again);
    let reason = json!({"reason": "Too slow"});
    let switch = "/admin/providers/testbed.flaky/switch_off";
    operator.post(switch, &reason).await.expect(200);
    let shown = browser.get(&format!("/library/pages/{portrait}")).await;
    shown
        .expect(200, "This server cannot change a picture")
        .expect(200, again);
    let wish = json!({"page": {"instruction": "Remove the hat"}});
    let refined = app.accepted(&ada, &format!("/pages/{portrait}/refine"), &wish).await;
    app.draw_everything().await;
    let note = ada.operation(&refined).await.items.swap_remove(0).note.unwrap();
    assert!(note.starts_with("This server cannot change a picture"), "{note}");
}
