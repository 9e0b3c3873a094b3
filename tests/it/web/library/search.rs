//! The search in the lists of the library, and actions on several selected items.

use linepress_accounts::accounts::Plan;

use crate::test_app::{TestApp, book_of};

#[tokio::test]
async fn lists_show_what_is_searched_and_say_so_when_nothing_matches() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.ready_book(&ada, &["A fox", "An owl"]).await;
    app.ready_character(&ada, "Élodie").await;
    let mut browser = app.browser_of("ada@example.com").await;
    for (list, query, found, nothing) in [
        (
            "/library",
            "q=OWL&status=ready&aspect=portrait&sort=title",
            "Woodland Friends",
            "No book matches",
        ),
        ("/library/pages", "q=owl&sort=changed", "An owl", "No page matches"),
        ("/library/characters", "q=elo", "Élodie", "No character matches"),
    ] {
        let shown = browser.get(&format!("{list}?{query}")).await;
        shown.expect(200, found).expect(200, "Show all");
        assert!(!shown.text.contains("A fox"), "{list}");
        browser
            .get(&format!("{list}?q=%22zeppelin"))
            .await
            .expect(200, nothing)
            .expect(200, "value=\"&#34;zeppelin\"");
        // Values of an old bookmark.
        browser
            .get(&format!("{list}?status=new&sort=size&aspect=round"))
            .await
            .expect(200, found);
    }
}

#[tokio::test]
async fn a_list_continues_in_its_order() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    for number in 10..35 {
        app.imported_page(&ada, &format!("Page {number}")).await;
    }
    let mut browser = app.browser_of("ada@example.com").await;
    let first = browser.get("/library/pages?sort=title").await;
    first.expect(200, "Page 10").expect(200, ">More</a>");
    assert!(!first.text.contains("Page 34"));
    let (_, rest) = first
        .text
        .split_once("sort=title&#38;after=")
        .or_else(|| first.text.split_once("sort=title&amp;after="))
        .unwrap();
    let cursor = rest.split('"').next().unwrap();
    let second = browser.get(&format!("/library/pages?sort=title&after={cursor}")).await;
    second.expect(200, "Page 34").expect(200, "To the beginning");
    assert!(!second.text.contains("Page 10"));
    // A cursor of another order begins the list again.
    let other = browser
        .get(&format!("/library/pages?sort=changed&after={cursor}"))
        .await;
    assert_eq!(other.header("location"), "/library/pages");
}

#[tokio::test]
async fn several_selected_items_are_deleted_or_archived() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let character = app.ready_character(&ada, "Pip").await;
    let pages = ada.page_ids(&book).await;
    let mut eve = app.person("eve@example.com", Plan::Business, 1).await;
    let mut browser = app.browser_of("ada@example.com").await;
    for (list, ids, action, done) in [
        ("/library/pages", pages, "/library/pages/selected", "several-deleted"),
        ("/library", vec![book], "/library/books/selected", "several-deleted"),
        (
            "/library/characters",
            vec![character],
            "/library/characters/selected",
            "several-archived",
        ),
    ] {
        let shown = browser.get(list).await;
        shown.expect(200, "Select several");
        assert!(!shown.text.contains("type=\"checkbox\""));
        let form = format!("{list}?select=yes");
        let selecting = browser.get(&form).await;
        let fields: Vec<(&str, &str)> = ids.iter().map(|id| ("selected", id.as_str())).collect();
        for (_, id) in &fields {
            selecting.expect(200, &format!("name=\"selected\" value=\"{id}\""));
        }
        // Neither the items of another account nor nothing at all.
        let refused = eve.submit("/library/books/new", action, &fields).await;
        assert!(refused.header("location").ends_with("done=none-selected"));
        let none = browser.submit(&form, action, &[]).await;
        assert!(none.header("location").ends_with("done=none-selected"));
        let sent = browser.submit(&form, action, &fields).await;
        assert_eq!(sent.header("location"), format!("{list}?done={done}"));
        let after = browser.get(sent.header("location")).await;
        for (_, id) in &fields {
            assert!(!after.text.contains(id));
        }
    }
    assert_eq!((ada.count("pages").await, ada.count("books").await), (0, 0));
    app.check_books().await;
}

#[tokio::test]
async fn the_files_of_several_selected_books_are_on_one_page() {
    let app = TestApp::start().await;
    let ada = app.account(40).await;
    // The printing services refuse the second book, which has too few pages.
    let first = app.ready_book(&ada, &["A fox"; 14]).await;
    let second = app.ready_book(&ada, &["An owl"]).await;
    let unready = app.accepted(&ada, "/books", &book_of(1)).await.book_id();
    let mut browser = app.browser_of("ada@example.com").await;
    let selecting = "/library?select=yes";
    let form = "/library/books/download";
    browser
        .get(selecting)
        .await
        .expect(200, &format!("formaction=\"{form}\""));
    browser
        .submit(selecting, form, &[])
        .await
        .expect_redirect("/library?done=none-selected");
    let fields = [&first, &second, &unready].map(|id| ("selected", id.as_str()));
    let chosen = browser.submit(selecting, form, &fields).await;
    let address = chosen.header("location").to_owned();
    let shown = browser.get(&address).await;
    for book in [&first, &second] {
        shown.expect(
            200,
            &format!("href=\"/library/books/{book}/pdf?format=us_letter&#38;backs=blank\" data-download"),
        );
    }
    for edition in ["kdp", "lulu"] {
        let archive = |book: &str| {
            format!("/library/books/{book}/package?format=us_letter&#38;edition={edition}&#38;backs=blank")
        };
        shown.expect(200, &format!("href=\"{}\" data-download", archive(&first)));
        assert!(!shown.text.contains(&archive(&second)), "{}", shown.text);
    }
    for reason in [
        "Amazon KDP prints 24 to 590 pages of this size, but the book has",
        "Lulu prints 32 to 800 pages",
    ] {
        shown.expect(
            200,
            &format!("<strong dir=\"auto\">Woodland Friends</strong>: {reason}"),
        );
    }
    shown.expect(200, "Not ready to print:").expect(200, "Download all 2");
    assert!(
        !shown.text.contains(&format!("/library/books/{unready}/")),
        "{}",
        shown.text
    );
    let mut eve = app.person("eve@example.com", Plan::Business, 1).await;
    eve.get(&address).await.expect(404, "There is nothing here");
}
