//! Notes of the image provider about drawings: on the book, on the page, and above the list.
use serde_json::json;

use crate::test_app::{Form, TestApp, pictures};

#[tokio::test]
async fn a_note_about_a_drawing_is_shown_on_the_book_and_on_the_page() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(9).await;
    let pages = json!([
        {"title": "One", "prompt": "A fox in the forest"},
        {"title": "Two", "prompt": "A fox riding a zeppelin"},
        {"title": "Three", "prompt": "A zeppelin"},
    ]);
    let accepted = app
        .accepted(&ada, "/books", &json!({"book": {"title": "B", "pages": pages}}))
        .await;
    app.draw_everything().await;
    let book = format!("/library/books/{}", accepted.book_id());
    let page = |index: usize| {
        let page = accepted.book().pages[index].id.to_string();
        format!("/library/pages/{page}")
    };
    let known = "No drawing of &#34;zeppelin&#34; is known";
    let mut browser = app.browser_of("ada@example.com").await;
    let shown = browser.get(&book).await;
    shown.expect(200, "2 pages differ from what was asked for");
    let (_, above) = shown.text.split_once("2 pages differ").unwrap();
    let (above, _) = above.split_once("</p>").unwrap();
    assert!(
        above.contains("page 2</a>") && above.contains("page 3</a>") && !above.contains("page 1</a>"),
        "{above}"
    );
    assert_eq!(shown.text.matches(known).count(), 2);
    browser.get(&page(1)).await.expect(200, known);
    let first = browser.get(&page(0)).await;
    assert!(!first.text.contains("About the drawing"), "{}", first.text);

    // A note disappears when the picture is replaced by a drawing without a note or by an uploaded picture.
    let again = [("prompt", "A fox"), ("idempotency_key", "form-1"), ("price", "1")];
    browser
        .submit(&page(1), &format!("{}/draw", page(1)), &again)
        .await
        .expect_redirect(&format!("{}?done=drawing", page(1)));
    app.draw_everything().await;
    browser
        .get(&book)
        .await
        .expect(200, "1 page differs from what was asked for");
    let token = browser.csrf_token(&page(2)).await;
    let own = Form::of_page(&token, "form-2");
    let own = own.picture("own.png", &pictures::png(576, 768));
    browser
        .send_file(&format!("{}/replace", page(2)), own)
        .await
        .expect_done(&format!("{}?done=replaced", page(2)));
    let shown = browser.get(&book).await;
    assert!(!shown.text.contains("than was asked for"), "{}", shown.text);
    assert!(!shown.text.contains(known));
}

#[tokio::test]
async fn a_page_that_was_drawn_again_with_its_change_shows_what_was_asked_for() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(9).await;
    let pages = json!([{"title": "One", "prompt": "A fox wearing a hat"}]);
    let accepted = app
        .accepted(&ada, "/books", &json!({"book": {"title": "B", "pages": pages}}))
        .await;
    app.draw_everything().await;
    let book = format!("/library/books/{}", accepted.book_id());
    let refine = format!("/pages/{}/refine", accepted.book().pages[0].id);
    let mut browser = app.browser_of("ada@example.com").await;
    // The hat is gone after the first change, so that the second cannot be made.
    for (instruction, is_counted) in [("Remove the hat", false), ("Make the hat bigger", true)] {
        let wish = json!({"page": {"instruction": instruction}});
        app.accepted(&ada, &refine, &wish).await;
        app.draw_everything().await;
        let shown = browser.get(&book).await;
        shown.expect(200, "it was drawn again with the change in mind.");
        let counted = shown.text.contains("1 page differs from what was asked for");
        assert_eq!(counted, is_counted, "{instruction}: {}", shown.text);
    }
}

#[tokio::test]
async fn a_note_about_the_first_drawing_of_a_character_is_shown_next_to_it() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let ada = app.account(9).await;
    let mut browser = app.browser_of("ada@example.com").await;
    for (name, description, note) in [
        (
            "Zed",
            "A fox with a jetpack",
            Some("No drawing of &#34;jetpack&#34; is known"),
        ),
        ("Biscuit", "A small dog with a white belly and a red collar", None),
    ] {
        let character = json!({"character": {"name": name, "description": description}});
        let accepted = app.accepted(&ada, "/characters", &character).await;
        app.draw_everything().await;
        let path = format!("/library/characters/{}", accepted.character_id());
        let shown = browser.get(&path).await;
        let about = shown.part("about");
        match note {
            Some(note) => assert!(about.contains("About the drawing") && about.contains(note), "{about}"),
            None => assert_eq!(about, "", "{name}"),
        }
    }
}
