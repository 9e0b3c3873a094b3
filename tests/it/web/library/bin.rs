//! The bin of the library, and the forms that take back what was just done.

use crate::test_app::{Actor, Browser, Form, Html, TestApp, pictures};

/// Sends the form behind the button *Undo* of the page to which a form was redirected.
async fn undo(browser: &mut Browser, done: &Html) -> Html {
    let page = browser.get(done.header("location")).await;
    let (_, notice) = page
        .text
        .split_once("class=\"notice good row\"")
        .expect("a notice with a form");
    let (notice, _) = notice.split_once("<button>Undo</button>").expect("a button");
    let value = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!("{name}=\"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let action = value(notice, "action");
    let fields: Vec<(String, String)> = notice
        .split("<input type=\"hidden\" ")
        .skip(1)
        .map(|input| (value(input, "name"), value(input, "value")))
        .collect();
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    browser.post(&action, &fields).await
}

async fn titles(ada: &Actor, book: &str) -> Vec<String> {
    ada.book(book).await.pages.into_iter().map(|page| page.title).collect()
}

#[tokio::test]
async fn a_deletion_is_taken_back_from_its_notice() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let mut browser = app.browser_of("ada@example.com").await;
    for (path, list, back) in [
        (format!("/library/pages/{page}"), "/library/pages", "page-restored"),
        (format!("/library/books/{book}"), "/library", "book-restored"),
    ] {
        let done = browser.submit(&path, &format!("{path}/delete"), &[]).await;
        let id = path.rsplit('/').next().unwrap();
        done.expect_redirect(&format!("{list}?done=deleted&deleted={id}"));
        browser.get(&path).await.expect(404, "There is nothing here");
        let restored = undo(&mut browser, &done).await;
        restored.expect_redirect(&format!("{path}?done={back}"));
        browser.get(restored.header("location")).await.expect(200, " is back.");
    }
    assert_eq!(titles(&ada, &book).await, ["A fox", "An owl"]);
    app.check_books().await;
}

#[tokio::test]
async fn the_bin_lists_restores_and_deletes_for_good() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let mut browser = app.browser_of("ada@example.com").await;
    browser.get("/library/bin").await.expect(200, "The bin is empty.");
    browser.get("/library").await.expect(200, "href=\"/library/bin\"");
    let mut pages = Vec::new();
    for title in ["A fox", "An <owl>", "A bear"] {
        let page = app.imported_page(&ada, title).await;
        ada.delete(&format!("/pages/{page}")).await.expect_no_content();
        pages.push(page);
    }
    browser
        .get("/library/bin")
        .await
        .expect(200, "An &#60;owl&#62;")
        .expect(200, "Page, deleted 21 November 2026, for good on 21 December 2026");
    let form = |page: &str, name: &str| format!("/library/bin/{page}/{name}");
    browser
        .get(&form(&pages[0], "restore"))
        .await
        .expect_redirect("/library/bin");
    browser
        .submit("/library/bin", &form(&pages[0], "restore"), &[])
        .await
        .expect_redirect(&format!("/library/pages/{}?done=page-restored", pages[0]));
    browser
        .submit("/library/bin", &form(&pages[1], "delete"), &[])
        .await
        .expect_redirect("/library/bin?done=deleted-for-good");
    browser
        .submit("/library/bin", &form(&pages[1], "restore"), &[])
        .await
        .expect(404, "There is nothing here");
    browser
        .submit("/library/bin", "/library/bin/empty", &[])
        .await
        .expect_redirect("/library/bin?done=bin-emptied");
    browser.get("/library/bin").await.expect(200, "The bin is empty.");
    assert_eq!(ada.count("pages").await, 1);
    app.check_books().await;
}

#[tokio::test]
async fn a_restoration_beyond_a_limit_says_how_to_make_room() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 1)
        .start()
        .await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    app.imported_page(&ada, "An owl").await;
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .submit("/library/bin", &format!("/library/bin/{page}/restore"), &[])
        .await
        .expect(422, "Delete some that you do not need.")
        .expect(422, "A fox");
}

#[tokio::test]
async fn moving_and_taking_out_a_page_are_taken_back() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A", "B", "C", "D"]).await;
    let pages = ada.page_ids(&book).await;
    let path = format!("/library/books/{book}");
    let (order, out) = (format!("{path}/order"), format!("{path}/take-out"));
    let mut browser = app.browser_of("ada@example.com").await;
    let all = pages.join(",");
    let dragged = [&pages[1], &pages[2], &pages[3], &pages[0]]
        .map(String::as_str)
        .join(",");
    let swapped = [&pages[1], &pages[0], &pages[3], &pages[2]]
        .map(String::as_str)
        .join(",");
    for (form, fields, after) in [
        (&order, vec![("up", pages[2].as_str())], "ACBD"),
        (&order, vec![("down", pages[0].as_str())], "BACD"),
        (
            &order,
            vec![("order", dragged.as_str()), ("was_order", all.as_str())],
            "BCDA",
        ),
        (&out, vec![("page", pages[1].as_str())], "ACD"),
        (&out, vec![("page", pages[3].as_str())], "ABC"),
    ] {
        let done = browser.submit(&path, form, &fields).await;
        assert_eq!(titles(&ada, &book).await.concat(), after);
        undo(&mut browser, &done).await;
        assert_eq!(titles(&ada, &book).await.concat(), "ABCD", "{after}");
    }
    // Two moves at once have no such form, and neither has a page that was deleted since.
    let fields = [("order", swapped.as_str()), ("was_order", all.as_str())];
    let done = browser.submit(&path, &order, &fields).await;
    let shown = browser.get(done.header("location")).await;
    shown.expect(200, "The pages are in their new order.");
    assert!(!shown.text.contains(">Undo<"));
    let done = browser.submit(&path, &out, &[("page", pages[1].as_str())]).await;
    ada.delete(&format!("/pages/{}", pages[1])).await.expect_no_content();
    let shown = browser.get(done.header("location")).await;
    shown.expect(200, "The page was taken out of the book.");
    assert!(!shown.text.contains(">Undo<"));
}

#[tokio::test]
async fn a_replaced_picture_is_taken_back() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let mut browser = app.browser_of("ada@example.com").await;
    for (path, form, image) in [
        (
            format!("/library/pages/{page}"),
            "replace",
            format!("/pages/{page}/image"),
        ),
        (
            format!("/library/books/{book}"),
            "cover/replace",
            format!("/books/{book}/cover_image"),
        ),
    ] {
        let before = ada.get(&image).await.body;
        let token = browser.csrf_token(&path).await;
        let picture = Form::of_page(&token, form).picture("mine.png", &pictures::png(576, 768));
        let done = browser.send_file(&format!("{path}/{form}"), picture).await;
        assert_ne!(ada.get(&image).await.body, before);
        let undone = undo(&mut browser, &done).await;
        assert_eq!(ada.get(&image).await.body, before, "{path}");
        // Taking that back shows the own picture again.
        undo(&mut browser, &undone).await;
        assert_ne!(ada.get(&image).await.body, before, "{path}");
    }
    app.check_books().await;
}

#[tokio::test]
async fn a_cover_in_color_is_taken_back_with_its_style() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let replace = format!("{path}/cover/replace");
    let shown = browser.get(&path).await;
    shown.expect(200, "A cover of line art is printed in black");
    let choice = |style: &str| ("style".to_owned(), style.to_owned());
    assert!(shown.form(&replace).contains(&choice("line_art")));
    let token = browser.csrf_token(&path).await;
    let picture = Form::of_page(&token, "k1")
        .text("style", "color")
        .picture("mine.png", &pictures::red(576, 768));
    let done = browser.send_file(&replace, picture).await;
    assert!(ada.book(&book).await.cover.style.is_color());
    let cover = ada.get(&format!("/books/{book}/cover_image")).await.body;
    assert!(image::load_from_memory(&cover).unwrap().color().has_color());
    assert!(browser.get(&path).await.form(&replace).contains(&choice("color")));
    let undone = undo(&mut browser, &done).await;
    assert!(!ada.book(&book).await.cover.style.is_color());
    // Taking that back shows the own picture in color again.
    undo(&mut browser, &undone).await;
    assert!(ada.book(&book).await.cover.style.is_color());
    app.check_books().await;
}
