//! `/library/pages/draw_from` and `/library/characters/draw_from`: pages and characters drawn from a photograph.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use serde_json::json;

use crate::test_app::{Form, TestApp, pictures};

fn form(token: &str, key: &str, photograph: &[u8]) -> Form {
    let form = Form::of_page(token, key)
        .text("title", "Our dog")
        .text("aspect", "landscape")
        .text("price", "1");
    form.picture("dog.jpg", photograph)
}

#[tokio::test]
async fn a_photograph_is_drawn_once_and_then_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let new = "/library/pages/new";
    browser.get(new).await.expect(200, "Have a photograph drawn");
    let token = browser.csrf_token(new).await;
    let photograph = pictures::photograph(900, 600);
    let mut places = Vec::new();
    for _ in 0..2 {
        let sent = browser
            .send_file("/library/pages/draw_from", form(&token, "form-1", &photograph))
            .await;
        assert_eq!(sent.status, 303, "{}", sent.text);
        places.push(sent.header("location").to_owned());
    }
    assert_eq!(places[0], places[1], "a repeated form creates one page");
    app.draw_everything().await;
    // The note of the test bed's provider about a drawing made from a picture.
    browser
        .get(&places[0])
        .await
        .expect(200, "drawn from image/jpeg, which is a JPEG")
        .expect(200, "Landscape");
    assert_eq!((ada.credits().await, ada.count("pages").await), (2, 1));

    let other = browser
        .send_file(
            "/library/pages/draw_from",
            form(&token, "form-1", &pictures::photograph(600, 900)),
        )
        .await;
    other.expect(409, "That did not work");
    let text = browser
        .send_file("/library/pages/draw_from", form(&token, "form-2", b"<svg/>"))
        .await;
    text.expect(422, "That did not work").expect(422, "value=\"Our dog\"");
    let none = Form::of_page(&token, "form-3").text("title", "Our dog");
    browser
        .send_file("/library/pages/draw_from", none)
        .await
        .expect(422, "Choose a photograph to draw from.");
    assert_eq!((ada.credits().await, ada.count("pages").await), (2, 1));
}

#[tokio::test]
async fn a_page_of_a_book_is_drawn_from_a_photograph() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/pages/{page}");
    let shown = browser.get(&format!("{path}?book={book}")).await;
    let draw_from = format!("{path}/draw_from?book={book}");
    shown.expect(200, &format!("action=\"{draw_from}\""));
    let token = browser.csrf_token(&path).await;
    let photograph = pictures::photograph(900, 600);
    let again = |key: &str| Form::of_page(&token, key).text("price", "1");
    for _ in 0..2 {
        let sent = browser
            .send_file(&draw_from, again("form-1").picture("dog.jpg", &photograph))
            .await;
        sent.expect_redirect(&format!("{path}?book={book}&done=drawing"));
    }
    let hint = "The picture was drawn from your photograph.";
    let caption = json!({"page": {"caption": "A boat at sea"}});
    ada.patch(&format!("/pages/{page}"), &caption).await.expect(200);
    assert!(!browser.get(&path).await.text.contains(hint));
    app.draw_everything().await;
    browser
        .get(&path)
        .await
        .expect(200, "drawn from image/jpeg")
        .expect(200, hint)
        .expect(200, "<a href=\"#caption\">Change the line</a>")
        .expect(200, "id=\"caption\"");
    // An edited line was written for this picture.
    app.server.clock.advance(Duration::from_secs(1));
    let caption = json!({"page": {"caption": "Our dog at sea"}});
    ada.patch(&format!("/pages/{page}"), &caption).await.expect(200);
    assert!(!browser.get(&path).await.text.contains(hint));
    let none = browser.send_file(&draw_from, again("form-2")).await;
    none.expect(422, "Is required: choose a photograph to draw from.");
    let text = browser
        .send_file(&draw_from, again("form-3").picture("dog.jpg", b"<svg/>"))
        .await;
    text.expect(422, "That did not work");

    let add = format!("/library/books/{book}/draw_from");
    browser
        .get(&format!("/library/books/{book}/add"))
        .await
        .expect(200, &format!("action=\"{add}\""));
    let new = form(&token, "form-4", &photograph);
    browser
        .send_file(&add, new)
        .await
        .expect_redirect(&format!("/library/books/{book}?done=drawing"));
    app.draw_everything().await;
    assert_eq!(ada.page_ids(&book).await.len(), 2);
    browser
        .get(&format!("/library/books/{book}"))
        .await
        .expect(200, "drawn from image/jpeg")
        .expect(200, "Our dog");
    let none = Form::of_page(&token, "form-5")
        .text("title", "Our dog")
        .text("price", "1");
    browser
        .send_file(&add, none)
        .await
        .expect(422, "Is required: choose a photograph to draw from.")
        .expect(422, "value=\"Our dog\"");
    assert_eq!(ada.credits().await, 6);
}

#[tokio::test]
async fn a_character_is_drawn_from_a_photograph() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let new = "/library/characters/new";
    let shown = browser.get(new).await;
    shown.expect(200, "Have a photograph drawn");
    // A provider of this server looks at the pictures of characters.
    assert_eq!(is_required(&shown.text, "photo-description"), Some(false));
    let token = browser.csrf_token(new).await;
    let photograph = pictures::photograph(900, 600);
    let filled = |key: &str| Form::of_page(&token, key).text("name", "Biscuit").text("price", "1");
    let action = "/library/characters/draw_from";
    let mut places = Vec::new();
    for _ in 0..2 {
        let sent = browser
            .send_file(action, filled("form-1").picture("dog.jpg", &photograph))
            .await;
        assert_eq!(sent.status, 303, "{}", sent.text);
        places.push(sent.header("location").to_owned());
    }
    assert_eq!(places[0], places[1], "a repeated form creates one character");
    app.draw_everything().await;
    browser
        .get(&places[0])
        .await
        .expect(200, "drawn from image/jpeg, which is a JPEG");
    let none = browser.send_file(action, filled("form-2")).await;
    none.expect(422, "Choose a photograph to draw from.")
        .expect(422, "value=\"Biscuit\"");
    let text = browser
        .send_file(action, filled("form-3").picture("dog.jpg", b"<svg/>"))
        .await;
    text.expect(422, "That did not work").expect(422, "value=\"Biscuit\"");
    assert_eq!((ada.credits().await, ada.count("characters").await), (4, 1));

    let path = places[0].strip_suffix("?done=drawing").unwrap().to_owned();
    let draw_from = format!("{path}/draw_from");
    browser.get(&path).await.expect(200, &format!("action=\"{draw_from}\""));
    let again = |key: &str| {
        Form::of_page(&token, key)
            .text("was_description", "")
            .text("description", "A brown dog")
            .text("price", "1")
    };
    let sent = browser
        .send_file(&draw_from, again("form-4").picture("dog.jpg", &photograph))
        .await;
    sent.expect_redirect(&format!("{path}?done=drawing"));
    app.draw_everything().await;
    browser
        .get(&path)
        .await
        .expect(200, "drawn from image/jpeg")
        .expect(200, "<p dir=\"auto\">A brown dog</p>");
    let none = browser.send_file(&draw_from, again("form-5")).await;
    none.expect(422, "Is required: choose a photograph to draw from.");
    let mut bob = app.person("bob@example.com", Plan::Business, 1).await;
    let bobs = Form::of_page(&bob.csrf_token(new).await, "form-6").text("price", "1");
    bob.send_file(&draw_from, bobs.picture("dog.jpg", &photograph))
        .await
        .expect(404, "There is nothing here");
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn a_description_is_required_where_no_provider_looks_at_the_pictures_of_characters() {
    let app = TestApp::builder()
        .image_provider("linepress.photo", json!({}))
        .start()
        .await;
    let ada = app.account(5).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let new = "/library/characters/new";
    let why = "This server draws a character from a photograph by its description";
    let shown = browser.get(new).await;
    shown.expect(200, why);
    assert_eq!(is_required(&shown.text, "photo-description"), Some(true));
    assert_eq!(is_required(&shown.text, "description"), Some(false));

    let token = browser.csrf_token(new).await;
    let photograph = pictures::photo_of_shapes(900, 1200);
    let filled = |key: &str| Form::of_page(&token, key).text("name", "Biscuit").text("price", "1");
    let action = "/library/characters/draw_from";
    let refused = browser
        .send_file(action, filled("form-1").picture("dog.png", &photograph))
        .await;
    refused.expect(
        422,
        "id=\"photo-description-error\">Is required, because this server draws",
    );
    assert!(!refused.text.contains("id=\"description-error\""), "{}", refused.text);
    let described = filled("form-2").text("description", "A brown dog");
    let sent = browser
        .send_file(action, described.picture("dog.png", &photograph))
        .await;
    let path = sent
        .header("location")
        .strip_suffix("?done=drawing")
        .unwrap()
        .to_owned();
    app.draw_everything().await;

    let shown = browser.get(&path).await;
    shown.expect(200, why);
    assert_eq!(is_required(&shown.text, "photo-description"), Some(true));
    // A complaint about the description is shown in the form that was sent.
    let long = Form::of_page(&token, "form-3").text("description", &"x".repeat(2001));
    let refused = browser
        .send_file(&format!("{path}/draw_from"), long.picture("dog.png", &photograph))
        .await;
    refused.expect(422, "id=\"photo-description-error\"");
    assert!(!refused.text.contains("id=\"description-error\""), "{}", refused.text);
    assert_eq!(ada.credits().await, 4);
}

/// Reports whether the text field with this id is required. None if the page has no such field.
fn is_required(page: &str, id: &str) -> Option<bool> {
    let (_, field) = page.split_once(&format!("<textarea id=\"{id}\""))?;
    let (attributes, _) = field.split_once('>')?;
    Some(attributes.contains(" required"))
}

#[tokio::test]
async fn a_server_that_draws_only_from_words_does_not_offer_photographs() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    app.account(1).await;
    let mut browser = app.browser_of("ada@example.com").await;
    for path in ["/library/pages/new", "/library/characters/new"] {
        let offered = browser.get(path).await;
        offered.expect(200, "Have it drawn");
        assert!(!offered.text.contains("photograph"), "{}", offered.text);
    }
}
