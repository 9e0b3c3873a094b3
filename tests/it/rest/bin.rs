//! `/bin`.
use linepress_core::artwork::Status;
use linepress_core::books::BookStatus;
use linepress_platform::ids::BookId;
use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp};

async fn delete(ada: &Actor, path: &str) {
    ada.delete(path).await.expect_no_content();
}

async fn restore(ada: &Actor, id: &str) -> Value {
    let reply = ada.post_nothing(&format!("/bin/{id}/restore")).await;
    reply.expect_free();
    reply.expect(200)
}

async fn listed(ada: &Actor) -> Vec<Value> {
    let reply = ada.get("/bin").await;
    reply.expect_free();
    reply.expect(200)["deleted_items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_deleted_page_is_listed_and_restored_as_it_was() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A", "B", "C"]).await;
    let pages = ada.page_ids(&book).await;
    let path = format!("/pages/{}", pages[1]);
    let before = ada.look(&path, "page").await;
    let picture = ada.get(&format!("{path}/image")).await.body;
    delete(&ada, &path).await;

    let [item] = listed(&ada).await.try_into().unwrap();
    let seen = (&item["id"], &item["type"], &item["title"]);
    assert_eq!(seen, (&json!(pages[1]), &json!("page"), &json!("B")));
    assert_eq!(
        (&item["deleted_at"], &item["expires_at"]),
        (&json!("2026-11-21T12:00:00.000Z"), &json!("2026-12-21T12:00:00.000Z"))
    );
    assert!(item["stored_bytes"].as_i64().unwrap() > 0);

    let restored = restore(&ada, &pages[1]).await;
    assert_eq!(restored["book"], Value::Null);
    assert_eq!(restored["page"], ada.look(&path, "page").await);
    let mut expected = before;
    expected["updated_at"] = restored["page"]["updated_at"].clone();
    assert_eq!(restored["page"], expected);
    assert_eq!(ada.get(&format!("{path}/image")).await.body, picture);
    assert_eq!(ada.page_ids(&book).await, pages);
    assert_eq!(listed(&ada).await, Vec::<Value>::new());
    ada.post_nothing(&format!("/bin/{}/restore", pages[1]))
        .await
        .expect_error(404, "not_found");
    app.check_books().await;
}

#[tokio::test]
async fn pages_return_to_their_places_in_any_order() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    for order in [[1, 2, 4], [4, 2, 1], [2, 4, 1]] {
        let book = app.ready_book(&ada, &["A"]).await;
        for title in ["B", "C", "D", "E"] {
            let page = app.imported_page(&ada, title).await;
            let body = json!({"page_id": page});
            ada.post(&format!("/books/{book}/pages"), &body).await.expect(200);
        }
        let pages = ada.page_ids(&book).await;
        for index in [2, 1, 4] {
            delete(&ada, &format!("/pages/{}", pages[index])).await;
        }
        for index in order {
            restore(&ada, &pages[index]).await;
        }
        assert_eq!(ada.page_ids(&book).await, pages, "{order:?}");
        assert_eq!(ada.book(&book).await.status, BookStatus::Ready);
    }
    app.check_books().await;
}

#[tokio::test]
async fn a_deleted_book_is_restored_with_its_cover_and_its_pages() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let other = app.ready_book(&ada, &["A bear"]).await;
    let path = format!("/books/{book}");
    let pages = ada.page_ids(&book).await;
    let shared = json!({"page_id": pages[0]});
    ada.post(&format!("/books/{other}/pages"), &shared).await.expect(200);
    let undrawn = app
        .accepted(&ada, &format!("{path}/pages"), &json!({"page": {"title": "A wolf"}}))
        .await;
    let before = ada.book(&book).await;
    let cover = ada.get(&format!("{path}/cover_image")).await.body;
    delete(&ada, &path).await;
    assert_eq!(listed(&ada).await[0]["type"], "book");
    assert_eq!(ada.page(&pages[0]).await.book_ids, [BookId::from_text(other.as_str())]);

    let restored = restore(&ada, &book).await;
    assert_eq!(restored["book"], ada.look(&path, "book").await);
    let shown = ada.book(&book).await;
    assert_eq!((shown.title, shown.cover.prompt), (before.title, before.cover.prompt));
    assert_eq!((shown.active_operation_id, shown.cover.status), (None, Status::Ready));
    assert_eq!(ada.get(&format!("{path}/cover_image")).await.body, cover);
    // What waited was canceled and refunded, and can be ordered again.
    let [one, two, three] = ada.page_ids(&book).await.try_into().unwrap();
    assert_eq!([&one, &two, &three], [&pages[0], &pages[1], &undrawn.page_id()]);
    let canceled = ada.page(&three).await;
    assert_eq!((canceled.status, canceled.active_operation_id), (Status::Failed, None));
    assert_eq!(
        ada.look(&format!("/pages/{three}"), "page").await["error"]["code"],
        "generation_canceled"
    );
    app.accepted(&ada, &format!("/pages/{three}/regenerate"), &json!({}))
        .await;
    app.draw_what_is_due().await;
    assert_eq!(ada.book(&book).await.status, BookStatus::Ready);
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn a_book_and_its_page_are_restored_in_either_order() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    for page_first in [true, false] {
        for book_deleted_first in [true, false] {
            let book = app.ready_book(&ada, &["A", "B"]).await;
            let pages = ada.page_ids(&book).await;
            let (of_book, of_page) = (format!("/books/{book}"), format!("/pages/{}", pages[0]));
            let deletions = if book_deleted_first {
                [&of_book, &of_page]
            } else {
                [&of_page, &of_book]
            };
            for path in deletions {
                delete(&ada, path).await;
            }
            let ids = if page_first {
                [&pages[0], &book]
            } else {
                [&book, &pages[0]]
            };
            for id in ids {
                restore(&ada, id).await;
            }
            assert_eq!(ada.page_ids(&book).await, pages, "{page_first} {book_deleted_first}");
        }
    }
}

#[tokio::test]
async fn pages_that_moved_since_share_no_place_with_one_that_returns() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A", "B", "C"]).await;
    let [one, two, three] = ada.page_ids(&book).await.try_into().unwrap();
    delete(&ada, &format!("/pages/{two}")).await;
    let order = json!({"page_ids": [three, one]});
    ada.patch(&format!("/books/{book}/pages/order"), &order)
        .await
        .expect(200);
    delete(&ada, &format!("/books/{book}")).await;
    restore(&ada, &two).await;
    restore(&ada, &book).await;
    let restored = ada.page_ids(&book).await;
    assert_eq!((restored.len(), &restored[0]), (3, &three));
    let positions: Vec<i64> =
        sqlx::query_scalar("SELECT position FROM book_pages WHERE book_id = $1 ORDER BY position")
            .bind(&book)
            .fetch_all(&app.server.database.read)
            .await
            .unwrap();
    assert_eq!(positions, [1, 2, 3]);
    delete(&ada, &format!("/pages/{one}")).await;
    restore(&ada, &one).await;
    assert_eq!(ada.page_ids(&book).await, restored);
}

#[tokio::test]
async fn a_page_whose_book_is_gone_for_good_is_restored_alone() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A", "B"]).await;
    let pages = ada.page_ids(&book).await;
    delete(&ada, &format!("/pages/{}", pages[0])).await;
    delete(&ada, &format!("/books/{book}")).await;
    delete(&ada, &format!("/bin/{book}")).await;
    let restored = restore(&ada, &pages[0]).await;
    assert_eq!(restored["page"]["book_ids"], json!([]));
    ada.post_nothing(&format!("/bin/{book}/restore"))
        .await
        .expect_error(404, "not_found");
    app.check_books().await;
}

#[tokio::test]
async fn the_bin_is_listed_in_parts_and_emptied() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let mut pages = Vec::new();
    for title in ["A", "B", "C"] {
        app.server.clock.advance(std::time::Duration::from_secs(1));
        pages.push(app.imported_page(&ada, title).await);
    }
    for index in [1, 2, 0] {
        app.server.clock.advance(std::time::Duration::from_secs(1));
        delete(&ada, &format!("/pages/{}", pages[index])).await;
    }
    let mut seen = Vec::new();
    let mut address = "/bin?limit=1".to_owned();
    loop {
        let part = ada.get(&address).await.expect(200);
        let items = part["deleted_items"].as_array().unwrap();
        seen.extend(items.iter().map(|item| item["title"].as_str().unwrap().to_owned()));
        let Some(cursor) = part["meta"]["next_cursor"].as_str() else {
            break;
        };
        address = format!("/bin?limit=1&after={cursor}");
    }
    assert_eq!(seen, ["A", "C", "B"]);
    delete(&ada, &format!("/bin/{}", pages[1])).await;
    ada.delete(&format!("/bin/{}", pages[1]))
        .await
        .expect_error(404, "not_found");
    assert_eq!(listed(&ada).await.len(), 2);
    delete(&ada, "/bin").await;
    assert_eq!(listed(&ada).await.len(), 0);
    delete(&ada, "/bin").await;
    for id in ["page_nothing", "book_nothing", "x"] {
        ada.post_nothing(&format!("/bin/{id}/restore"))
            .await
            .expect_error(404, "not_found");
    }
    app.check_books().await;
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn a_restoration_that_exceeds_a_limit_changes_nothing() {
    let app = TestApp::builder()
        .config(|config| {
            config.limits.pages = 2;
            config.limits.books = 1;
            config.limits.pages_per_book = 1;
        })
        .start()
        .await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    delete(&ada, &format!("/pages/{page}")).await;
    let other = app.imported_page(&ada, "B").await;
    let body = json!({"page_id": other});
    ada.post(&format!("/books/{book}/pages"), &body).await.expect(200);
    let refused = ada.post_nothing(&format!("/bin/{page}/restore")).await;
    let error = refused.expect_error(422, "account_limit_reached");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("Take a page out of the book first."), "{message}");
    delete(&ada, &format!("/books/{book}/pages/{other}")).await;
    let third = app.imported_page(&ada, "C").await;
    ada.post_nothing(&format!("/bin/{page}/restore"))
        .await
        .expect_error(422, "account_limit_reached");
    assert_eq!(listed(&ada).await.len(), 1);
    delete(&ada, &format!("/pages/{third}")).await;
    restore(&ada, &page).await;
    assert_eq!(ada.page_ids(&book).await, std::slice::from_ref(&page));

    delete(&ada, &format!("/books/{book}")).await;
    let other = json!({"book": {"title": "C", "pages": [{"page_id": page}]}});
    app.accepted(&ada, "/books", &other).await;
    ada.post_nothing(&format!("/bin/{book}/restore"))
        .await
        .expect_error(422, "account_limit_reached");
    assert!(listed(&ada).await.iter().any(|item| item["id"] == json!(book)));
    app.check_books().await;
}

#[tokio::test]
async fn a_restoration_obeys_the_limits_of_the_account() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A", "B"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    delete(&ada, &format!("/pages/{page}")).await;
    let account = format!("/admin/accounts/{}", ada.account_id().await);
    let set = async |pages: Value| {
        let limits = json!({"managed_account": {"limits": {"pages_per_book": pages}}});
        operator.patch(&account, &limits).await.expect(200);
    };
    set(json!(1)).await;
    ada.post_nothing(&format!("/bin/{page}/restore"))
        .await
        .expect_error(422, "account_limit_reached");
    assert_eq!(ada.page_ids(&book).await.len(), 1);
    set(Value::Null).await;
    restore(&ada, &page).await;
    assert_eq!(ada.page_ids(&book).await.len(), 2);
}

#[tokio::test]
async fn a_restored_book_has_no_more_pages_than_a_book_may_have() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages_per_book = 1)
        .start()
        .await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    delete(&ada, &format!("/pages/{page}")).await;
    let other = app.imported_page(&ada, "B").await;
    let body = json!({"page_id": other});
    ada.post(&format!("/books/{book}/pages"), &body).await.expect(200);
    delete(&ada, &format!("/books/{book}")).await;
    restore(&ada, &page).await;
    ada.post_nothing(&format!("/bin/{book}/restore"))
        .await
        .expect_error(422, "account_limit_reached");
    delete(&ada, &format!("/pages/{other}")).await;
    restore(&ada, &book).await;
    assert_eq!(ada.page_ids(&book).await, [page]);
    app.check_books().await;
}
