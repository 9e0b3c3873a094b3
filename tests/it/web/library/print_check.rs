//! `/library/books/{id}/print_check`: findings lead to the pages that they are about.
use lopdf::Document;

use crate::test_app::TestApp;

/// Rotates pages of the stored PDF with this name, which printers may ignore.
async fn rotate(app: &TestApp, name: &str, pages: &[u32]) {
    let key: String = sqlx::query_scalar("SELECT object_key FROM editions WHERE name = $1")
        .bind(name)
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    let pdf = app.server.storage.get(&key).await.unwrap().unwrap();
    let mut document = Document::load_mem(&pdf).unwrap();
    let ids = document.get_pages();
    for page in pages {
        document.get_dictionary_mut(ids[page]).unwrap().set("Rotate", 180);
    }
    let mut rotated = Vec::new();
    document.save_to(&mut rotated).unwrap();
    let size = i64::try_from(rotated.len()).unwrap();
    app.server.storage.put(&key, rotated).await.unwrap();
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE editions SET byte_size = $1 WHERE object_key = $2")
        .bind(size)
        .bind(key.as_str())
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn findings_lead_to_pages_of_the_book_to_its_cover_and_to_the_preview() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let titles: Vec<String> = (1..=13).map(|number| format!("Fox {number}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let book = app.ready_book(&ada, &titles).await;
    let pages = ada.page_ids(&book).await;
    let path = format!("/library/books/{book}");
    let check = format!("{path}/print_check?format=us_letter&edition=kdp");
    let mut browser = app.browser_of("ada@example.com").await;
    let checked = browser.get(&check).await;
    checked.expect(200, "No problem was found.");
    assert!(!checked.text.contains("/preview?"), "{}", checked.text);

    // The first page is that of the title, and the backs of the drawings are blank.
    rotate(&app, "us_letter/kdp/interior/blank", &[1, 5, 7, 8, 9]).await;
    rotate(&app, "us_letter/kdp/cover/blank", &[1]).await;
    let checked = browser.get(&check).await;
    let drawing = |number: usize, index: usize| {
        let (page, title) = (&pages[index], titles[index]);
        format!(
            "<a href=\"/library/pages/{page}?book={book}\" title=\"{title}\" \
             aria-label=\"Page {number}: {title}\">{number}</a>"
        )
    };
    let (first, second, third) = (drawing(5, 0), drawing(7, 1), drawing(9, 2));
    checked
        .expect(200, &format!("pages 1, {first}, {second}-{third}</p>"))
        .expect(200, &format!("<a href=\"{path}#cover\">cover</a>"));
    assert_eq!(checked.text.matches("href=\"/library/pages/").count(), 3);
    let preview = format!("{path}/preview?edition=kdp&backs=blank&format=us_letter");
    for (address, shown) in [
        (format!("{preview}&part=interior&page=1#leaf"), "Page 1 of 32"),
        (format!("{preview}&part=interior&page=7#leaf"), "Pages 6 and 7 of 32"),
        (format!("{preview}&part=cover#leaf"), "The cover as one sheet"),
    ] {
        let escaped = address.replace('&', "&#38;");
        checked.expect(200, &format!("href=\"{escaped}\""));
        let address = address.strip_suffix("#leaf").unwrap();
        browser.get(address).await.expect(200, shown);
    }
}
