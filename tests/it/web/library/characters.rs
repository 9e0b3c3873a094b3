//! `/library/characters`: characters are created, shared, archived and restored.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_character_is_drawn_renamed_shared_archived_and_brought_back() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 3).await;
    ada.get("/library/characters").await.expect(200, "No characters yet");
    let new = [
        ("name", "Pip & <Kit>"),
        ("description", "A hedgehog"),
        ("idempotency_key", "form-1"),
        ("price", "1"),
    ];
    let drawn = ada.submit("/library/characters/new", "/library/characters", &new).await;
    let to = drawn.header("location").to_owned();
    ada.submit("/library/characters/new", "/library/characters", &new)
        .await
        .expect_redirect(&to);
    let path = to.strip_suffix("?done=drawing").unwrap().to_owned();
    app.draw_what_is_due().await;
    let shown = ada.get(&path).await;
    shown
        .expect(200, "Pip &#38; &#60;Kit&#62;")
        .expect(200, "2 <span")
        .expect(200, "Only you see");

    ada.submit(&path, &path, &[("name", "Pip")])
        .await
        .expect_redirect(&format!("{path}?done=saved"));
    ada.submit(&path, &path, &[("name", "")])
        .await
        .expect(422, "id=\"name-error\"");
    ada.submit(&path, &format!("{path}/share"), &[("public_preview", "on")])
        .await
        .expect_redirect(&format!("{path}?done=shared"));
    let shared = ada.get(&path).await;
    let (_, preview) = shared.text.split_once("href=\"http://linepress.test/preview/").unwrap();
    let preview = format!("/preview/{}", preview.split('"').next().unwrap());
    app.browser().get(&preview).await.expect(200, "<h1>Pip</h1>");
    ada.submit(&path, &format!("{path}/share"), &[("public_preview", "off")])
        .await
        .expect_redirect(&format!("{path}?done=private"));
    app.browser().get(&preview).await.expect(404, "There is nothing here");

    let archived = ada.submit(&path, &format!("{path}/archive"), &[]).await;
    let to = archived.header("location").to_owned();
    ada.get(&path).await.expect(404, "There is nothing here");
    ada.get(&to)
        .await
        .expect(200, "No characters yet")
        .expect(200, &format!("action=\"{path}/restore\""));
    ada.submit(&to, &format!("{path}/restore"), &[])
        .await
        .expect_redirect(&format!("{path}?done=restored"));
    ada.get("/library/characters").await.expect(200, "Pip");
}

#[tokio::test]
async fn a_new_book_begins_with_a_character() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let hint = "<a href=\"/library/characters/new\">Make a character</a> first";
    browser.get("/library/books/new").await.expect(200, hint);
    let pip = app.ready_character(&ada, "Pip").await;
    let address = format!("/library/books/new?character={pip}");
    browser
        .get(&format!("/library/characters/{pip}"))
        .await
        .expect(200, &format!("href=\"{address}\">Put it in a new book"));
    let begun = browser.get(&address).await;
    begun.expect(200, &format!("name=\"character_ids\" value=\"{pip}\" checked"));
    assert!(!begun.text.contains(hint), "{}", begun.text);
    // A character of another account is not shown.
    let stranger = "char_01KAFMYG00000000000000000A";
    let begun = browser.get(&format!("/library/books/new?character={stranger}")).await;
    assert!(!begun.text.contains(stranger), "{}", begun.text);
}

#[tokio::test]
async fn a_character_is_drawn_again_for_a_credit() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/characters/{pip}");
    let again = [("description", "An owl"), ("idempotency_key", "form-1"), ("price", "1")];
    for _ in 0..2 {
        let drawn = browser.submit(&path, &format!("{path}/draw"), &again).await;
        drawn.expect_redirect(&format!("{path}?done=drawing"));
    }
    app.draw_what_is_due().await;
    browser
        .get(&path)
        .await
        .expect(200, "An owl")
        .expect(200, "image?revision=2")
        .expect(200, "1 <span");
}

#[tokio::test]
async fn the_choice_of_another_picture_of_a_character_can_be_taken_back() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let first = app.chosen_attempt(&pip).await;
    app.server.clock.advance(Duration::from_secs(60));
    app.accepted(&ada, &format!("/characters/{pip}/regenerate"), &json!({}))
        .await;
    app.draw_everything().await;
    let second = app.chosen_attempt(&pip).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/characters/{pip}");
    let shown = browser.get(&path).await;
    assert!(!shown.text.contains("Undo</button>"), "{}", shown.text);
    let choose = |attempt: &str| format!("{path}/attempts/{attempt}/choose");
    let chosen = browser.send_form(&shown, &choose(&first), &[]).await;
    let to = format!("{path}?done=chosen&attempt={second}");
    chosen.expect_redirect(&to);
    assert_eq!(app.chosen_attempt(&pip).await, first);
    let shown = browser.get(&to).await;
    let notice = shown.text.split("role=\"status\"").nth(1).unwrap();
    let notice = notice.split("</div>").next().unwrap();
    assert!(notice.contains("The picture is in use."), "{notice}");
    assert!(notice.contains(&choose(&second)), "{notice}");
    assert!(notice.contains("Undo</button>"), "{notice}");
    let undone = browser.send_form(&shown, &choose(&second), &[]).await;
    undone.expect_redirect(&format!("{path}?done=chosen&attempt={first}"));
    assert_eq!(app.chosen_attempt(&pip).await, second);
    // While another picture is being drawn, none can be chosen.
    app.accepted(&ada, &format!("/characters/{pip}/regenerate"), &json!({}))
        .await;
    let shown = browser.get(&format!("{path}?done=chosen&attempt={first}")).await;
    assert!(!shown.text.contains("Undo</button>"), "{}", shown.text);
}
