//! Review links: who makes them, what they show, and when they do not work.
use std::time::Duration;

use serde_json::{Value, json};

use super::{COMMENT, GONE, Shared};
use crate::maintenance;
use crate::test_app::{Html, TestApp};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Returns the address of the link that was just made.
#[track_caller]
fn address_in(page: &Html) -> String {
    let (_, rest) = page.text.split_once("id=\"review-address\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
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
