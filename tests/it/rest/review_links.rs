//! `/books/{id}/review_links`, `/review_links/{id}`, `/books/{id}/comments` and `/comments/{id}`. What visitors see is
//! tested in `web::library::review`.
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::maintenance;
use crate::test_app::{Actor, TestApp, id};
use crate::testing;

const DAY: Duration = Duration::from_secs(24 * 3600);

async fn links(ada: &Actor, book: &str) -> Vec<Value> {
    let listed = ada
        .get(&format!("/books/{book}/review_links?limit=100"))
        .await
        .expect(200);
    listed["review_links"].as_array().unwrap().clone()
}

async fn comments(ada: &Actor, book: &str) -> Vec<Value> {
    let listed = ada.get(&format!("/books/{book}/comments?limit=100")).await.expect(200);
    listed["comments"].as_array().unwrap().clone()
}

/// Comments on a page, or on the whole book if the page is empty. Ids follow the time, so that it passes before each
/// comment.
async fn comment(app: &TestApp, shown: &str, page: &str, text: &str) {
    app.server.clock.advance(Duration::from_secs(1));
    let fields = [("page", page), ("name", "Grandma"), ("text", text)];
    let sent = app.browser().post(&format!("{shown}/comments"), &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
}

/// Returns the status of the page that a link leads to.
async fn visit(app: &TestApp, shown: &str) -> u16 {
    app.browser().get(shown).await.status.as_u16()
}

/// Returns the numbers of the stored links and comments.
async fn stored(app: &TestApp) -> (i64, i64) {
    let count = async |table: &str| -> i64 {
        sqlx::query_scalar(AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}")))
            .fetch_one(&app.server.database.read)
            .await
            .unwrap()
    };
    (count("review_links").await, count("review_comments").await)
}

#[tokio::test]
async fn a_link_is_made_with_its_address_which_is_not_shown_again() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/review_links");
    let new = json!({"review_link": {"days": 7, "name": "Grandma"}});
    let reply = ada.post(&path, &new).await;
    reply.expect_free();
    let made = reply.expect(201);
    let (link, now) = (id(&made, "review_link"), app.server.clock.now());
    assert_eq!(
        made["review_link"],
        json!({
            "id": link,
            "book_id": book,
            "name": "Grandma",
            "comments": 0,
            "unresolved_comments": 0,
            "created_at": now,
            "expires_at": now.plus(DAY * 7),
            "withdrawn_at": null,
            "last_opened_at": null,
        })
    );
    assert_eq!(
        reply.header("location"),
        format!("http://linepress.test/api/v1/review_links/{link}")
    );
    let token = made["url"]
        .as_str()
        .unwrap()
        .strip_prefix("http://linepress.test/review/");
    let token = token.unwrap().to_owned();
    assert_eq!(visit(&app, &format!("/review/{token}")).await, 200);
    let listed = ada.get(&path).await;
    listed.expect(200);
    let rows = format!("{:?}", maintenance::stored(&app.server).await);
    for text in [String::from_utf8_lossy(&listed.body).into_owned(), rows] {
        assert!(text.contains(&link), "{text}");
        assert!(!text.contains(&token), "{text}");
    }
}

#[tokio::test]
async fn a_link_works_for_thirty_days_unless_another_time_is_requested() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/review_links");
    for (terms, field) in [
        (json!({"days": 0}), "review_link.days"),
        (json!({"days": 91}), "review_link.days"),
        (json!({"name": "x".repeat(101)}), "review_link.name"),
        (json!({"name": "Grandma\nand Grandpa"}), "review_link.name"),
        (json!({"weeks": 1}), "review_link.weeks"),
    ] {
        let reply = ada.post(&path, &json!({"review_link": terms})).await;
        reply.expect_fields(&[field]);
    }
    for days in [json!(-1), json!("7"), json!(1.5)] {
        let reply = ada.post(&path, &json!({"review_link": {"days": days}})).await;
        reply.expect_error(422, "validation_failed");
    }
    assert_eq!(stored(&app).await, (0, 0));

    let now = app.server.clock.now();
    for (terms, days, name) in [
        (json!({}), 30, ""),
        (json!({"days": 1, "name": ""}), 1, ""),
        (json!({"days": 90, "name": "Großmutter"}), 90, "Großmutter"),
    ] {
        let made = ada.post(&path, &json!({"review_link": terms})).await.expect(201);
        let made = &made["review_link"];
        assert_eq!(made["expires_at"], json!(now.plus(DAY * days)), "{terms}");
        assert_eq!(made["name"], name);
    }
}

#[tokio::test]
async fn a_book_has_at_most_twenty_links_that_work() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/review_links");
    let new = json!({"review_link": {}});
    let (first, shown) = app.review_link(&ada, &book).await;
    for _ in 0..18 {
        app.review_link(&ada, &book).await;
    }
    let raced = join_all((0..3).map(|_| ada.post(&path, &new))).await;
    let mut statuses: Vec<u16> = raced.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 422, 422]);
    let refused = ada.post(&path, &new).await.expect_error(422, "account_limit_reached");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("for review links to one book is 20"), "{message}");
    // Another book has its own links.
    let other = app.ready_book(&ada, &["An owl"]).await;
    app.review_link(&ada, &other).await;

    ada.delete(&format!("/review_links/{first}")).await.expect_no_content();
    assert_eq!(visit(&app, &shown).await, 404);
    app.review_link(&ada, &book).await;
    ada.post(&path, &new).await.expect_error(422, "account_limit_reached");
    app.server.clock.advance(DAY * 30);
    app.review_link(&ada, &book).await;
}

#[tokio::test]
async fn only_the_last_fifty_links_of_a_book_that_do_not_work_are_kept() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let mut made = Vec::new();
    for number in 0..53 {
        app.server.clock.advance(Duration::from_secs(1));
        let (link, shown) = app.review_link(&ada, &book).await;
        if number < 3 {
            comment(&app, &shown, "", "I like it").await;
        }
        ada.delete(&format!("/review_links/{link}")).await.expect_no_content();
        made.push(link);
    }
    made.reverse();
    let kept = links(&ada, &book).await;
    let kept: Vec<&str> = kept.iter().map(|link| link["id"].as_str().unwrap()).collect();
    // The last one was made before it was withdrawn.
    assert_eq!(kept, made[..51]);
    let comments = comments(&ada, &book).await;
    assert_eq!(comments.len(), 1, "{comments:?}");
    assert_eq!(comments[0]["review_link_id"], made[50]);
}

#[tokio::test]
async fn comments_are_listed_resolved_and_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let (link, shown) = app.review_link(&ada, &book).await;
    comment(&app, &shown, "", "I like it").await;
    comment(&app, &shown, &page, "A longer tail").await;
    let listed = comments(&ada, &book).await;
    assert_eq!(
        listed[0],
        json!({
            "id": listed[0]["id"],
            "review_link_id": link,
            "page_id": page,
            "page_title": "A fox",
            "name": "Grandma",
            "text": "A longer tail",
            "created_at": app.server.clock.now(),
            "resolved_at": null,
        })
    );
    let of_the_book = (&Value::Null, &json!(""), &json!("I like it"));
    let shown = (&listed[1]["page_id"], &listed[1]["page_title"], &listed[1]["text"]);
    assert_eq!(shown, of_the_book);

    let first = ada.get(&format!("/books/{book}/comments?limit=1")).await.expect(200);
    assert_eq!(first["comments"], json!([listed[0]]));
    let cursor = first["meta"]["next_cursor"].as_str().unwrap();
    let rest = ada.get(&format!("/books/{book}/comments?after={cursor}")).await;
    assert_eq!(rest.expect(200)["comments"], json!([listed[1]]));
    ada.get(&format!("/books/{book}/review_links?after={cursor}"))
        .await
        .expect_error(400, "invalid_pagination");

    let path = format!("/comments/{}", listed[0]["id"].as_str().unwrap());
    let change = async |change: Value| {
        let changed = ada.patch(&path, &json!({"comment": change})).await.expect(200);
        changed["comment"]["resolved_at"].clone()
    };
    let at = change(json!({"resolved": true})).await;
    assert_eq!(at, json!(app.server.clock.now()));
    app.server.clock.advance(DAY);
    assert_eq!(change(json!({"resolved": true})).await, at);
    assert_eq!(change(json!({})).await, at);
    let counted = &links(&ada, &book).await[0];
    assert_eq!(
        (&counted["comments"], &counted["unresolved_comments"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(change(json!({"resolved": false})).await, Value::Null);
    for bad in [
        json!({"resolved": null}),
        json!({"resolved": "yes"}),
        json!({"text": "Mine"}),
    ] {
        let reply = ada.patch(&path, &json!({"comment": bad})).await;
        reply.expect_error(422, "validation_failed");
    }

    ada.delete(&path).await.expect_no_content();
    ada.delete(&path).await.expect_error(404, "not_found");
    let again = ada.patch(&path, &json!({"comment": {"resolved": true}})).await;
    again.expect_error(404, "not_found");
    assert_eq!(comments(&ada, &book).await, listed[1..]);
    let counted = &links(&ada, &book).await[0];
    assert_eq!(
        (&counted["comments"], &counted["unresolved_comments"]),
        (&json!(1), &json!(1))
    );
}

#[tokio::test]
async fn a_withdrawn_link_keeps_its_comments() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let (link, shown) = app.review_link(&ada, &book).await;
    comment(&app, &shown, "", "I like it").await;
    let path = format!("/review_links/{link}");
    let now = app.server.clock.now();
    ada.delete(&path).await.expect_no_content();
    app.server.clock.advance(DAY);
    ada.delete(&path).await.expect_no_content();
    let listed = links(&ada, &book).await;
    assert_eq!((listed.len(), &listed[0]["withdrawn_at"]), (1, &json!(now)));
    assert_eq!(visit(&app, &shown).await, 404);
    assert_eq!(comments(&ada, &book).await.len(), 1);
}

#[tokio::test]
async fn links_to_a_book_in_the_bin_rest_until_it_is_restored_and_end_with_it() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let other = app.ready_book(&ada, &["An owl"]).await;
    app.review_link_with_comment(&ada, &other).await;
    let (link, shown) = app.review_link(&ada, &book).await;
    comment(&app, &shown, "", "I like it").await;
    let (links_before, comments_before) = (links(&ada, &book).await, comments(&ada, &book).await);
    let made = format!("/comments/{}", comments_before[0]["id"].as_str().unwrap());
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    assert_eq!(visit(&app, &shown).await, 404);
    for list in ["review_links", "comments"] {
        let reply = ada.get(&format!("/books/{book}/{list}")).await;
        reply.expect_error(404, "not_found");
    }
    let new = json!({"review_link": {}});
    let reply = ada.post(&format!("/books/{book}/review_links"), &new).await;
    reply.expect_error(404, "not_found");
    for path in [format!("/review_links/{link}"), made.clone()] {
        ada.delete(&path).await.expect_error(404, "not_found");
    }
    let reply = ada.patch(&made, &json!({"comment": {"resolved": true}})).await;
    reply.expect_error(404, "not_found");

    ada.post_nothing(&format!("/bin/{book}/restore")).await.expect(200);
    assert_eq!(links(&ada, &book).await, links_before);
    assert_eq!(comments(&ada, &book).await, comments_before);
    assert_eq!(visit(&app, &shown).await, 200);
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    assert_eq!(stored(&app).await, (2, 2));
    ada.delete(&format!("/bin/{book}")).await.expect_no_content();
    assert_eq!(stored(&app).await, (1, 1));
    assert_eq!(comments(&ada, &other).await.len(), 1);
    ada.delete(&format!("/books/{other}")).await.expect_no_content();
    ada.delete("/bin").await.expect_no_content();
    assert_eq!(stored(&app).await, (0, 0));
}

#[tokio::test]
async fn a_comment_remains_when_its_page_leaves_the_book_and_when_it_is_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let (_, shown) = app.review_link(&ada, &book).await;
    comment(&app, &shown, &page, "A longer tail").await;
    let before = comments(&ada, &book).await;
    let renamed = json!({"page": {"title": "A wolf"}});
    ada.patch(&format!("/pages/{page}"), &renamed).await.expect(200);
    ada.delete(&format!("/books/{book}/pages/{page}"))
        .await
        .expect_no_content();
    assert_eq!(comments(&ada, &book).await, before);
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    ada.delete(&format!("/bin/{page}")).await.expect_no_content();
    assert_eq!(comments(&ada, &book).await, before);
    assert_eq!(before[0]["page_title"], "A fox");
}

#[tokio::test]
async fn an_expired_link_is_deleted_with_its_comments_after_thirty_days() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let new = json!({"review_link": {"days": 7}});
    let made = ada.post(&format!("/books/{book}/review_links"), &new).await.expect(201);
    let shown = made["url"].as_str().unwrap();
    comment(&app, shown, "", "I like it").await;
    app.review_link(&ada, &book).await;
    // The comment came a second after the link.
    app.server.clock.advance(DAY * 7 - Duration::from_secs(2));
    assert_eq!(visit(&app, shown).await, 200);
    app.server.clock.advance(Duration::from_secs(1));
    assert_eq!(visit(&app, shown).await, 404);
    app.server.clock.advance(DAY * 30 - Duration::from_secs(1));
    assert!(testing::run_housekeeping_once(&app.server).await);
    assert_eq!(stored(&app).await, (2, 1));
    assert_eq!(comments(&ada, &book).await.len(), 1);
    app.server.clock.advance(Duration::from_secs(1));
    assert!(testing::run_housekeeping_once(&app.server).await);
    // The other one expired 7 days ago.
    assert_eq!(stored(&app).await, (1, 0));
    assert_eq!(comments(&ada, &book).await, [] as [Value; 0]);
}

#[tokio::test]
async fn the_links_of_a_closed_account_are_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let (_, shown) = app.review_link(&ada, &book).await;
    comment(&app, &shown, "", "I like it").await;
    assert_eq!(stored(&app).await, (1, 1));
    let account = app.account_of("ada@example.com").await;
    testing::close(&app.server, &account).await.unwrap();
    assert_eq!(visit(&app, &shown).await, 404);
    assert_eq!(stored(&app).await, (0, 0));
}
