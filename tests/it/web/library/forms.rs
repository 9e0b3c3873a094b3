//! Forms that are refused, sent twice, or opened by their address.
use linepress_accounts::accounts::Plan;
use serde_json::json;

use crate::test_app::{Browser, Form, TestApp, borrowed, pictures};

/// Reports whether the section with this heading is open.
#[track_caller]
fn is_open(page: &str, heading: &str) -> bool {
    let (before, _) = page.split_once(&format!("<summary>{heading}</summary>")).unwrap();
    before.ends_with("<details open>")
}

#[tokio::test]
async fn a_refused_form_of_a_page_is_open_with_its_input() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/pages/{page}");
    let shown = browser.get(&path).await;
    let drawn = browser
        .send_form(&shown, &format!("{path}/draw"), &[("prompt", "A new owl")])
        .await;
    drawn.expect(402, "A new owl").expect(402, "This needs 1 credit");
    assert!(is_open(&drawn.text, "Draw it again"), "{}", drawn.text);
    assert!(!is_open(&drawn.text, "Title, words and characters"));
    assert!(!drawn.text.contains("Take pages out"));

    let token = browser.csrf_token(&path).await;
    let wide = Form::of_page(&token, "form-1")
        .text("image_url", "")
        .picture("wide.png", &pictures::png(1600, 1000));
    let replaced = browser.send_file(&format!("{path}/replace"), wide).await;
    replaced.expect(422, "has the wrong shape");
    assert!(is_open(&replaced.text, "Use your own picture"), "{}", replaced.text);
    assert!(!is_open(&replaced.text, "Draw it again"));
    let none = Form::of_page(&token, "form-2").picture("", b"");
    let none = browser.send_file(&format!("{path}/replace"), none).await;
    none.expect(422, "Is required: choose a picture.");
    assert!(!none.text.contains("send the file as multipart"));

    let words = browser
        .send_form(&shown, &path, &[("title", ""), ("caption", "Good night")])
        .await;
    words.expect(422, "Good night</textarea>");
    assert!(is_open(&words.text, "Title, words and characters"));
}

#[tokio::test]
async fn a_refused_form_of_a_book_is_open_with_its_input() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let shown = browser.get(&path).await;
    let drawn = browser
        .send_form(&shown, &format!("{path}/cover/draw"), &[("prompt", "A new moon")])
        .await;
    drawn.expect(402, "A new moon");
    assert!(is_open(&drawn.text, "Another cover"), "{}", drawn.text);
    assert!(!is_open(&drawn.text, "Title, words and characters"));
    let token = browser.csrf_token(&path).await;
    let text = Form::of_page(&token, "form-1")
        .text("style", "color")
        .picture("moon.png", b"\0\0\0\x24ftypheic\0\0\0\0mif1heic and a photo");
    let replace = format!("{path}/cover/replace");
    let replaced = browser.send_file(&replace, text).await;
    replaced.expect(422, "HEIC photo");
    assert!(is_open(&replaced.text, "Another cover"), "{}", replaced.text);
    assert!(replaced.form(&replace).contains(&("style".into(), "color".into())));
    let words = browser
        .send_form(&shown, &path, &[("title", ""), ("author", "Ada")])
        .await;
    words.expect(422, "value=\"Ada\"");
    assert!(is_open(&words.text, "Title, words and characters"));
}

#[tokio::test]
async fn a_refused_form_of_a_character_is_open_with_its_input() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/characters/{pip}");
    let shown = browser.get(&path).await;
    let drawn = browser
        .send_form(&shown, &format!("{path}/draw"), &[("description", "A new owl")])
        .await;
    drawn.expect(402, "A new owl");
    assert!(is_open(&drawn.text, "Draw it again"), "{}", drawn.text);
    let long = "x".repeat(101);
    let renamed = browser.send_form(&shown, &path, &[("name", &long)]).await;
    renamed.expect(422, &long);
    assert!(is_open(&renamed.text, "Rename"), "{}", renamed.text);
}

#[tokio::test]
async fn a_refused_import_shows_its_input_in_its_own_form() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 3).await;
    let token = ada.csrf_token("/library/pages/new").await;
    let form = Form::of_page(&token, "form-1")
        .text("title", "By hand")
        .text("caption", "Good night")
        .picture("a.png", b"no picture");
    let refused = ada.send_file("/library/pages/import", form).await;
    refused
        .expect(422, "value=\"By hand\"")
        .expect(422, "Good night</textarea>");
    assert!(
        !refused
            .form("/library/pages")
            .iter()
            .any(|(_, value)| value == "By hand")
    );
}

#[tokio::test]
async fn several_pages_are_added_together_and_only_once() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let first = app.imported_page(&ada, "A bear").await;
    let second = app.imported_page(&ada, "A cat").await;
    landscape_pages(&app, &ada.account_id().await).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let add = browser.get(&format!("{path}/add")).await;
    // Pages of another shape do not take up room in this list.
    add.expect(200, "A bear").expect(200, "A cat");
    assert!(!add.text.contains("Landscape"), "{}", add.text);
    let attach = format!("{path}/attach");
    let none = browser.send_form(&add, &attach, &[]).await;
    none.expect(422, "choose at least one");
    let mut fields = add.form(&attach);
    fields.extend([("page".into(), first.clone()), ("page".into(), second.clone())]);
    let fields = borrowed(&fields);
    for _ in 0..2 {
        let added = browser.post(&attach, &fields).await;
        added.expect_redirect(&format!("{path}?done=added"));
    }
    assert_eq!(ada.page_ids(&book).await[1..], [first, second]);
    browser
        .get(&format!("{path}/add"))
        .await
        .expect(200, "None of your pages");
    browser
        .get(&format!("{path}/add?after=nonsense"))
        .await
        .expect_redirect(&format!("{path}/add"));
}

/// Adds more newer pages than a list shows at a time.
async fn landscape_pages(app: &TestApp, account: &str) {
    let mut tx = app.server.database.begin().await.unwrap();
    for number in 0..30 {
        sqlx::query(
            "INSERT INTO pages (id, account_id, title, prompt, caption, aspect, origin, audience, status, created_at, updated_at) \
             VALUES ($1, $2, 'Landscape', 'A', '', 'landscape', 'imported', 'child', 'ready', 1, 1)",
        )
        .bind(format!("page_7{number:025}"))
        .bind(account)
        .execute(&mut *tx)
        .await
        .unwrap();
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_book_of_more_than_a_hundred_pages_shows_all_details() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One"]).await;
    let first = ada.page_ids(&book).await.remove(0);
    let change = json!({"page": {"caption": "The caption of the first"}});
    ada.patch(&format!("/pages/{first}"), &change).await.expect(200);
    let account = ada.account_id().await;
    let mut tx = app.server.database.begin().await.unwrap();
    for number in 0..100_i64 {
        let page = format!("page_7{number:025}");
        for statement in [
            "INSERT INTO pages (id, account_id, title, prompt, caption, aspect, origin, audience, status, created_at, updated_at) \
             VALUES ($1, $2, 'More', 'A', '', 'portrait', 'imported', 'child', 'ready', $3, 1)",
            "INSERT INTO book_pages (page_id, book_id, position) VALUES ($1, $2, $3)",
        ] {
            let owner = if statement.contains("book_pages") {
                &book
            } else {
                &account
            };
            let query = sqlx::query(statement).bind(&page).bind(owner).bind(number + 2);
            query.execute(&mut *tx).await.unwrap();
        }
    }
    tx.commit().await.unwrap();
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&format!("/library/books/{book}"))
        .await
        .expect(200, "101 pages")
        .expect(200, "The caption of the first");
}

#[tokio::test]
async fn the_address_of_a_form_redirects_to_its_page() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let book = format!("/library/books/{}", own.book);
    for form in ["order", "take-out", "delete", "cover/draw", "cover/replace"] {
        browser.get(&format!("{book}/{form}")).await.expect_redirect(&book);
    }
    for form in ["pages", "attach"] {
        browser
            .get(&format!("{book}/{form}"))
            .await
            .expect_redirect(&format!("{book}/add"));
    }
    let page = format!("/library/pages/{}", own.page);
    for form in ["draw", "delete", "replace"] {
        browser.get(&format!("{page}/{form}")).await.expect_redirect(&page);
    }
    let character = format!("/library/characters/{}", own.character);
    for form in ["share", "draw", "archive", "restore"] {
        browser
            .get(&format!("{character}/{form}"))
            .await
            .expect_redirect(&character);
    }
    browser
        .get("/library/pages/import")
        .await
        .expect_redirect("/library/pages/new");
}

#[tokio::test]
async fn a_page_leads_to_its_book_and_to_the_pages_around_it() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["One", "Two", "Three"]).await;
    let ids = ada.page_ids(&book).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let middle = browser.get(&format!("/library/pages/{}?book={book}", ids[1])).await;
    middle
        .expect(200, &format!("<a href=\"/library/books/{book}\">Woodland Friends</a>"))
        .expect(200, "Page 2 of 3")
        .expect(
            200,
            &format!("rel=\"prev\" href=\"/library/pages/{}?book={book}\"", ids[0]),
        )
        .expect(
            200,
            &format!("rel=\"next\" href=\"/library/pages/{}?book={book}\"", ids[2]),
        );
    let first = browser.get(&format!("/library/pages/{}", ids[0])).await;
    first.expect(200, "Page 1 of 3");
    assert!(!first.text.contains("rel=\"prev\""));
    let alone = app.ready_page(&ada, "Alone").await;
    // A book that does not contain the page is ignored.
    let alone = browser.get(&format!("/library/pages/{alone}?book={book}")).await;
    assert!(!alone.text.contains("Woodland Friends"));
}

#[tokio::test]
async fn an_archived_character_is_found_again() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let list = "/library/characters/archived";
    assert!(!browser.get("/library/characters").await.text.contains(list));
    browser.get(list).await.expect(200, "You have archived no character");
    let path = format!("/library/characters/{pip}");
    browser.submit(&path, &format!("{path}/archive"), &[]).await;
    browser.get("/library/characters").await.expect(200, list);
    let archived = browser.get(list).await;
    archived.expect(200, "Pip");
    browser
        .send_form(&archived, &format!("{path}/restore"), &[])
        .await
        .expect_redirect(&format!("{path}?done=restored"));
    // Other accounts do not see it.
    let mut bob = app.person("bob@example.com", Plan::Business, 1).await;
    browser.submit(&path, &format!("{path}/archive"), &[]).await;
    bob.get(list).await.expect(200, "You have archived no character");
}

#[tokio::test]
async fn a_drawing_at_another_price_than_its_button_showed_is_refused_and_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let before = ada.credits().await;
    let mut browser = app.browser_of("ada@example.com").await;
    let (book, page) = (
        format!("/library/books/{}", own.book),
        format!("/library/pages/{}", own.page),
    );
    let character = format!("/library/characters/{}", own.character);
    for (place, action) in [
        ("/library/pages/new".to_owned(), "/library/pages".to_owned()),
        ("/library/characters/new".to_owned(), "/library/characters".to_owned()),
        (format!("{book}/add"), format!("{book}/pages")),
        (book.clone(), format!("{book}/cover/draw")),
        (page.clone(), format!("{page}/draw")),
        (character.clone(), format!("{character}/draw")),
    ] {
        let shown = browser.get(&place).await;
        let typed = [
            ("title", "An owl"),
            ("name", "Kit"),
            ("prompt", "At night"),
            ("description", "At night"),
        ];
        for price in ["0", "2", ""] {
            let mut other = typed.to_vec();
            other.push(("price", price));
            let refused = browser.send_form(&shown, &action, &other).await;
            refused
                .expect(409, "The price is 1 credit now. Nothing was charged yet.")
                .expect(409, "At night");
            // The page with this message shows the price, and may be sent again.
            assert!(
                refused.form(&action).contains(&("price".into(), "1".into())),
                "{action}"
            );
        }
        assert_eq!(ada.credits().await, before, "{action}");
    }
    assert_eq!((ada.count("pages").await, ada.count("characters").await), (2, 1));
    app.check_ledger().await;
}

#[tokio::test]
async fn a_form_that_was_sent_before_with_other_content_is_refused_even_if_it_is_invalid() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let new = browser.get("/library/pages/new").await;
    let draw =
        async |browser: &mut Browser, title: &str| browser.send_form(&new, "/library/pages", &[("title", title)]).await;
    assert_eq!(draw(&mut browser, "A fox").await.status, 303);
    for title in ["An owl", ""] {
        let refused = draw(&mut browser, title).await;
        refused.expect(409, "This form was already sent with different content.");
    }
    assert_eq!((ada.count("pages").await, ada.credits().await), (1, 8));
}
