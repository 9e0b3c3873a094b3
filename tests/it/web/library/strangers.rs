//! Access to the library: the owner sees everything, and other users see nothing.
use linepress_accounts::accounts::Plan;

use crate::test_app::{Form, Resources, TestApp, pictures};

/// Pages about one account's resources.
fn pages(own: &Resources) -> Vec<String> {
    let Resources {
        page, character, book, ..
    } = own;
    vec![
        format!("/library/books/{book}"),
        format!("/library/books/{book}/add"),
        format!("/library/books/{book}/pdf"),
        format!("/library/books/{book}/package?edition=kdp"),
        format!("/library/books/{book}/listing"),
        format!("/library/books/{book}/print_check"),
        format!("/library/books/{book}/preview"),
        format!("/library/books/{book}/preview/picture"),
        format!("/library/books/{book}/cover/image"),
        format!("/library/books/{book}/cover/thumbnail"),
        format!("/library/pages/{page}"),
        format!("/library/pages/{page}/image"),
        format!("/library/pages/{page}/thumbnail"),
        format!("/library/characters/{character}"),
        format!("/library/characters/{character}/image"),
        format!("/library/characters/{character}/thumbnail"),
        format!("/library/books/{book}/cover/attempts/{}/image", own.attempts.cover),
        format!("/library/books/{book}/cover/attempts/{}/thumbnail", own.attempts.cover),
        format!("/library/pages/{page}/attempts/{}/image", own.attempts.page),
        format!("/library/pages/{page}/attempts/{}/thumbnail", own.attempts.page),
        format!(
            "/library/characters/{character}/attempts/{}/image",
            own.attempts.character
        ),
        format!(
            "/library/characters/{character}/attempts/{}/thumbnail",
            own.attempts.character
        ),
        format!("/library/operations/{}/events", own.operation),
    ]
}

/// Forms that change one account's resources.
pub(in crate::web) fn forms(own: &Resources) -> Vec<String> {
    let Resources {
        page, character, book, ..
    } = own;
    let of_book = [
        "",
        "/order",
        "/take-out",
        "/put-back",
        "/delete",
        "/pages",
        "/attach",
        "/restyle",
        "/redraw",
        "/copy",
        "/cover/draw",
        "/review-links",
    ];
    let of_page = ["", "/draw", "/refine", "/lock", "/delete"];
    let of_character = ["", "/share", "/draw", "/archive", "/restore"];
    let books = of_book.iter().map(|form| format!("/library/books/{book}{form}"));
    let pages = of_page.iter().map(|form| format!("/library/pages/{page}{form}"));
    let characters = of_character
        .iter()
        .map(|form| format!("/library/characters/{character}{form}"));
    let operation = format!("/library/operations/{}/cancel", own.operation);
    let deleted = ["restore", "delete"].map(|form| format!("/library/bin/{}/{form}", own.deleted));
    let reviews = [
        format!("/library/books/{book}/review-links/{}/withdraw", own.review_link),
        format!("/library/books/{book}/comments/{}", own.comment),
        format!("/library/books/{book}/comments/{}/delete", own.comment),
    ];
    let attempts = [
        format!("/library/books/{book}/cover/attempts/{}/choose", own.attempts.cover),
        format!("/library/pages/{page}/attempts/{}/choose", own.attempts.page),
        format!(
            "/library/characters/{character}/attempts/{}/choose",
            own.attempts.character
        ),
    ];
    books
        .chain(pages)
        .chain(characters)
        .chain(attempts)
        .chain(reviews)
        .chain(deleted)
        .chain([operation])
        .collect()
}

pub(in crate::web) const LISTS: [&str; 7] = [
    "/library",
    "/library/bin",
    "/library/books/new",
    "/library/pages",
    "/library/pages/new",
    "/library/characters",
    "/library/characters/new",
];

/// Fields that suffice for every form to be valid.
pub(in crate::web) const FIELDS: [(&str, &str); 7] = [
    ("title", "Taken over"),
    ("name", "Taken over"),
    ("prompt", "Something else"),
    ("instruction", "Something else"),
    ("public_preview", "on"),
    ("idempotency_key", "a-key-of-the-form"),
    ("price", "1"),
];

#[tokio::test]
async fn a_visitor_is_redirected_to_the_sign_in_page_and_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let before = ada.look(&format!("/books/{}", own.book), "book").await;
    let mut anyone = app.browser();
    for path in pages(&own).iter().map(String::as_str).chain(LISTS) {
        let to = anyone.get(path).await;
        let back: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
        to.expect_redirect(&format!("/sign-in?return_to={back}"));
    }
    for path in forms(&own) {
        anyone.post(&path, &FIELDS).await.expect_redirect("/sign-in?ended=yes");
    }
    assert_eq!(ada.look(&format!("/books/{}", own.book), "book").await, before);
    assert_eq!(ada.credits().await, 6);
}

#[tokio::test]
async fn resources_of_another_account_are_not_found() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let mut own = app.ready_resources(&ada).await;
    (own.review_link, own.comment) = app.review_link_with_comment(&ada, &own.book).await;
    let links = ada.get(&format!("/books/{}/review_links", own.book)).await.expect(200);
    let before = ada.look(&format!("/books/{}", own.book), "book").await;
    let mut bob = app.person("bob@example.com", Plan::Business, 9).await;
    for path in pages(&own) {
        bob.get(&path).await.expect(404, "There is nothing here");
    }
    for path in forms(&own) {
        let reply = bob.submit("/library", &path, &FIELDS).await;
        assert_eq!(reply.status, 404, "{path}: {}", reply.text);
    }
    assert_eq!(ada.look(&format!("/books/{}", own.book), "book").await, before);
    let links_after = ada.get(&format!("/books/{}/review_links", own.book)).await.expect(200);
    assert_eq!(links_after, links);
    assert_eq!(
        ada.look(&format!("/pages/{}", own.page), "page").await["title"],
        "A fox"
    );
    assert_eq!(ada.credits().await, 6);
    bob.get("/library").await.expect(200, "9 <span");
}

#[tokio::test]
async fn a_plan_of_another_account_is_not_found() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 9).await;
    let wishes = [("theme", "A woodland day"), ("page_count", "1")];
    let planned = ada.submit("/library/books/new", "/library/books/plan", &wishes).await;
    let path = planned.header("location").to_owned();
    let version = ada.get(&path).await.value_of("seen");
    let mut bob = app.person("bob@example.com", Plan::Business, 9).await;
    bob.get(&path).await.expect(404, "There is nothing here");
    for form in ["", "/order", "/delete"] {
        let fields = [("title", "Taken over"), ("seen", version.as_str())];
        let reply = bob.submit("/library", &format!("{path}{form}"), &fields).await;
        reply.expect(404, "There is nothing here");
    }
    // His input is saved as a plan of his account.
    let fields = [
        ("title", "Taken over"),
        ("seen", version.as_str()),
        ("own", version.as_str()),
    ];
    let saved = bob.submit("/library", &path, &fields).await;
    assert!(!saved.header("location").starts_with(&path));
    let shown = ada.get(&path).await;
    shown.expect(200, "The plan of your book");
    assert!(!shown.text.contains("Taken over"));
}

#[tokio::test]
async fn a_form_of_another_site_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let before = ada.look(&format!("/books/{}", own.book), "book").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let own_token = browser.csrf_token("/library").await;
    let mut all = forms(&own);
    all.extend(["/library/books/plan", "/library/books/download", "/library/bin/empty"].map(String::from));
    let draft = "/library/drafts/draft_01KAFMYG00000000000000000A";
    all.extend(["", "/autosave", "/order", "/delete"].map(|form| format!("{draft}{form}")));
    all.extend(["/library/pages", "/library/characters"].map(String::from));
    for path in all {
        let mut fields = FIELDS.to_vec();
        browser.post(&path, &fields).await.expect(403, "nothing was changed");
        fields.push(("csrf_token", "forged"));
        browser.post(&path, &fields).await.expect(403, "nothing was changed");
    }
    for path in [
        "/library/pages/import".into(),
        "/library/pages/draw_from".into(),
        format!("/library/pages/{}/replace", own.page),
        format!("/library/pages/{}/draw_from", own.page),
        format!("/library/books/{}/draw_from", own.book),
        "/library/characters/draw_from".into(),
        format!("/library/characters/{}/draw_from", own.character),
    ] {
        for form in [Form::new(), Form::new().text("csrf_token", "forged")] {
            let form = form.text("title", "A").picture("a.png", &pictures::png(576, 768));
            browser.send_file(&path, form).await.expect(403, "nothing was changed");
        }
        // The token follows the file and comes too late.
        let form = Form::new()
            .picture("a.png", &pictures::png(576, 768))
            .text("csrf_token", &own_token);
        browser.send_file(&path, form).await.expect(403, "nothing was changed");
    }
    assert_eq!(ada.look(&format!("/books/{}", own.book), "book").await, before);
    assert_eq!((ada.credits().await, ada.count("books").await), (6, 1));
}

#[tokio::test]
async fn without_the_business_plan_an_account_sees_its_library_and_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let account = linepress_accounts::accounts::find(&app.server, "ada@example.com")
        .await
        .unwrap()
        .unwrap();
    crate::testing::set_plan(&app.server, &account, Plan::Free)
        .await
        .unwrap();
    let mut browser = app.browser_of("ada@example.com").await;
    for path in pages(&own)
        .iter()
        .filter(|path| path.ends_with(&own.book) || path.ends_with(&own.page))
    {
        browser.get(path).await.expect(200, "need the Business plan");
    }
    let picture = browser.open(&format!("/library/pages/{}/image", own.page)).await;
    assert_eq!(picture.status(), 200);
    browser
        .get(&format!("/library/books/{}/pdf", own.book))
        .await
        .expect(403, "This needs the Business plan");
    for path in forms(&own) {
        let reply = browser.submit("/library", &path, &FIELDS).await;
        reply.expect(403, "This needs the Business plan");
    }
    let mut ordered = FIELDS.to_vec();
    ordered.extend([
        ("price", "1"),
        ("page_title", "A"),
        ("page_prompt", ""),
        ("page_caption", ""),
    ]);
    for form in ["", "/autosave", "/order", "/delete"] {
        let path = format!("/library/drafts/draft_01KAFMYG00000000000000000A{form}");
        let reply = browser.submit("/library", &path, &ordered).await;
        reply.expect(403, "This needs the Business plan");
    }
    browser
        .get("/library")
        .await
        .expect(200, "6 <span")
        .expect(200, "Woodland Friends");
}
