//! Review links: `/review/{token}`, on which visitors see a book and comment on it, and the part of the page of the book on which
//! its owner manages them.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::maintenance;
use crate::test_app::{Actor, Browser, Html, TestApp};
use crate::testing;

const DAY: Duration = Duration::from_secs(24 * 3600);
const GONE: &str = "This link does not work";
const COMMENT: [(&str, &str); 2] = [("name", "Grandma"), ("text", "The fox needs a longer tail")];

/// A book, and a review link to it.
struct Shared {
    app: TestApp,
    ada: Actor,
    book: String,
    pages: Vec<String>,
    link: String,
    /// The path of the page that the link leads to.
    path: String,
}

impl Shared {
    async fn start(titles: &[&str]) -> Self {
        let app = TestApp::start().await;
        let ada = app.account(9).await;
        let book = app.ready_book(&ada, titles).await;
        let (link, path) = app.review_link(&ada, &book).await;
        Self {
            pages: ada.page_ids(&book).await,
            app,
            ada,
            book,
            link,
            path,
        }
    }

    /// The path of the page of the book in the library.
    fn library(&self) -> String {
        format!("/library/books/{}", self.book)
    }

    /// Comments on a page, or on the whole book if the page is empty. Ids follow the time, so that it passes before each comment.
    async fn comment(&self, page: &str, text: &str) {
        self.app.server.clock.advance(Duration::from_secs(1));
        let fields = [("page", page), ("name", "Grandma"), ("text", text)];
        let form = format!("{}/comments", self.path);
        let sent = self.app.browser().post(&form, &fields).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
    }

    /// Returns the comments on the book, newest first.
    async fn comments(&self) -> Vec<Value> {
        let path = format!("/books/{}/comments?limit=100", self.book);
        let listed = self.ada.get(&path).await.expect(200);
        listed["comments"].as_array().unwrap().clone()
    }

    async fn last_opened_at(&self) -> Value {
        let listed = self.ada.get(&format!("/books/{}/review_links", self.book)).await;
        listed.expect(200)["review_links"][0]["last_opened_at"].clone()
    }

    /// The paths of all pictures that the link leads to.
    fn pictures(&self) -> Vec<String> {
        let of_pages = self.pages.iter();
        let of_pages = of_pages.flat_map(|page| ["image", "thumbnail"].map(|size| format!("pages/{page}/{size}")));
        of_pages
            .chain(["cover".to_owned()])
            .map(|picture| format!("{}/{picture}", self.path))
            .collect()
    }

    /// Fails unless every address of the link says that it does not work, in the same words; returns the page.
    async fn expect_gone(&self) -> String {
        let mut visitor = self.app.browser();
        let shown = visitor.get(&self.path).await;
        shown.expect(404, GONE);
        assert_eq!(shown.header("x-robots-tag"), "noindex, nofollow");
        for picture in self.pictures() {
            let reply = visitor.get(&picture).await;
            assert_eq!((reply.status.as_u16(), &reply.text), (404, &shown.text), "{picture}");
        }
        let sent = visitor.post(&format!("{}/comments", self.path), &COMMENT).await;
        assert_eq!((sent.status.as_u16(), &sent.text), (404, &shown.text));
        shown.text
    }
}

/// Returns the address of the link that was just made.
#[track_caller]
fn address_in(page: &Html) -> String {
    let (_, rest) = page.text.split_once("id=\"review-address\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// Returns a browser with this address.
fn browser_at(app: &TestApp, address: &str) -> Browser {
    let mut browser = app.browser();
    browser.address = Some(address.parse().unwrap());
    browser
}

#[tokio::test]
async fn the_owner_makes_a_link_and_withdraws_it() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/library/books/{book}");
    let action = format!("{path}/review-links#reviews");
    let mut owner = app.browser_of("ada@example.com").await;
    let page = owner.get(&path).await;
    page.expect(200, "Show it to others");
    assert!(!page.text.contains("review-address"));
    assert!(page.form(&action).contains(&("days".into(), "30".into())));
    let made = owner
        .send_form(&page, &action, &[("days", "7"), ("name", "<Grandma>")])
        .await;
    made.expect(200, "it is not shown again")
        .expect(200, "28 November 2026, 12:00 UTC")
        .expect(200, "never opened");
    let address = address_in(&made);
    let mut visitor = app.browser();
    visitor.get(&address).await.expect(200, "A fox");
    visitor.get(&address).await.expect(200, "28 November 2026, 12:00 UTC");
    let sent = visitor.post(&format!("{address}/comments"), &COMMENT).await;
    assert_eq!(sent.status, 303);

    let page = owner.get(&path).await;
    page.expect(200, "&#60;Grandma&#62;")
        .expect(
            200,
            "last opened <time datetime=\"2026-11-21T12:00:00.000Z\">21 November 2026, 12:00 UTC",
        )
        .expect(200, "1 comment<");
    let token = address.rsplit('/').next().unwrap();
    assert!(!page.text.contains(token), "{}", page.text);
    let listed = ada.get(&format!("/books/{book}/review_links")).await.expect(200);
    let link = listed["review_links"][0]["id"].as_str().unwrap();
    let withdraw = format!("{path}/review-links/{link}/withdraw");
    let withdrawn = owner.send_form(&page, &withdraw, &[]).await;
    withdrawn.expect_redirect(&format!("{path}?done=link-withdrawn#reviews"));
    let page = owner.get(&format!("{path}?done=link-withdrawn")).await;
    page.expect(200, "The link does not work any more.")
        .expect(200, "Withdrawn");
    assert!(!page.text.contains(&withdraw));
    visitor.get(&address).await.expect(404, GONE);
    for form in [
        "review-links",
        &format!("review-links/{link}/withdraw"),
        "comments/cmt_1",
    ] {
        owner.get(&format!("{path}/{form}")).await.expect_redirect(&path);
    }
}

#[tokio::test]
async fn a_rejected_link_is_shown_again_and_a_twenty_first_is_not_offered() {
    let shared = Shared::start(&["A fox"]).await;
    let mut owner = shared.app.browser_of("ada@example.com").await;
    let path = shared.library();
    let action = format!("{path}/review-links#reviews");
    let page = owner.get(&path).await;
    let long = "x".repeat(101);
    let refused = owner
        .send_form(&page, &action, &[("days", "90"), ("name", &long)])
        .await;
    refused.expect(422, "must be at most 100 characters");
    let shown = refused.form(&action);
    for field in [("days", "90"), ("name", long.as_str())] {
        assert!(shown.contains(&(field.0.into(), field.1.into())), "{shown:?}");
    }
    for days in ["0", "91", "ten"] {
        let refused = owner.send_form(&page, &action, &[("days", days)]).await;
        refused.expect(422, "must be 1 to 90");
    }
    for _ in 0..19 {
        shared.app.review_link(&shared.ada, &shared.book).await;
    }
    let full = owner.get(&path).await;
    full.expect(200, "This book has 20 links that work");
    assert!(!full.text.contains(&action));
    let refused = owner.send_form(&page, &action, &[]).await;
    refused.expect(422, "for review links to one book is 20");
}

#[tokio::test]
async fn a_visitor_sees_the_book_as_it_is_now_and_nothing_else() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let body = json!({"book": {
        "title": "Woods & <Trees>", "subtitle": "At night", "author": "A. Lovelace", "description": "For the shop",
        "pages": [{"title": "A fox", "prompt": "A fox with a lantern", "caption": "Ring a <ring>"}, {"title": "An owl"}],
    }});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    let page = ada.page_ids(&book).await.remove(0);
    let (link, path) = app.review_link(&ada, &book).await;
    let mut visitor = app.browser();
    let drawing = visitor.get(&path).await;
    drawing.expect(200, "A fox");
    assert!(!drawing.text.contains("revision="));
    visitor.get(&format!("{path}/cover")).await.expect(404, GONE);
    app.draw_what_is_due().await;

    let shown = visitor.get(&path).await;
    for text in [
        "<title>Woods &#38; &#60;Trees&#62;",
        "At night",
        "A. Lovelace",
        "A fox",
        "Ring a &#60;ring&#62;",
        "An owl",
        "21 December 2026, 12:00 UTC",
    ] {
        shown.expect(200, text);
    }
    for (name, value) in [
        ("cache-control", "private, no-store"),
        ("x-robots-tag", "noindex, nofollow"),
        ("referrer-policy", "same-origin"),
    ] {
        assert_eq!(shown.header(name), value, "{name}");
    }
    assert!(
        shown
            .header("content-security-policy")
            .starts_with("default-src 'none'")
    );
    assert!(visitor.cookies.is_empty());
    let account = ada.account_id().await;
    for secret in [
        "ada@example.com",
        account.as_str(),
        book.as_str(),
        link.as_str(),
        "For the shop",
        "with a lantern",
        "/library",
    ] {
        assert!(!shown.text.contains(secret), "{secret}: {}", shown.text);
    }

    let pictures: Vec<&str> = shown
        .text
        .split('"')
        .filter(|text| text.contains("revision="))
        .collect();
    // The cover, and both sizes of each page.
    assert_eq!(pictures.len(), 5, "{pictures:?}");
    let anyone = app.anonymous();
    for picture in pictures {
        let reply = anyone.get(picture).await;
        assert_eq!(reply.status, 200, "{picture}");
        assert_eq!(reply.header("x-robots-tag"), "noindex, nofollow");
        assert!(reply.header("cache-control").starts_with("private"));
        assert!(reply.header("content-type").starts_with("image/"));
    }
    for (public, own) in [
        (format!("{path}/cover"), format!("/books/{book}/cover_image")),
        (format!("{path}/pages/{page}/image"), format!("/pages/{page}/image")),
    ] {
        assert_eq!(anyone.get(&public).await.body, ada.get(&own).await.body, "{public}");
    }

    let renamed = json!({"page": {"title": "A wolf", "caption": ""}});
    ada.patch(&format!("/pages/{page}"), &renamed).await.expect(200);
    let shown = visitor.get(&path).await;
    shown.expect(200, "A wolf");
    assert!(!shown.text.contains("A fox") && !shown.text.contains("Ring a"));
}

#[tokio::test]
async fn a_link_leads_to_the_pages_of_its_book_only() {
    let shared = Shared::start(&["A fox", "An owl"]).await;
    let Shared {
        app, ada, path, pages, ..
    } = &shared;
    let other = app.ready_book(ada, &["A secret"]).await;
    let of_other_book = ada.page_ids(&other).await.remove(0);
    let loose = app.imported_page(ada, "A draft").await;
    let taken_out = &pages[0];
    ada.delete(&format!("/books/{}/pages/{taken_out}", shared.book))
        .await
        .expect_no_content();
    let mut visitor = app.browser();
    let shown = visitor.get(path).await;
    shown.expect(200, "An owl");
    assert!(!shown.text.contains("A fox") && !shown.text.contains("A secret"));
    for page in [&of_other_book, &loose, taken_out] {
        for size in ["image", "thumbnail"] {
            visitor
                .get(&format!("{path}/pages/{page}/{size}"))
                .await
                .expect(404, GONE);
        }
        let fields = [("page", page.as_str()), ("name", "Grandma"), ("text", "Keep <this>")];
        let refused = visitor.post(&format!("{path}/comments"), &fields).await;
        refused.expect(422, "This page is no longer in the book.");
        // It can be sent as a comment on the book.
        let form = refused.form(&format!("{path}/comments"));
        for field in [("page", ""), ("name", "Grandma")] {
            assert!(form.contains(&(field.0.into(), field.1.into())), "{form:?}");
        }
        refused.expect(422, "Keep &#60;this&#62;</textarea>");
    }
    assert_eq!(shared.comments().await, [] as [Value; 0]);
}

#[tokio::test]
async fn every_link_that_does_not_work_gets_the_same_page() {
    let mut shared = Shared::start(&["A fox"]).await;
    let operator = shared.app.operator().await;
    let ada = shared.ada.clone();
    let works = shared.path.clone();
    shared.path = format!("/review/{}", "x".repeat(43));
    let gone = shared.expect_gone().await;
    for token in ["x", "%00", &"x".repeat(500)] {
        shared.path = format!("/review/{token}");
        assert_eq!(shared.expect_gone().await, gone, "{token}");
    }
    shared.app.browser().get("/review/%FF").await.expect(404, GONE);
    shared.path = works;

    let account = format!("/admin/accounts/{}", ada.account_id().await);
    let reason = json!({"reason": "A mistake"});
    operator.post(&format!("{account}/suspend"), &reason).await.expect(200);
    assert_eq!(shared.expect_gone().await, gone);
    operator.post_nothing(&format!("{account}/resume")).await.expect(200);
    shared.app.browser().get(&shared.path).await.expect(200, "A fox");

    ada.delete(&format!("/books/{}", shared.book)).await.expect_no_content();
    assert_eq!(shared.expect_gone().await, gone);
    let restore = format!("/bin/{}/restore", shared.book);
    ada.post_nothing(&restore).await.expect(200);
    shared.app.browser().get(&shared.path).await.expect(200, "A fox");

    let withdraw = format!("/review_links/{}", shared.link);
    ada.delete(&withdraw).await.expect_no_content();
    assert_eq!(shared.expect_gone().await, gone);

    (shared.link, shared.path) = shared.app.review_link(&ada, &shared.book).await;
    shared.app.server.clock.advance(DAY * 30 - Duration::from_secs(1));
    shared.app.browser().get(&shared.path).await.expect(200, "A fox");
    shared.app.server.clock.advance(Duration::from_secs(1));
    assert_eq!(shared.expect_gone().await, gone);

    (shared.link, shared.path) = shared.app.review_link(&ada, &shared.book).await;
    shared.app.browser().get(&shared.path).await.expect(200, "A fox");
    operator.post_nothing(&format!("{account}/close")).await.expect(200);
    assert_eq!(shared.expect_gone().await, gone);
}

#[tokio::test]
async fn a_comment_is_sent_without_a_session_but_not_from_another_site() {
    let shared = Shared::start(&["A fox"]).await;
    let path = &shared.path;
    let form = format!("{path}/comments");
    let mut visitor = shared.app.browser();
    for header in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.test"),
    ] {
        visitor.headers = vec![(header.0, header.1.into())];
        visitor.post(&form, &COMMENT).await.expect(403, "nothing was changed");
    }
    assert_eq!(shared.comments().await, [] as [Value; 0]);

    visitor.headers = vec![("sec-fetch-site", "same-origin".into())];
    let page = visitor.get(path).await;
    let typed = [("name", " Grandma & Grandpa "), ("text", "One\r\nTwo <b>\r\n")];
    let sent = visitor.send_form(&page, &form, &typed).await;
    let back = format!("{path}?name=Grandma+%26+Grandpa&sent=yes");
    sent.expect_redirect(&format!("{back}#book"));
    let page = visitor.get(&back).await;
    page.expect(200, "Your comment was sent")
        .expect(200, "value=\"Grandma &#38; Grandpa\"")
        .expect(200, "One\nTwo &#60;b&#62;</p>");
    assert!(visitor.cookies.is_empty());
    let stored = shared.comments().await;
    assert_eq!(
        (&stored[0]["name"], &stored[0]["text"]),
        (&json!("Grandma & Grandpa"), &json!("One\nTwo <b>"))
    );
    let fields = [("page", shared.pages[0].as_str()), ("name", "Eve"), ("text", "Nice")];
    let sent = visitor.post(&form, &fields).await;
    sent.expect_redirect(&format!("{path}?name=Eve&sent=yes#{}", shared.pages[0]));
    // The address of the form leads back to the book.
    visitor.get(&form).await.expect_redirect(path);

    // Another link to the same book does not show these comments.
    let (_, other) = shared.app.review_link(&shared.ada, &shared.book).await;
    let page = visitor.get(&other).await;
    page.expect(200, "A fox");
    assert!(!page.text.contains("One\nTwo") && !page.text.contains("Nice"));
}

#[tokio::test]
async fn what_visitors_write_is_text_on_every_page() {
    let shared = Shared::start(&["A fox"]).await;
    let script = "<script>alert(1)</script>";
    let fields = [("name", "\"><script>alert(2)</script>"), ("text", script)];
    let sent = shared
        .app
        .browser()
        .post(&format!("{}/comments", shared.path), &fields)
        .await;
    let back = sent.header("location").split('#').next().unwrap().to_owned();
    let of_visitor = shared.app.browser().get(&back).await;
    let of_owner = shared
        .app
        .browser_of("ada@example.com")
        .await
        .get(&shared.library())
        .await;
    for page in [of_visitor, of_owner] {
        page.expect(200, "&#60;script&#62;alert(1)&#60;/script&#62;")
            .expect(200, "&#34;&#62;&#60;script&#62;alert(2)&#60;/script&#62;");
        assert!(!page.text.contains("<script>"), "{}", page.text);
    }
}

#[tokio::test]
async fn a_rejected_comment_is_shown_again() {
    let shared = Shared::start(&["A fox"]).await;
    let form = format!("{}/comments", shared.path);
    let mut visitor = shared.app.browser();
    let (long_name, long_text) = ("x".repeat(101), "y".repeat(1001));
    for (name, text, message) in [
        ("", "A tail", "The name must be 1 to 100 characters."),
        ("  ", "A tail", "The name must be 1 to 100 characters."),
        (&long_name, "A tail", "The name must be 1 to 100 characters."),
        ("Grandma", "", "The comment must be 1 to 1000 characters."),
        ("Grandma", " \r\n ", "The comment must be 1 to 1000 characters."),
        ("Grandma", &long_text, "The comment must be 1 to 1000 characters."),
        ("Grandma", "A\u{7}", "The comment must not contain control characters."),
    ] {
        for page in ["", shared.pages[0].as_str()] {
            let refused = visitor
                .post(&form, &[("page", page), ("name", name), ("text", text)])
                .await;
            refused.expect(422, message);
            assert_eq!(refused.text.matches("role=\"alert\"").count(), 1);
            assert_eq!(refused.text.matches("<details open>").count(), 1);
            assert!(refused.text.contains(&format!("{text}</textarea>")), "{}", refused.text);
            assert_eq!(refused.header("x-robots-tag"), "noindex, nofollow");
        }
    }
    assert_eq!(shared.comments().await, [] as [Value; 0]);
}

#[tokio::test]
async fn the_owner_reads_comments_by_page_and_marks_and_deletes_them() {
    let shared = Shared::start(&["A fox", "An owl", "A cat"]).await;
    let Shared { app, ada, pages, .. } = &shared;
    shared.comment(&pages[1], "Bigger eyes").await;
    shared.comment(&pages[0], "A longer tail").await;
    shared.comment(&pages[2], "No whiskers").await;
    shared.comment("", "I like it").await;
    ada.delete(&format!("/books/{}/pages/{}", shared.book, pages[2]))
        .await
        .expect_no_content();
    let path = shared.library();
    let mut owner = app.browser_of("ada@example.com").await;
    let page = owner.get(&path).await;
    page.expect(200, "4 not done").expect(200, "about “<bdi>A cat</bdi>”");
    let mut last = 0;
    for text in [
        "The book as a whole</bdi>",
        "I like it",
        "Page 1: A fox",
        "A longer tail",
        "Page 2: An owl",
        "Bigger eyes",
        "Pages that are no longer in the book",
        "No whiskers",
    ] {
        let at = page.text.find(text).unwrap_or_else(|| panic!("{text}: {}", page.text));
        assert!(at > last, "{text}");
        last = at;
    }

    let comments = shared.comments().await;
    let of_fox = comments
        .iter()
        .find(|comment| comment["text"] == "A longer tail")
        .unwrap();
    let comment = of_fox["id"].as_str().unwrap();
    let form = format!("{path}/comments/{comment}");
    let done = owner.send_form(&page, &form, &[]).await;
    done.expect_redirect(&format!("{path}?done=comment-resolved#{comment}"));
    let page = owner.get(&format!("{path}?done=comment-resolved")).await;
    page.expect(200, "The comment is marked as done.")
        .expect(200, "3 not done");
    let done = "<span class=\"badge ready\">Done</span>";
    app.browser().get(&shared.path).await.expect(200, done);
    let reopened = owner.send_form(&page, &form, &[]).await;
    reopened.expect_redirect(&format!("{path}?done=comment-reopened#{comment}"));
    let page = owner.get(&path).await;
    page.expect(200, "4 not done");
    assert!(!app.browser().get(&shared.path).await.text.contains(done));
    let deleted = owner.send_form(&page, &format!("{form}/delete"), &[]).await;
    deleted.expect_redirect(&format!("{path}?done=comment-deleted#reviews"));
    let page = owner.get(&path).await;
    page.expect(200, "3 not done");
    assert!(!page.text.contains("A longer tail"));
    assert!(!app.browser().get(&shared.path).await.text.contains("A longer tail"));
    for form in [format!("{form}/delete"), form] {
        let again = owner.submit(&path, &form, &[("resolved", "yes")]).await;
        again.expect(404, "There is nothing here");
    }
}

#[tokio::test]
async fn another_account_changes_nothing_at_the_addresses_of_its_own_book() {
    let shared = Shared::start(&["A fox"]).await;
    shared.comment("", "I like it").await;
    let before = shared.comments().await;
    let comment = before[0]["id"].as_str().unwrap();
    let bob = shared.app.account_named("bob@example.com", Plan::Business, 1).await;
    let book = shared.app.ready_book(&bob, &["An owl"]).await;
    let path = format!("/library/books/{book}");
    let mut browser = shared.app.browser_of("bob@example.com").await;
    for form in [
        format!("review-links/{}/withdraw", shared.link),
        format!("comments/{comment}"),
        format!("comments/{comment}/delete"),
    ] {
        let reply = browser
            .submit(&path, &format!("{path}/{form}"), &[("resolved", "yes")])
            .await;
        reply.expect(404, "There is nothing here");
    }
    assert_eq!(shared.comments().await, before);
    shared.app.browser().get(&shared.path).await.expect(200, "I like it");
}

#[tokio::test]
async fn without_the_business_plan_links_work_and_cannot_be_changed() {
    let shared = Shared::start(&["A fox"]).await;
    shared.comment("", "I like it").await;
    let account = shared.app.account_of("ada@example.com").await;
    testing::set_plan(&shared.app.server, &account, Plan::Free)
        .await
        .unwrap();
    shared.app.browser().get(&shared.path).await.expect(200, "I like it");
    shared.comment("", "Very much").await;
    let mut owner = shared.app.browser_of("ada@example.com").await;
    let page = owner.get(&shared.library()).await;
    page.expect(200, "2 comments").expect(200, "Very much");
    for form in ["/review-links", "/withdraw", "/comments/"] {
        assert!(!page.text.contains(form), "{form}");
    }
}

#[tokio::test]
async fn comments_and_visits_are_limited_by_the_address_of_the_client() {
    let shared = Shared::start(&["A fox"]).await;
    let path = shared.path.as_str();
    let form = format!("{path}/comments");
    let mut visitor = browser_at(&shared.app, "203.0.113.7");
    let mut other = browser_at(&shared.app, "198.51.100.1");
    for _ in 0..60 {
        assert_eq!(visitor.post(&form, &COMMENT).await.status, 303);
    }
    // This response is a visit, too.
    let refused = visitor.post(&form, &COMMENT).await;
    refused
        .expect(429, "Too many comments in a short time.")
        .expect(429, "The fox needs a longer tail</textarea>");
    assert_eq!(refused.header("retry-after"), "10");
    assert_eq!(other.post(&form, &COMMENT).await.status, 303);
    assert_eq!(shared.comments().await.len(), 61);

    for _ in 1..120 {
        assert_eq!(visitor.get(path).await.status, 200);
    }
    for path in [path, "/review/unknown"] {
        let refused = visitor.get(path).await;
        refused.expect(429, "A little too fast");
        assert!(refused.headers.contains_key("retry-after"));
    }
    other.get(path).await.expect(200, "A fox");
    // Pictures are not counted.
    assert_eq!(visitor.open(&format!("{path}/cover")).await.status(), 200);
    shared.app.server.clock.advance(Duration::from_secs(1));
    visitor.get(path).await.expect(200, "A fox");
    shared.app.server.clock.advance(Duration::from_secs(9));
    assert_eq!(visitor.post(&form, &COMMENT).await.status, 303);
}

#[tokio::test]
async fn a_link_takes_at_most_five_hundred_comments_and_the_owner_reads_them_in_parts() {
    let shared = Shared::start(&["A fox"]).await;
    let form = format!("{}/comments", shared.path);
    for number in 0..10 {
        let mut visitor = browser_at(&shared.app, &format!("203.0.113.{number}"));
        for _ in 0..50 {
            assert_eq!(visitor.post(&form, &COMMENT).await.status, 303);
        }
    }
    let mut visitor = browser_at(&shared.app, "198.51.100.1");
    let refused = visitor.post(&form, &[("name", "Eve"), ("text", "One more")]).await;
    refused
        .expect(422, "No more comments can be made with this link.")
        .expect(422, "One more</textarea>");
    // Another link takes them.
    shared.app.server.clock.advance(Duration::from_secs(1));
    let (_, other) = shared.app.review_link(&shared.ada, &shared.book).await;
    let form = format!("{other}/comments");
    let sent = visitor.post(&form, &[("name", "Eve"), ("text", "One more")]).await;
    assert_eq!(sent.status, 303);

    let path = shared.library();
    let mut owner = shared.app.browser_of("ada@example.com").await;
    let first = owner.get(&path).await;
    first.expect(200, "501 not done").expect(200, "One more");
    let shown = |page: &Html| page.text.matches("class=\"words\"").count();
    assert_eq!(shown(&first), 100);
    let (_, rest) = first.text.split_once(&format!("{path}?after=")).unwrap();
    let cursor = rest.split('"').next().unwrap();
    let second = owner.get(&format!("{path}?after={cursor}")).await;
    second.expect(200, "To the newest").expect(200, "501 not done");
    assert_eq!(shown(&second), 100);
    assert!(!second.text.contains("One more"));
}

#[tokio::test]
async fn visits_store_nothing_but_their_time_once_an_hour() {
    let shared = Shared::start(&["A fox"]).await;
    let (app, server) = (&shared.app, &shared.app.server);
    let visit = async || {
        let mut visitor = app.browser();
        visitor.get(&shared.path).await.expect(200, "A fox");
        for picture in shared.pictures() {
            assert_eq!(visitor.open(&picture).await.status(), 200, "{picture}");
        }
    };
    assert_eq!(shared.last_opened_at().await, Value::Null);
    visit().await;
    assert_eq!(shared.last_opened_at().await, json!(server.clock.now()));
    let before = maintenance::stored(server).await;
    server.clock.advance(Duration::from_secs(3599));
    visit().await;
    assert_eq!(maintenance::stored(server).await, before);
    server.clock.advance(Duration::from_secs(1));
    visit().await;
    assert_eq!(shared.last_opened_at().await, json!(server.clock.now()));
}

#[tokio::test]
async fn in_maintenance_a_book_is_shown_without_forms() {
    let shared = Shared::start(&["A fox"]).await;
    shared.comment("", "I like it").await;
    maintenance::begin(&shared.app).await;
    let before = maintenance::stored(&shared.app.server).await;
    let mut visitor = shared.app.browser();
    let page = visitor.get(&shared.path).await;
    page.expect(200, maintenance::MESSAGE).expect(200, "I like it");
    assert!(!page.text.contains("<form"));
    let refused = visitor.post(&format!("{}/comments", shared.path), &COMMENT).await;
    refused.expect(503, maintenance::MESSAGE);
    assert_eq!(maintenance::stored(&shared.app.server).await, before);

    assert!(maintenance::end(&shared.app).await);
    visitor.get(&shared.path).await.expect(200, "<form");
}
