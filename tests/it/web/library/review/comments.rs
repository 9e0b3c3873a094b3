//! The comments of visitors, which the owner reads, marks as done and deletes.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use super::{COMMENT, Shared};
use crate::test_app::{Browser, Html, TestApp};
use crate::testing;

/// Returns a browser with this address.
fn browser_at(app: &TestApp, address: &str) -> Browser {
    let mut browser = app.browser();
    browser.address = Some(address.parse().unwrap());
    browser
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
