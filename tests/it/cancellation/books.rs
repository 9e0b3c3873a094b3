//! Deleted books: what was never drawn for them is canceled with them, and what was drawn stays.
use crate::testing;
use linepress_core::artwork::Status;
use linepress_core::books::BookStatus;
use linepress_core::operations::OperationStatus;
use linepress_platform::database::Dialect;
use serde_json::json;

use super::{check_canceled, delete_while_it_is_drawn, is_canceled};
use crate::test_app::TestApp;

#[tokio::test]
async fn a_page_of_a_book_deleted_while_the_book_waits_is_refunded_at_once() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}, {"title": "B"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let book = accepted.book_id();
    let pages = ada.page_ids(&book).await;
    ada.delete(&format!("/pages/{}", pages[0])).await.expect_no_content();
    let operation = ada.operation(&accepted).await;
    assert_eq!((operation.status, ada.credits().await), (OperationStatus::Queued, 4));
    assert_eq!((operation.credits.charged, operation.credits.refunded), (2, 1));
    app.draw_what_is_due().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::PartiallySucceeded);
    let progress = operation.progress;
    assert_eq!((progress.completed, progress.failed, progress.total), (2, 1, 3));
    assert_eq!((operation.credits.charged, operation.credits.refunded), (2, 1));
    assert!(is_canceled(&operation.items[1]));
    let shown = ada.book(&book).await;
    assert_eq!((shown.status, shown.page_count), (BookStatus::Ready, 1));
    assert_eq!(ada.credits().await, 4);
    app.check_books().await;
}

#[tokio::test]
async fn a_book_deleted_while_it_waits_cancels_all_its_drawings() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}, {"title": "B"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let pages = ada.page_ids(&accepted.book_id()).await;
    ada.delete(&format!("/books/{}", accepted.book_id()))
        .await
        .expect_no_content();
    for page in pages {
        ada.get(&format!("/pages/{page}")).await.expect_error(404, "not_found");
    }
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Failed);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (2, 2));
    let messages = [
        "It was canceled, deleted or archived before it was drawn.",
        "It was canceled, deleted or archived before it was drawn. Its credit was given back.",
    ];
    for (item, message) in operation.items.iter().zip(messages) {
        assert!(is_canceled(item));
        assert_eq!(item.error.as_ref().unwrap().message, message);
    }
    assert_eq!((ada.credits().await, ada.count("pages").await), (5, 0));
    assert!(!testing::work_once(&app.server).await.unwrap(), "no drawing is due");
    app.check_books().await;
}

#[tokio::test]
async fn a_book_deleted_while_it_is_drawn_leaves_finished_and_started_drawings() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}, {"title": "B"}, {"title": "C"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let [drawn, held, waiting] = ada.page_ids(&accepted.book_id()).await.try_into().unwrap();
    // The cover and the first page.
    for _ in 0..2 {
        assert!(testing::work_once(&app.server).await.unwrap());
    }
    let job = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&format!("/books/{}", accepted.book_id()))
        .await
        .expect_no_content();
    assert_eq!(ada.credits().await, 3);
    ada.get(&format!("/pages/{waiting}"))
        .await
        .expect_error(404, "not_found");
    assert_eq!(ada.page(&held).await.status, Status::Generating);

    testing::attempt(&app.server, &job).await;
    for page in [drawn, held] {
        let shown = ada.page(&page).await;
        assert_eq!((shown.status, shown.book_ids), (Status::Ready, Vec::new()));
    }
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::PartiallySucceeded);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (3, 1));
    assert_eq!((ada.credits().await, ada.count("pages").await), (3, 2));
    app.check_books().await;
}

#[tokio::test]
async fn an_attached_page_stays_when_its_book_is_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}, {"title": "An owl"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    ada.delete(&format!("/books/{}", accepted.book_id()))
        .await
        .expect_no_content();
    assert_eq!(ada.page(&page).await.status, Status::Ready);
    assert_eq!((ada.credits().await, ada.count("pages").await), (5, 1));
    app.check_books().await;
}

#[tokio::test]
async fn a_book_deleted_while_its_cover_is_drawn_has_its_cover_in_the_bin() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let kept = app.objects();
    delete_while_it_is_drawn(&app, &ada, &format!("/books/{}", accepted.book_id())).await;
    assert_eq!(ada.operation(&accepted).await.status, OperationStatus::Succeeded);
    app.check_books().await;
    assert_eq!(app.objects().len(), kept.len() + 2);
    ada.delete("/bin").await.expect_no_content();
    app.check_books().await;
    assert_eq!(app.objects(), kept);
}

#[tokio::test]
async fn a_book_deleted_while_a_new_page_of_it_waits_leaves_the_others() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let drawn = ada.page_ids(&book).await.remove(0);
    let body = json!({"page": {"title": "An owl"}});
    let accepted = app.accepted(&ada, &format!("/books/{book}/pages"), &body).await;
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.get(&format!("/pages/{}", accepted.page_id()))
        .await
        .expect_error(404, "not_found");
    assert_eq!(ada.page(&drawn).await.status, Status::Ready);
    check_canceled(&ada.operation(&accepted).await, 1);
    assert_eq!(ada.credits().await, 4);
    app.check_books().await;
}

#[tokio::test]
async fn a_new_page_deleted_while_it_waits_frees_its_book() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/pages");
    let accepted = app.accepted(&ada, &path, &json!({"page": {"title": "An owl"}})).await;
    ada.delete(&format!("/pages/{}", accepted.page_id()))
        .await
        .expect_no_content();
    check_canceled(&ada.operation(&accepted).await, 1);
    let shown = ada.book(&book).await;
    assert_eq!((shown.status, shown.active_operation_id), (BookStatus::Ready, None));
    app.accepted(&ada, &path, &json!({"page": {"title": "A wolf"}})).await;
    app.draw_what_is_due().await;
    assert_eq!(ada.page_ids(&book).await.len(), 2);
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_book_can_be_deleted_at_the_moment_its_cover_is_completed() {
    let app = TestApp::start().await;
    if app.server.database.dialect != Dialect::Postgres {
        // SQLite has a single writer, so that two transactions cannot deadlock.
        return;
    }
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}, {"title": "B"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let book = accepted.book_id();
    testing::claim(&app.server).await.unwrap().unwrap();
    // The locks that a worker holds while it completes the cover: the drawing, then its book.
    let mut completing = app.server.database.begin().await.unwrap();
    for statement in [
        "UPDATE drawings SET progress_done = 1 WHERE status = 'running'",
        "UPDATE books SET updated_at = updated_at + 1",
    ] {
        sqlx::query(statement).execute(&mut *completing).await.unwrap();
    }
    let (path, deleting) = (format!("/books/{book}"), ada.clone());
    let deletion = tokio::spawn(async move { deleting.delete(&path).await });
    app.until_another_waits_for(&mut completing).await;
    sqlx::query("UPDATE operations SET started_at = 1")
        .execute(&mut *completing)
        .await
        .unwrap();
    completing.commit().await.unwrap();
    deletion.await.unwrap().expect_no_content();
    assert_eq!(ada.credits().await, 5);
}
